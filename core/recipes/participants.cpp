#include "recipes/participants.h"

#include "recipes/line.h"
#include "recipes/persist.h"

namespace drover::recipes {

using zk::Answer;

namespace {

async::Task<std::vector<Participant>> readAll(zk::Coordinator &zk, zk::Path directory, QByteArrayList names)
{
    std::vector<zk::Reply<zk::Node>> reading;
    for (const QByteArray &name : names)
        reading.push_back(zk.get(directory / name));
    std::vector<Participant> present;
    for (qsizetype i = 0; i < names.size(); ++i) {
        const Answer<zk::Node> node = co_await reading[static_cast<std::size_t>(i)];
        if (node.ok())
            present.push_back({{directory / names[i], node->stat.czxid, node->stat.ephemeralOwner}, node->data});
    }
    co_return present;
}

} // namespace

async::Task<std::vector<Participant>> participants(zk::Coordinator &zk, zk::Path directory)
{
    const auto list = [&] { return zk.children(directory); };
    for (;;) {
        const Answer<zk::Children> children = co_await persist(zk, list);
        try {
            std::vector<Participant> present = co_await readAll(zk, directory, inOrder(children->names));
            co_return present;
        } catch (const zk::ConnectionLoss &) {
        }
    }
}

} // namespace drover::recipes
