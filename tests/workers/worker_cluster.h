#pragma once

#include "core/jobs/job_cluster.h"
#include "workers/claims/claimer.h"

namespace drover::test {

// A cluster whose jobs the test claims by hand, as the worker of one of the sessions.
class WorkerCluster : public JobCluster
{
public:
    using JobCluster::JobCluster;

    static QByteArray nameOf(int who) { return "w" + QByteArray::number(who); }

    std::vector<jobs::QueueEntry> ready() const { return jobs::readyInOrder(childrenOf(layout.queue("default"))); }

    static std::vector<workers::QueuedRefusal> inDefault(const std::vector<workers::RefusedJob> &refused)
    {
        std::vector<workers::QueuedRefusal> queued;
        for (const workers::RefusedJob &job : refused)
            queued.push_back({"default", job});
        return queued;
    }

    // Reads these jobs, and claims those that may be claimed.
    static async::Task<workers::Claims> claimAll(workers::Claimer &claimer, std::vector<jobs::QueueEntry> entries)
    {
        workers::Candidates found = co_await claimer.read("default", entries);
        const std::vector<workers::LeftJob> left = co_await claimer.endRefused(inDefault(found.refused));
        workers::Claims claims = co_await claimer.claim(std::move(found.jobs));
        for (const workers::LeftJob &job : left) {
            if (job.why != workers::Ended::Changed)
                claims.blocked.push_back(job.entry);
        }
        claims.blocked.insert(claims.blocked.end(), found.blocked.begin(), found.blocked.end());
        co_return claims;
    }

    workers::Claims claimReady(int who)
    {
        workers::Claimer claimer(jobs::Cluster((*this)[who], layout), QString::fromLatin1(nameOf(who)));
        return run(claimAll(claimer, ready()));
    }

    workers::ClaimedJob claimOne(int who)
    {
        submit();
        workers::Claims claims = claimReady(who);
        if (claims.jobs.size() != 1)
            throw std::runtime_error("one job was expected to be claimed");
        return claims.jobs.front();
    }

    // How often the job has been tried, as people count, once it has ended.
    int attemptsOf(const jobs::JobId &id) const
    {
        const jobs::FinalRecord record = recordOf(id);
        return record.attempts.number();
    }

    bool isClaimedBy(const jobs::JobId &id, int who)
    {
        const FakeTree::Znode *claim = server.tree().find(layout.claim(id));
        return claim && claim->stat.ephemeralOwner == (*this)[who].sessionId();
    }
};

} // namespace drover::test
