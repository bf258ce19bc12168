#include "jobs/signing/signing_lane.h"

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
        std::vector<Outcome> outcomes;
        for (const std::shared_ptr<Wish> &wish : wishes)
            outcomes.push_back({.made = {std::move(wish->job), {}}});
        try {
            if (!m_hasCertificate)
                co_await ensureCertificate(m_cluster);
            m_hasCertificate = true;
            signEach(outcomes);
        } catch (...) {
            for (Outcome &outcome : outcomes)
                outcome.error = std::current_exception();
        }
        answer(wishes, std::move(outcomes));
    }
    m_isSigning = false;
}

// Those that can be encoded.
void SigningLane::signEach(std::vector<Outcome> &outcomes) const
{
    const std::chrono::milliseconds now = m_cluster.zk.loop().wallClock();
    std::vector<JobRecord> records;
    std::vector<Outcome *> ofRecords;
    for (Outcome &outcome : outcomes) {
        try {
            m_signer->setTerms(outcome.made.job, now);
            records.push_back(outcome.made.job.record());
            ofRecords.push_back(&outcome);
        } catch (...) {
            outcome.error = std::current_exception();
        }
    }
    m_signer->sign(records);
    for (std::size_t i = 0; i < records.size(); ++i)
        ofRecords[i]->made.stored = records[i].bytes();
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
