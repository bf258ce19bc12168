#include "recipes/side_directory.h"

#include "recipes/persist.h"

namespace drover::recipes {

async::Task<void> ensureSideDirectory(zk::Coordinator &zk, zk::Path directory)
{
    const auto create = [&] { return zk.create(directory, {}, zk::CreateMode::Container); };
    for (;;) {
        const zk::Answer<zk::Created> created = co_await persist(zk, create);
        if (created.ok() || created.is(zk::Code::NodeExists))
            co_return;
        if (!created.is(zk::Code::NoNode))
            created.require();
        co_await zk.ensurePath(directory.parent());
    }
}

} // namespace drover::recipes
