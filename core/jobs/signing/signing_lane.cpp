#include "jobs/signing/signing_lane.h"

#include "async/offload.h"

namespace drover::jobs {

SigningLane::SigningLane(Cluster cluster) : m_cluster(std::move(cluster)), m_signer(signerOf(m_cluster)) { }

async::Task<SigningLane::Signed> SigningLane::sign(JobSpec job)
{
    const auto wish = std::make_shared<Wish>(Wish{std::move(job)});
    const async::Future<Signed> made = wish->promise.future();
    m_wishes.push_back(wish);
    if (!std::exchange(m_isSigning, true))
        m_underWay.spawn(signAll());
    co_return co_await made;
}

// Begins in the loop's next turn: what is asked for at once is signed at once.
async::Task<void> SigningLane::signAll()
{
    co_await async::sleepFor(m_cluster.zk.loop(), async::Duration::zero());
    while (!m_wishes.empty()) {
        const Wishes wishes = std::exchange(m_wishes, {});
        std::vector<Outcome> outcomes(wishes.size());
        try {
            if (!m_hasCertificate)
                co_await ensureCertificate(m_cluster);
            m_hasCertificate = true;
            outcomes = co_await signTogether(wishes);
        } catch (...) {
            for (Outcome &outcome : outcomes)
                outcome.error = std::current_exception();
        }
        answer(wishes, std::move(outcomes));
    }
    m_isSigning = false;
}

async::Task<std::vector<SigningLane::Outcome>> SigningLane::signTogether(Wishes wishes)
{
    std::vector<JobSpec> jobs;
    for (const std::shared_ptr<Wish> &wish : wishes)
        jobs.push_back(wish->job);
    const std::chrono::milliseconds now = m_cluster.zk.loop().wallClock();
    const std::function<std::vector<Outcome>()> work = [signer = m_signer, jobs = std::move(jobs), now] {
        std::vector<Outcome> outcomes;
        for (const JobSpec &job : jobs) {
            Outcome &outcome = outcomes.emplace_back(Outcome{{job, {}}});
            try {
                signer->setTerms(outcome.made.job, now);
                JobRecord record = outcome.made.job.record();
                signer->sign(record);
                outcome.made.stored = record.bytes();
            } catch (...) {
                outcome.error = std::current_exception();
            }
        }
        return outcomes;
    };
    co_return co_await async::offload(m_cluster.zk.loop(), work);
}

// From the loop: who is resumed may destroy us.
void SigningLane::answer(const Wishes &wishes, std::vector<Outcome> outcomes)
{
    m_cluster.zk.loop().post([wishes, outcomes = std::move(outcomes)]() mutable {
        for (std::size_t i = 0; i < wishes.size(); ++i) {
            if (outcomes[i].error)
                wishes[i]->promise.fail(outcomes[i].error);
            else
                wishes[i]->promise.set(std::move(outcomes[i].made));
        }
    });
}

} // namespace drover::jobs
