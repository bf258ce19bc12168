#pragma once

#include "async/event.h"
#include "async/post_guard.h"
#include "async/task_group.h"
#include "jobs/signing/signer.h"

#include <exception>
#include <memory>
#include <vector>

namespace drover::jobs {

// Encodes and signs jobs. All that are asked for in one pass of the event loop are signed together
// (trust/batch_signature.h). Few take the session's thread some 20 us. Many are encoded and signed on a thread of the
// pool, one pass after the other, so that the jobs stay in their order. What is asked for meanwhile is signed with the
// next. The first one also makes sure that the cluster has the signer's certificate.
class SigningLane
{
public:
    // The cluster must have credentials. Throws as Signer does.
    explicit SigningLane(Cluster cluster);

    static constexpr std::size_t Few = 8; // jobs: fewer are signed where they are asked for

    // The jobs return with their terms, in the order of the calls. Throws SpecTooLarge, Untrusted (requireAllowed),
    // WrongState (ensureCertificate), SessionLost.
    async::Task<std::shared_ptr<const NewJob>> sign(JobSpec job);

private:
    struct Wish {
        NewJob job;
        std::exception_ptr error;
        async::Event done;
    };
    using Wishes = std::vector<std::shared_ptr<Wish>>;

    void signSoon();
    async::Task<void> findCertificate();
    void signAll();
    async::Task<void> signElsewhere(Wishes wishes);
    void answer(const Wishes &wishes);
    static void fail(const Wishes &wishes, const std::exception_ptr &error);
    // On any thread.
    static void signTogether(const Signer &signer, const Wishes &wishes, std::chrono::milliseconds now);

    Cluster m_cluster;
    std::shared_ptr<const Signer> m_signer;
    Wishes m_wishes;
    bool m_signsSoon = false;
    bool m_hasCertificate = false; // the cluster
    async::PostGuard m_guard;
    async::TaskGroup m_underWay; // last: its tasks use the rest
};

} // namespace drover::jobs
