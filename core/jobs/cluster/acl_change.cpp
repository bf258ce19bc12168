#include "jobs/cluster/acl_change.h"

namespace drover::jobs {

using zk::Answer;
using zk::Code;

AclChange changedTo(zk::AclList wanted)
{
    return [wanted = std::move(wanted)](const zk::Path &, const zk::AclList &) { return wanted; };
}

namespace {

// Whether the node has, or now gets, its list. False if another client has changed its ACL meanwhile. A node that has
// gone is done with.
async::Task<bool> giveOnce(zk::Client &zk, zk::Path path, const AclChange &change, int *changed)
{
    const Answer<zk::AclOfNode> present = co_await zk.acl(path);
    const zk::AclList wanted = present.ok() ? change(path, present->acl) : zk::AclList();
    if (!present.ok() || present->acl == wanted)
        co_return true;
    const Answer<zk::Nothing> set = co_await zk.setAcl(path, wanted, present->stat.aversion);
    if (set.ok())
        ++*changed;
    co_return !set.is(Code::BadVersion);
}

} // namespace

async::Task<void> giveAcl(zk::Client &zk, zk::Path path, AclChange change, int *changed)
{
    for (;;) {
        try {
            const bool given = co_await giveOnce(zk, path, change, changed);
            if (given)
                co_return;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

async::Task<void> giveAclWhereAllowed(zk::Client &zk, std::vector<zk::Path> paths, AclChange change, int *changed)
{
    for (const zk::Path &path : paths) {
        try {
            co_await giveAcl(zk, path, change, changed);
        } catch (const zk::AccessDenied &) {
        }
    }
}

async::Task<std::optional<zk::AclList>> presentAcl(zk::Client &zk, zk::Path path)
{
    for (;;) {
        try {
            const Answer<zk::AclOfNode> present = co_await zk.acl(path);
            if (!present.ok())
                co_return std::nullopt;
            co_return present->acl;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
}

} // namespace drover::jobs
