#pragma once

#include "jobs/cluster/acl_table.h"
#include "zk/access.h"

namespace drover::test {

// What a session has that uses these credentials as the program does.
inline zk::Access accessOf(const trust::Credentials &credentials)
{
    zk::Access access;
    for (const QByteArray &secret : credentials.digestSecrets())
        access.auth.push_back({QByteArrayLiteral("digest"), secret});
    access.acl = jobs::aclOfNewNodes(jobs::Layout(credentials.cluster), credentials.identities,
                                     credentials.formerIdentities, [](const zk::Path &) { return zk::openAcl(); });
    return access;
}

} // namespace drover::test
