#include "jobs/signing/signing_lane.h"

namespace drover::jobs {

SigningLane::SigningLane(Cluster cluster) : m_cluster(std::move(cluster)), m_signer(signerOf(m_cluster)) { }

async::Task<std::shared_ptr<const SigningLane::Signed>> SigningLane::sign(JobSpec job)
{
    const auto wish = std::make_shared<Wish>();
    wish->made.job = std::move(job);
    m_wishes.push_back(wish);
    signSoon();
    co_await wish->done.wait();
    if (wish->error)
        std::rethrow_exception(wish->error);
    co_return std::shared_ptr<const Signed>(wish, &wish->made);
}

// From the loop: all that are asked for in this pass are signed together.
void SigningLane::signSoon()
{
    if (std::exchange(m_signsSoon, true))
        return;
    if (m_hasCertificate)
        m_guard.post(m_cluster.zk.loop(), [this] { signAll({}); });
    else
        m_underWay.spawn(findCertificate());
}

async::Task<void> SigningLane::findCertificate()
{
    std::exception_ptr error;
    try {
        co_await ensureCertificate(m_cluster);
        m_hasCertificate = true;
    } catch (...) {
        error = std::current_exception();
    }
    m_guard.post(m_cluster.zk.loop(), [this, error] { signAll(error); });
}

// `error`: why none can be signed.
void SigningLane::signAll(const std::exception_ptr &error)
{
    m_signsSoon = false;
    const Wishes wishes = std::exchange(m_wishes, {});
    if (error) {
        for (const std::shared_ptr<Wish> &wish : wishes)
            wish->error = error;
    } else {
        signTogether(wishes);
    }
    for (const std::shared_ptr<Wish> &wish : wishes)
        wish->done.set(); // who is resumed may destroy us
}

void SigningLane::signTogether(const Wishes &wishes) const
{
    const std::chrono::milliseconds now = m_cluster.zk.loop().wallClock();
    std::vector<JobRecord> records;
    std::vector<Wish *> ofRecords; // a job that cannot be encoded has none
    for (const std::shared_ptr<Wish> &wish : wishes) {
        try {
            m_signer->requireAllowed(wish->made.job, now);
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
