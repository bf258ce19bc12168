#include "files/append_guard.h"

#include "files/file_store.h"
#include "recipes/blocks/persistent.h"

namespace drover::files {

std::exception_ptr revokedBy(const zk::Path &guard)
{
    return std::make_exception_ptr(AppendRevoked("it may no longer be appended: " + guard.toString().toStdString()));
}

async::Task<std::exception_ptr> whyRefused(zk::Client &zk, zk::Transaction::Check guard)
{
    try {
        const zk::Answer<zk::Node> node = co_await recipes::Persistent(zk).afterSync(guard.path).get(guard.path);
        if (!node.ok() || node->stat.version != guard.version)
            co_return revokedBy(guard.path);
    } catch (const zk::AccessDenied &) {
        co_return std::current_exception();
    }
    co_return std::exception_ptr();
}

} // namespace drover::files
