#include "jobs/find_key.h"

#include "jobs/job_lookup.h"
#include "jobs/read_nodes.h"
#include "recipes/persist.h"

#include <QSet>

#include <algorithm>

namespace drover::jobs {

using recipes::persist;
using zk::Answer;

namespace {

bool hasKey(const QByteArray &json, const QString &key)
{
    try {
        return JsonFields(json, 1).string("key") == key;
    } catch (const Malformed &) {
        return false;
    }
}

struct Candidates {
    std::vector<JobId> ids;
    std::vector<zk::Path> paths; // of their nodes
};

async::Task<Candidates> list(zk::Coordinator &zk, zk::Path directory, QByteArray queue)
{
    const auto read = [&] { return zk.children(directory); };
    const Answer<zk::Children> children = co_await persist(zk, read);
    Candidates found;
    for (const QByteArray &name : children->names) {
        const std::optional<QueueEntry> entry = QueueEntry::parse(name);
        const std::optional<JobId> id = entry ? entry->idIn(queue) : JobId::parse(QString::fromUtf8(name));
        if (!id || id->queue != queue)
            continue;
        found.ids.push_back(*id);
        found.paths.push_back(directory / name);
    }
    co_return found;
}

// Which of them has the key; a flight of nodes in memory at a time. Those whose nodes have gone are added to `gone`.
async::Task<std::optional<JobId>> search(zk::Coordinator &zk, const Candidates &among, QString key,
                                         std::vector<JobId> &gone)
{
    for (std::size_t begin = 0; begin < among.paths.size(); begin += Flight) {
        const auto first = among.paths.begin() + static_cast<std::ptrdiff_t>(begin);
        const auto last =
            among.paths.begin() + static_cast<std::ptrdiff_t>(std::min(begin + Flight, among.paths.size()));
        const std::vector<Answer<zk::Node>> nodes = co_await readNodes(zk, std::vector<zk::Path>(first, last));
        for (std::size_t i = 0; i < nodes.size(); ++i) {
            if (nodes[i].ok() && hasKey(nodes[i]->data, key))
                co_return among.ids[begin + i];
            if (nodes[i].is(zk::Code::NoNode))
                gone.push_back(among.ids[begin + i]);
        }
    }
    co_return std::nullopt;
}

async::Task<bool> isKeyOf(zk::Coordinator &zk, Layout layout, JobId id, QString key)
{
    try {
        const JobView job = co_await lookUp(zk, layout, id);
        co_return (job.spec && job.spec->key == key) || (job.record && job.record->key == key);
    } catch (const NotFound &) {
    }
    co_return false;
}

} // namespace

async::Task<std::optional<JobId>> findByKey(zk::Coordinator &zk, Layout layout, QByteArray queue, QString key)
{
    const zk::Path queuePath = layout.queue(queue);
    const auto sync = [&] { return zk.sync(queuePath); };
    const Answer<zk::Nothing> synced = co_await persist(zk, sync);
    // The queue first: a job goes from it to done/, never back.
    std::vector<JobId> gone;
    const Candidates unfinished = co_await list(zk, queuePath, queue);
    std::optional<JobId> found = co_await search(zk, unfinished, key, gone);
    if (found)
        co_return found;
    const Candidates ended = co_await list(zk, layout.done(), queue);
    std::vector<JobId> removed;
    found = co_await search(zk, ended, key, removed);
    if (found)
        co_return found;
    // What has gone from its place and has not ended has another place in the queue.
    const QSet<JobId> known(ended.ids.begin(), ended.ids.end());
    for (const JobId &id : gone) {
        if (known.contains(id))
            continue;
        const bool ours = co_await isKeyOf(zk, layout, id, key);
        if (ours)
            co_return id;
    }
    co_return std::nullopt;
}

} // namespace drover::jobs
