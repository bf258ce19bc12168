#include "jobs/client/list_unfinished.h"

#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"

#include <QSet>

#include <algorithm>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;

async::Task<std::vector<ListedJob>> listUnfinished(Cluster cluster, QByteArrayList queues)
{
    const Answer<zk::Children> claims = co_await Persistent(cluster.zk).children(cluster.layout.claims());
    const QByteArrayList claimNames = claims.ok() ? claims->names : QByteArrayList();
    const QSet<QByteArray> claimed(claimNames.begin(), claimNames.end());
    std::vector<ListedJob> listed;
    for (const QByteArray &queue : queues) {
        const Answer<zk::Children> entries = co_await Persistent(cluster.zk).children(cluster.layout.queue(queue));
        for (const QByteArray &name : entries.ok() ? entries->names : QByteArrayList()) {
            const std::optional<QueueEntry> entry = QueueEntry::parse(name);
            if (!entry)
                continue;
            const JobId id = entry->idIn(queue);
            const bool isClaimed = claimed.contains(id.bytes());
            listed.push_back({id, *entry, isClaimed, isClaimed ? JobState::Running : unclaimedState(entry->jobClass)});
        }
    }
    std::sort(listed.begin(), listed.end(), [](const ListedJob &a, const ListedJob &b) { return a.id < b.id; });
    const auto twice = [](const ListedJob &a, const ListedJob &b) { return a.id == b.id; };
    listed.erase(std::unique(listed.begin(), listed.end(), twice), listed.end());
    co_return listed;
}

async::Task<void> readClaimsOf(Cluster cluster, std::vector<ListedJob> &listed)
{
    std::vector<ListedJob *> claimed;
    std::vector<zk::Path> paths;
    for (ListedJob &job : listed) {
        if (!job.claimed)
            continue;
        claimed.push_back(&job);
        paths.push_back(cluster.layout.claim(job.id));
    }
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        ListedJob &job = *claimed[i];
        job.claim = nodes[i].ok() ? tryDecode<Claim>(nodes[i]->data) : std::nullopt;
        if (job.claim)
            job.state = job.claim->state();
    }
}

async::Task<void> readListed(Cluster cluster, std::vector<ListedJob> listed,
                             std::function<void(const ListedJob &, const Answer<zk::Node> &)> got)
{
    for (std::size_t begin = 0; begin < listed.size(); begin += Flight) {
        std::vector<zk::Path> paths;
        for (std::size_t i = begin; i < std::min(listed.size(), begin + Flight); ++i)
            paths.push_back(cluster.layout.job(listed[i].id.queue, listed[i].entry));
        const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, std::move(paths));
        for (std::size_t i = 0; i < nodes.size(); ++i)
            got(listed[begin + i], nodes[i]);
    }
}

} // namespace drover::jobs
