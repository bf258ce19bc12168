#pragma once

#include "core/jobs/job_party.h"
#include "workers/claimer.h"

namespace drover::test {

// A cluster whose jobs the test claims by hand, as the worker of one of the sessions.
class WorkerParty : public JobParty
{
public:
    using JobParty::JobParty;

    static QByteArray nameOf(int who) { return "w" + QByteArray::number(who); }

    std::vector<jobs::QueueEntry> ready() const { return jobs::readyInOrder(childrenOf(layout.queue("default"))); }

    workers::Claims claimReady(int who)
    {
        workers::Claimer claimer((*this)[who], layout, QString::fromLatin1(nameOf(who)));
        return run(claimer.claim("default", ready()));
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
        return record.attempt - record.unbegun;
    }

    bool isClaimedBy(const jobs::JobId &id, int who)
    {
        const FakeTree::Znode *claim = server.tree().find(layout.claim(id));
        return claim && claim->stat.ephemeralOwner == (*this)[who].sessionId();
    }
};

} // namespace drover::test
