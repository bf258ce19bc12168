#pragma once

#include "async/task_group.h"
#include "jobs/signing/signer.h"

#include <deque>

namespace drover::jobs {

// Signs jobs on a thread of the loop's pool, because a signature takes a good part of the time of a submit. All that
// wait are signed at once. The first one also makes sure that the cluster has the signer's certificate.
class SigningLane
{
public:
    struct Signed {
        JobSpec job; // with its terms
        QByteArray stored; // its record
    };

    // The cluster must have credentials. Throws as Signer does.
    explicit SigningLane(Cluster cluster);

    // The jobs return in the order of the calls. Throws SpecTooLarge, WrongState (ensureCertificate), SessionLost.
    async::Task<Signed> sign(JobSpec job);

private:
    struct Wish {
        JobSpec job;
        async::Promise<Signed> promise{};
    };
    struct Outcome {
        Signed made;
        std::exception_ptr error{};
    };
    using Wishes = std::vector<std::shared_ptr<Wish>>;

    async::Task<void> signAll();
    async::Task<std::vector<Outcome>> signTogether(Wishes wishes);
    void answer(const Wishes &wishes, std::vector<Outcome> outcomes);

    Cluster m_cluster;
    std::shared_ptr<const Signer> m_signer;
    Wishes m_wishes;
    bool m_isSigning = false;
    bool m_hasCertificate = false; // the cluster
    async::TaskGroup m_underWay; // last: its tasks use the rest
};

} // namespace drover::jobs
