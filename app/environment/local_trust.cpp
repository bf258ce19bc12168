#include "app/environment/local_trust.h"

#include "app/cli/failure.h"
#include "app/environment/credentials_file.h"
#include "app/environment/directories.h"
#include "app/environment/or_denied.h"
#include "app/environment/revocation_list.h"
#include "jobs/cluster/close_tree.h"
#include "jobs/cluster/cluster_trust.h"
#include "recipes/blocks/persistent.h"
#include "trust/issuer.h"
#include "trust/renewal.h"

#include <QDir>
#include <QFile>

namespace drover::app {

namespace {

constexpr char Suffix[] = ".drover";
constexpr char JobsSuffix[] = ".jobs"; // another, because each file with the first one has an administrator

QString nameOfUser()
{
    const QString name = qEnvironmentVariable("USER");
    return trust::isHolderName(name) ? name : QStringLiteral("local");
}

trust::Credentials makeCredentials(const QString &rootFile, const QByteArray &cluster, const QString &servers)
{
    const trust::Issuer issuer = trust::Issuer::found(cluster, servers);
    issuer.root().write(rootFile);
    return issuer.issue({.name = nameOfUser(), .roles = {trust::AllRoles.begin(), trust::AllRoles.end()}});
}

std::shared_ptr<const trust::Credentials> credentialsIn(const QString &rootFile, const QString &file,
                                                        const QByteArray &cluster, const QString &servers)
{
    const bool isThere = QFile::exists(file);
    trust::Credentials credentials =
        isThere ? trust::Credentials::read(file) : makeCredentials(rootFile, cluster, servers);
    if (!isThere || credentials.servers != servers) {
        credentials.servers = servers;
        credentials.write(file);
    }
    return std::make_shared<const trust::Credentials>(std::move(credentials));
}

std::vector<trust::Credentials> allIn(const QString &folder)
{
    std::vector<trust::Credentials> all;
    for (const QString &name : QDir(folder).entryList({QStringLiteral("*%1").arg(QLatin1StringView(Suffix))}))
        all.push_back(trust::Credentials::read(folder + u'/' + name));
    return all;
}

zk::AuthInfo adminOf(const trust::Credentials &credentials)
{
    return {QByteArrayLiteral("digest"), credentials.digestSecret(trust::Role::Admin)};
}

} // namespace

LocalTrust::LocalTrust(const QString &folder, jobs::Layout layout, const QString &servers)
    : m_layout(std::move(layout)),
      m_rootFile(folder + u'/' + QString::fromLatin1(m_layout.clusterName()) + QStringLiteral(".root.key")),
      m_file(folder + u'/' + QString::fromLatin1(m_layout.clusterName()) + QLatin1StringView(Suffix)),
      m_jobsFile(folder + u'/' + QString::fromLatin1(m_layout.clusterName()) + QLatin1StringView(JobsSuffix))
{
    makeDirectory(folder);
    orDenied([&] {
        m_credentials = credentialsIn(m_rootFile, m_file, m_layout.clusterName(), servers);
        m_access = accessWith(m_credentials.get(), m_layout);
        for (const trust::Credentials &credentials : allIn(folder)) {
            m_access.auth.push_back(adminOf(credentials));
            m_admins.push_back(
                {zk::AllPermissions, QByteArrayLiteral("digest"), credentials.identities.at(trust::Role::Admin)});
        }
    });
}

std::vector<zk::AuthInfo> LocalTrust::adminsIn(const QString &folder)
{
    return orDenied([&] {
        std::vector<zk::AuthInfo> admins;
        for (const trust::Credentials &credentials : allIn(folder))
            admins.push_back(adminOf(credentials));
        return admins;
    });
}

namespace {

// Nothing: it has been moved away, or is that of another root key by now.
std::optional<trust::Issuer> issuerOf(const QString &rootFile, const trust::Credentials &administrator)
{
    try {
        if (QFile::exists(rootFile))
            return trust::Issuer(trust::RootKey::read(rootFile), administrator);
    } catch (const trust::BadCredentials &) {
    }
    return std::nullopt;
}

} // namespace

async::Task<void> LocalTrust::publishRevocations(zk::Client &session) const
{
    const std::optional<trust::Issuer> issuer = issuerOf(m_rootFile, *m_credentials);
    if (!issuer)
        co_return;
    const jobs::Cluster cluster(session, m_layout, m_credentials);
    const RevocationList list(m_rootFile, issuer->anchors().clusterId);
    trust::TrustStore known = list.known(issuer->anchors());
    try {
        co_await jobs::readRevocations(cluster, known);
        co_return; // it is the present one
    } catch (const trust::Untrusted &) {
    }
    const std::set<QByteArray> none;
    bool isForeign = false;
    try {
        co_await list.add(cluster, *issuer, none);
    } catch (const trust::Untrusted &) { // its node holds what no root key has signed
        isForeign = true;
    }
    if (isForeign)
        co_await list.mend(cluster, *issuer, none, std::nullopt);
}

// Reads the file, or issues new credentials. Nothing: the root key has been moved away, so it cannot issue any.
std::optional<trust::Credentials> LocalTrust::credentialsOfJobs() const
{
    if (QFile::exists(m_jobsFile)) {
        trust::Credentials present = trust::Credentials::read(m_jobsFile);
        if (present.anchors.clusterId == m_credentials->anchors.clusterId)
            return present;
    }
    const std::optional<trust::Issuer> issuer = issuerOf(m_rootFile, *m_credentials);
    if (!issuer)
        return std::nullopt;
    return issuer->issue({.name = QLatin1StringView(JobsOfUp), .roles = {trust::Role::Viewer, trust::Role::Submit}});
}

async::Task<QString> LocalTrust::credentialsForJobs(zk::Client &session) const
{
    const jobs::Cluster cluster(session, m_layout, m_credentials);
    try {
        std::optional<trust::Credentials> ofJobs = credentialsOfJobs();
        if (!ofJobs)
            co_return QString();
        const QByteArray renewals = co_await jobs::readRenewals(cluster, ofJobs->ownCertificate().serial);
        if (!renewals.isEmpty())
            trust::takeRenewals(*ofJobs, renewals);
        ofJobs->servers = m_credentials->servers;
        ofJobs->write(m_jobsFile);
        const zk::Path place = m_layout.certificate(ofJobs->ownCertificate().serial);
        const zk::Answer<zk::Stat> published = co_await recipes::Persistent(session).exists(place);
        if (!published.ok()) // while a root key is replaced, another line than that of the file may be there
            co_await jobs::publishCertificate(cluster, *ofJobs);
        co_return m_jobsFile;
    } catch (const trust::BadCredentials &error) {
        throw CommandError(ExitDenied,
                           QStringLiteral("%1; or delete %2: drover up makes another")
                               .arg(QString::fromUtf8(error.what()), m_jobsFile));
    } catch (const trust::Untrusted &error) {
        throw CommandError(ExitDenied,
                           QStringLiteral("%1: %2; delete that file: drover up makes another")
                               .arg(m_jobsFile, QString::fromUtf8(error.what())));
    }
}

async::Task<void> LocalTrust::closeServer(zk::Client &session) const
{
    try {
        const jobs::Cluster cluster(session, m_layout);
        co_await jobs::closeTree(cluster, m_credentials->identities, m_credentials->formerIdentities);
        co_await jobs::updateDirectories(cluster, m_credentials->identities, m_credentials->formerIdentities);
        co_await publishRevocations(session);
        co_await jobs::closeAbove(session, m_admins);
    } catch (const zk::AccessDenied &) {
        throw CommandError(ExitDenied,
                           QStringLiteral("cluster %1 is closed by other credentials than those in %2: bring that file "
                                          "back, or move ZooKeeper's data away")
                               .arg(QString::fromLatin1(m_layout.clusterName()), m_file));
    } catch (const trust::BadCredentials &error) {
        throw CommandError(ExitDenied, QString::fromUtf8(error.what()));
    } catch (const trust::Untrusted &error) {
        throw CommandError(ExitDenied,
                           QStringLiteral("cluster %1: %2; drover user rm publishes the list again")
                               .arg(QString::fromLatin1(m_layout.clusterName()), QString::fromUtf8(error.what())));
    }
}

} // namespace drover::app
