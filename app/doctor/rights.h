#pragma once

#include "zk/types.h"

#include <map>

namespace drover::app {

// Which rights an ACL gives, by who has them: "world:anyone", "digest:NAME". A server shows the hash in an identity to
// administrators alone, so the user's name counts. While passwords are replaced, a role has two identities of one name.
using Rights = std::map<QByteArray, qint32>;

inline constexpr char Anyone[] = "world:anyone";
QByteArray holderOf(const zk::Acl &entry);
Rights rightsIn(const zk::AclList &list);

} // namespace drover::app
