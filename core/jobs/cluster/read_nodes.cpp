#include "jobs/cluster/read_nodes.h"

#include "recipes/blocks/persistent.h"

#include <algorithm>

namespace drover::jobs {

using zk::Answer;

namespace {

using Nodes = std::vector<Answer<zk::Node>>;

async::Task<Nodes> readFlight(zk::Client &zk, std::vector<zk::Path> paths)
{
    std::vector<zk::Reply<zk::Node>> reading;
    for (const zk::Path &path : paths)
        reading.push_back(zk.get(path));
    Nodes nodes;
    for (std::size_t i = 0; i < paths.size(); ++i) {
        try {
            Answer<zk::Node> node = co_await reading[i];
            nodes.push_back(std::move(node));
        } catch (const zk::AccessDenied &error) {
            if (error.code() != zk::Code::NoAuth)
                throw;
            nodes.emplace_back(zk::Code::NoAuth, zk::Node(), "get", paths[i]);
        }
    }
    co_return nodes;
}

} // namespace

async::Task<Nodes> readNodes(zk::Client &zk, std::vector<zk::Path> paths)
{
    Nodes all;
    while (all.size() < paths.size()) {
        const auto begin = paths.begin() + static_cast<std::ptrdiff_t>(all.size());
        const auto end = begin + std::min(static_cast<std::ptrdiff_t>(Flight), paths.end() - begin);
        try {
            Nodes nodes = co_await readFlight(zk, std::vector<zk::Path>(begin, end));
            std::move(nodes.begin(), nodes.end(), std::back_inserter(all));
            continue;
        } catch (const zk::ConnectionLoss &) {
        }
        co_await zk.connected();
    }
    co_return all;
}

async::Task<std::vector<ReadChild>> readChildren(zk::Client &zk, zk::Path directory)
{
    const Answer<zk::Children> children = co_await recipes::Persistent(zk).children(directory);
    QByteArrayList names = children->names;
    std::sort(names.begin(), names.end());
    std::vector<zk::Path> paths;
    for (const QByteArray &name : names)
        paths.push_back(directory / name);
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(zk, std::move(paths));
    std::vector<ReadChild> all;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].ok())
            all.push_back({names[static_cast<qsizetype>(i)], *nodes[i]});
    }
    co_return all;
}

} // namespace drover::jobs
