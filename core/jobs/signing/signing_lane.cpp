#include "jobs/signing/signing_lane.h"

#include "async/offload.h"

namespace drover::jobs {

SigningLane::SigningLane(Cluster cluster) : m_cluster(std::move(cluster)), m_signer(signerOf(m_cluster)) { }

async::Task<std::shared_ptr<const NewJob>> SigningLane::sign(JobSpec job)
{
    const auto wish = std::make_shared<Wish>();
    wish->job.spec = std::move(job);
    m_wishes.push_back(wish);
    signSoon();
    co_await wish->done.wait();
    if (wish->error)
        std::rethrow_exception(wish->error);
    co_return std::shared_ptr<const NewJob>(wish, &wish->job);
}

// From the loop: all that are asked for in this pass are signed together.
void SigningLane::signSoon()
{
    if (std::exchange(m_signsSoon, true))
        return;
    if (m_hasCertificate)
        m_guard.post(m_cluster.zk.loop(), [this] { signAll(); });
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
    m_guard.post(m_cluster.zk.loop(), [this, error] {
        if (!error)
            return signAll();
        const Wishes wishes = std::exchange(m_wishes, {});
        fail(wishes, error);
        answer(wishes);
    });
}

void SigningLane::signAll()
{
    Wishes wishes = std::exchange(m_wishes, {});
    if (wishes.size() >= Few) {
        m_underWay.spawn(signElsewhere(std::move(wishes)));
        return;
    }
    signTogether(*m_signer, wishes, m_cluster.zk.loop().wallClock());
    answer(wishes);
}

async::Task<void> SigningLane::signElsewhere(Wishes wishes)
{
    const std::function<bool()> work = [signer = m_signer, wishes, now = m_cluster.zk.loop().wallClock()] {
        signTogether(*signer, wishes, now);
        return true;
    };
    try {
        const bool isDone = co_await async::offload(m_cluster.zk.loop(), work);
        Q_UNUSED(isDone)
    } catch (...) {
        fail(wishes, std::current_exception());
    }
    m_guard.post(m_cluster.zk.loop(), [this, wishes] { answer(wishes); });
}

// From the loop.
void SigningLane::answer(const Wishes &wishes)
{
    m_signsSoon = false;
    if (!m_wishes.empty())
        signSoon();
    for (const std::shared_ptr<Wish> &wish : wishes)
        wish->done.set(); // who is resumed may destroy us
}

void SigningLane::fail(const Wishes &wishes, const std::exception_ptr &error)
{
    for (const std::shared_ptr<Wish> &wish : wishes)
        wish->error = error;
}

void SigningLane::signTogether(const Signer &signer, const Wishes &wishes, std::chrono::milliseconds now)
{
    std::vector<JobRecord> records;
    std::vector<Wish *> ofRecords; // a job that cannot be encoded has none
    for (const std::shared_ptr<Wish> &wish : wishes) {
        try {
            signer.requireAllowed(wish->job.spec, now);
            signer.setTerms(wish->job.spec, now);
            records.push_back(wish->job.spec.record());
            ofRecords.push_back(wish.get());
        } catch (...) {
            wish->error = std::current_exception();
        }
    }
    signer.sign(records);
    for (std::size_t i = 0; i < records.size(); ++i)
        ofRecords[i]->job.data = records[i].bytes();
}

} // namespace drover::jobs
