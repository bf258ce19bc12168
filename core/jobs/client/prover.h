#pragma once

#include "jobs/client/resubmit.h"
#include "jobs/schedules/schedules.h"
#include "trust/batch_signature.h"
#include "trust/trust_store.h"

namespace drover::jobs {

// Verifies that a person who may submit has signed what is stored in ZooKeeper. A person who moves a job, resubmits it
// or runs a schedule now signs it with their own key, so that workers run it. A client that can write to ZooKeeper
// could put a job there and wait for such a person. So the stored data are verified first, as a worker does it
// (decision.h). Their signer must be allowed to submit to that queue, and to have the job run as that user.
//
// It belongs to one cluster and one person. In an open cluster nothing is signed, and all is proven. All functions but
// learn() throw Untrusted that names the job or the schedule, and says why it is not signed anew. All wait out lost
// connections and throw SessionLost.
class Prover
{
public:
    explicit Prover(Cluster cluster);

    // Reads the revocation list, at the first call, and the certificate of that serial. Throws Untrusted without a list
    // that can be believed. A certificate that is missing or not believed is not known then.
    async::Task<void> learn(QByteArray serial);

    // A job that waits, or an array that has not begun, from the data of its node. Its signer's certificate must have
    // been learned and be valid now. A worker would run it when its time comes, so it is not too late for it either.
    // Throws Malformed, too.
    void requireWaiting(const JobId &id, const QByteArray &stored);

    // As jobToResubmit(), for a job that is proven. It may be too late for it. Of one that has ended the certificate
    // must have been valid when the job was signed, and must not be revoked.
    async::Task<JobSpec> jobToResubmit(JobView view, Resubmission resubmission);

    // A schedule, with its name. Whether it was removed since it was signed is not known.
    async::Task<void> requireSchedule(StoredSchedule schedule);

private:
    trust::Certificate requireSigner(const JobRecord &record, std::chrono::milliseconds at);

    Cluster m_cluster;
    std::optional<trust::TrustStore> m_known; // nothing in an open cluster
    bool m_hasRevocations = false;
    trust::SignatureVerifier m_verifier;
};

} // namespace drover::jobs
