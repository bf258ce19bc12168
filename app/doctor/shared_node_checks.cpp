#include "app/doctor/checks.h"
#include "jobs/cluster/acl_table.h"
#include "jobs/cluster/rights.h"
#include "zk/error.h"
#include "zk/permissions.h"

#include <algorithm>
#include <vector>

namespace drover::app {

using zk::Answer;

namespace {

constexpr qsizetype Most = 1000; // of locks, and of limits
constexpr qint32 Needed = zk::AllPermissions & ~zk::AdminPermission;

// The roles that have fewer rights there than Drover gives them; "others" in an open cluster.
QStringList rolesWithoutRights(const jobs::Cluster &cluster, const zk::Path &path, const zk::AclList &acl)
{
    const trust::Credentials *const credentials = cluster.credentials.get();
    jobs::Rights present = jobs::rightsIn(acl, credentials);
    const qint32 missing = Needed & ~present[jobs::Anyone];
    if (!credentials)
        return missing == 0 ? QStringList() : QStringList(QStringLiteral("others"));
    QStringList roles;
    for (const zk::Acl &wanted : jobs::aclOf(cluster.layout, path, credentials->identities)) {
        if ((wanted.permissions & missing & ~present[jobs::holderOf(wanted, credentials)]) == 0)
            continue;
        for (const auto &[role, identity] : credentials->identities) {
            if (identity == wanted.id)
                roles.append(QString::fromLatin1(trust::roleName(role)));
        }
    }
    return roles;
}

struct Asked {
    zk::Path path;
    QString subject;
    zk::Reply<zk::AclOfNode> reply;
};

async::Task<void> checkNode(jobs::Cluster cluster, Asked asked, Findings &findings)
{
    const zk::Path &path = asked.path;
    QString what;
    try {
        const Answer<zk::AclOfNode> answer = co_await asked.reply;
        const QStringList roles = answer.ok() ? rolesWithoutRights(cluster, path, answer->acl) : QStringList();
        if (!roles.isEmpty())
            what = QStringLiteral("its ACL keeps %1 from it").arg(roles.join(QStringLiteral(", ")));
    } catch (const zk::AccessDenied &) {
        what = QStringLiteral("its ACL keeps you from it");
    }
    if (!what.isEmpty())
        findings.append({Finding::Level::Warning, asked.subject,
                         what + QStringLiteral(": jobs and commands that need it do not get it"),
                         QStringLiteral("another program has made %1; use another name, or have that program delete it "
                                        "while it is free, and Drover makes it anew")
                             .arg(path.toString())});
}

async::Task<void> checkBelow(jobs::Cluster cluster, zk::Path directory, QString kind, Findings &findings)
{
    const Answer<zk::Children> children = co_await cluster.zk.children(directory);
    QByteArrayList names = children.ok() ? children->names : QByteArrayList();
    std::sort(names.begin(), names.end());
    std::vector<Asked> all; // at once
    for (const QByteArray &name : names.first(std::min(names.size(), Most))) {
        const zk::Path path = directory / name;
        all.push_back({path, kind + QString::fromUtf8(name), cluster.zk.acl(path)});
    }
    for (const Asked &asked : all)
        co_await checkNode(cluster, asked, findings);
}

} // namespace

async::Task<void> checkSharedNodes(jobs::Cluster cluster, Findings &findings)
{
    co_await checkBelow(cluster, cluster.layout.locks(), QStringLiteral("lock "), findings);
    co_await checkBelow(cluster, cluster.layout.limits(), QStringLiteral("limit "), findings);
}

} // namespace drover::app
