#pragma once

#include "trust/credentials.h"
#include "zk/permissions.h"

#include <map>

namespace drover::jobs {

// Which rights an ACL gives, by who has them: "world:anyone", "digest:ROLE", and "digest:NAME:HASH" for a user that is
// no role. While passwords are replaced, a role has two identities. A server shows hashes to administrators alone: to
// others "NAME:x" is the role of that name.
using Rights = std::map<QByteArray, qint32>;

inline constexpr char Anyone[] = "world:anyone";
// `credentials` know the identities of the roles; null in an open cluster, where there are none.
QByteArray holderOf(const zk::Acl &entry, const trust::Credentials *credentials);
Rights rightsIn(const zk::AclList &list, const trust::Credentials *credentials);

// Whether workers have all of these rights by this ACL; true if it is not known who is a worker. In an open cluster
// each client may be one, so it is enough if one of the list has them.
bool mayWorkers(qint32 permissions, const zk::AclList &acl, const trust::Credentials *credentials);

} // namespace drover::jobs
