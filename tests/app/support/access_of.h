#pragma once

#include "jobs/cluster/acl_table.h"
#include "jobs/model/cluster.h"
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

// The cluster as the program has it with these credentials: what is submitted is signed.
inline jobs::Cluster signedCluster(zk::Client &zk, const trust::Credentials &credentials)
{
    auto mine = std::make_shared<const trust::Credentials>(trust::Credentials::decode(credentials.encode()));
    return {zk, jobs::Layout(credentials.cluster), std::move(mine)};
}

} // namespace drover::test
