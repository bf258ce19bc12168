#include "app/trust/closed_cluster.h"

#include "app/cli/sentence.h"
#include "app/environment/directories.h"
#include "app/environment/or_denied.h"
#include "app/environment/revocation_list.h"
#include "app/trust/key_files.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_trust.h"
#include "recipes/blocks/persistent.h"

#include <QDir>
#include <QFileInfo>

namespace drover::app {

namespace {

QString inDirectory(const Context &context, const char *name)
{
    const QString folder = context.arguments().value("dir");
    if (folder.isEmpty())
        return QLatin1String(name);
    if (!QFileInfo(folder).isDir())
        throw CommandError(ExitNotFound, QStringLiteral("--dir: there is no directory %1").arg(folder));
    return QDir(folder).filePath(QLatin1String(name));
}

trust::Grant grantOfAdministrator(const Context &context)
{
    trust::Grant grant;
    grant.name = QStringLiteral("admin");
    grant.roles = {trust::AllRoles.begin(), trust::AllRoles.end()};
    grant.notBefore = std::chrono::duration_cast<std::chrono::seconds>(context.loop().wallClock());
    return grant;
}

std::shared_ptr<const trust::Credentials> share(trust::Credentials credentials)
{
    return std::make_shared<const trust::Credentials>(std::move(credentials));
}

} // namespace

QCommandLineOption directoryOption()
{
    return option("dir", "where root.key and admin.drover are made (default: the current one)", "DIR");
}

QCommandLineOption sharedOption()
{
    return option("shared", "let all clients make nodes in / and /drover, for other clusters and programs");
}

async::Task<void> closeAbove(const Context &context, jobs::Cluster cluster,
                             std::shared_ptr<const trust::Credentials> administrator)
{
    if (context.arguments().has("shared")) {
        co_await jobs::shareAbove(cluster, administrator->identities, administrator->formerIdentities);
        co_return;
    }
    const std::vector<zk::Path> open =
        co_await jobs::closeAboveIfAlone(cluster, administrator->identities, administrator->formerIdentities);
    QStringList names;
    for (const zk::Path &path : open)
        names << path.toString();
    if (!open.empty())
        Output::hint(QStringLiteral("all clients can still make nodes in %1: they are not of this cluster alone")
                         .arg(names.join(QStringLiteral(" and "))));
}

ClosedCluster::ClosedCluster(const Context &context, Files files)
    : m_rootFile(inDirectory(context, "root.key")), m_administratorFile(inDirectory(context, "admin.drover")),
      m_isContinued(files == Files::OrOfBefore && QFileInfo::exists(m_rootFile)
                    && QFileInfo::exists(m_administratorFile)),
      m_administrator(m_isContinued ? share(readCredentials(m_administratorFile)) : nullptr), m_issuer(issuer(context))
{
    if (!m_isContinued)
        m_administrator = share(m_issuer.issue(grantOfAdministrator(context)));
    if (context.settings().connect.isEmpty() || context.settings().isOfUp()
        || context.settings().connectSource == u"your credentials")
        throw UsageError(QStringLiteral("--connect is missing: name the ZooKeeper servers of the cluster, as all "
                                        "machines are to reach them"));
    if (m_isContinued && m_administrator->cluster == context.settings().cluster)
        return;
    requireNoFile(m_rootFile);
    requireNoFile(m_administratorFile);
}

trust::Issuer ClosedCluster::issuer(const Context &context) const
{
    if (!m_isContinued)
        return trust::Issuer::found(context.settings().cluster, context.settings().connect);
    return orDenied([this] { return trust::Issuer(readRootKey(m_rootFile), *m_administrator); });
}

// The certificate is the first that a call leaves in the cluster.
async::Task<void> ClosedCluster::requireOwn(jobs::Cluster cluster) const
{
    if (!m_isContinued)
        co_return;
    const zk::Path certificate = cluster.layout.certificate(m_administrator->ownCertificate().serial);
    const zk::Answer<zk::Stat> published = co_await recipes::Persistent(cluster.zk).exists(certificate);
    if (!published.ok())
        requireNoFile(m_rootFile);
}

void ClosedCluster::writeFiles() const
{
    if (!m_isContinued) {
        writeNew(m_rootFile, m_issuer.root());
        writeNew(m_administratorFile, *m_administrator);
    }
    if (!QFileInfo::exists(userCredentialsFile(m_administrator->cluster)))
        logIn(*m_administrator, false);
}

async::Task<void> ClosedCluster::close(const Context &context, jobs::Cluster cluster) const
{
    co_await jobs::closeTree(cluster, m_issuer.identities());
    co_await jobs::publishCertificate(cluster, *m_administrator);
    const jobs::Cluster ours(cluster.zk, cluster.layout, m_administrator);
    const jobs::AuditNote note(ours, jobs::AuditAction::ClusterClosed, QStringLiteral("cluster"));
    const std::set<QByteArray> none;
    const RevocationList list(m_rootFile, m_issuer.anchors().clusterId);
    co_await list.add(ours, m_issuer, none, note);
    co_await closeAbove(context, ours, m_administrator);
}

void ClosedCluster::tell(const Context &context) const
{
    const QString name = QString::fromUtf8(m_administrator->cluster);
    if (context.out().isTable())
        printSentence(context.out(),
                      QStringLiteral("cluster %1 is closed; %2 signs for it: keep that file offline, and a copy of it")
                          .arg(name, m_rootFile));
    else
        context.out().object({},
                             {{QStringLiteral("cluster"), name},
                              {QStringLiteral("cluster_id"), QString::fromLatin1(m_administrator->anchors.clusterId)},
                              {QStringLiteral("root_key"), m_rootFile},
                              {QStringLiteral("administrator"), m_administratorFile}});
    Output::hint(QStringLiteral("%1 is yours, as the administrator; next: drover worker add NAME, drover user add NAME "
                                "--role submit")
                     .arg(m_administratorFile));
}

} // namespace drover::app
