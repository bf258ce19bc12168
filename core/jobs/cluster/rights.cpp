#include "jobs/cluster/rights.h"

#include <algorithm>

namespace drover::jobs {

namespace {

bool holds(const trust::Identities &identities, const QByteArray &identity)
{
    return std::any_of(identities.begin(), identities.end(), [&](const auto &role) { return role.second == identity; });
}

} // namespace

QByteArray holderOf(const zk::Acl &entry, const trust::Credentials *credentials)
{
    const bool isRole = credentials
        && (entry.id.endsWith(":x") || holds(credentials->identities, entry.id)
            || holds(credentials->formerIdentities, entry.id));
    return entry.scheme + ':' + (isRole ? entry.id.split(':').front() : entry.id);
}

Rights rightsIn(const zk::AclList &list, const trust::Credentials *credentials)
{
    Rights rights;
    for (const zk::Acl &entry : list)
        rights[holderOf(entry, credentials)] |= entry.permissions;
    return rights;
}

bool mayWorkers(qint32 permissions, const zk::AclList &acl, const trust::Credentials *credentials)
{
    Rights rights = rightsIn(acl, credentials);
    const auto areGiven = [permissions](qint32 given) { return (given & permissions) == permissions; };
    if (!credentials)
        return std::ranges::any_of(rights, [&](const auto &right) { return areGiven(right.second); });
    const auto worker = credentials->identities.find(trust::Role::Worker);
    if (worker == credentials->identities.end())
        return true;
    const QByteArray name = holderOf({0, QByteArrayLiteral("digest"), worker->second}, credentials);
    return areGiven(rights[name] | rights[Anyone]);
}

} // namespace drover::jobs
