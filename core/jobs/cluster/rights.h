#pragma once

#include "trust/credentials.h"
#include "zk/types.h"

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

} // namespace drover::jobs
