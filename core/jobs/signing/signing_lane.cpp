#include "jobs/signing/signing_lane.h"

namespace drover::jobs {

SigningLane::SigningLane(Cluster cluster) : m_cluster(std::move(cluster)), m_signer(signerOf(m_cluster)) { }

async::Task<SigningLane::Signed> SigningLane::sign(JobSpec job)
{
    const auto wish = std::make_shared<Wish>();
    wish->made.job = std::move(job);
    m_wishes.push_back(wish);
    if (!std::exchange(m_isSigning, true))
        m_underWay.spawn(signAll());
    co_await wish->done.wait();
    if (wish->error)
        std::rethrow_exception(wish->error);
    co_return std::move(wish->made);
}

// Begins in the loop's next turn: what is asked for at once is signed at once.
async::Task<void> SigningLane::signAll()
{
    co_await async::sleepFor(m_cluster.zk.loop(), async::Duration::zero());
    while (!m_wishes.empty()) {
        const Wishes wishes = std::exchange(m_wishes, {});
        try {
            if (!m_hasCertificate)
                co_await ensureCertificate(m_cluster);
            m_hasCertificate = true;
            signTogether(wishes);
        } catch (...) {
            for (const std::shared_ptr<Wish> &wish : wishes)
                wish->error = std::current_exception();
        }
        m_cluster.zk.loop().post([wishes] { // from the loop: who is resumed may destroy us
            for (const std::shared_ptr<Wish> &wish : wishes)
                wish->done.set();
        });
    }
    m_isSigning = false;
}

void SigningLane::signTogether(const Wishes &wishes) const
{
    const std::chrono::milliseconds now = m_cluster.zk.loop().wallClock();
    std::vector<JobRecord> records;
    std::vector<Wish *> ofRecords; // a job that cannot be encoded has none
    for (const std::shared_ptr<Wish> &wish : wishes) {
        try {
            m_signer->setTerms(wish->made.job, now);
            records.push_back(wish->made.job.record());
            ofRecords.push_back(wish.get());
        } catch (...) {
            wish->error = std::current_exception();
        }
    }
    m_signer->sign(records);
    for (std::size_t i = 0; i < records.size(); ++i)
        ofRecords[i]->made.stored = records[i].bytes();
}

} // namespace drover::jobs
