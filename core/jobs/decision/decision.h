#pragma once

#include "jobs/model/job_id.h"
#include "jobs/model/job_spec.h"
#include "trust/batch_signature.h"
#include "trust/trust_store.h"

namespace drover::jobs {

// Whether a worker of a closed cluster may run a job, from what the worker pins and the job's own record. Nothing else
// in ZooKeeper counts. The steps, in their order:
//
//     requireSigner()   it is signed; the signer's certificate is a root's, is valid now, has the role `submit`
//     isSigned()        the signature is of this text, for this cluster
//     requireTerms()    it is for this queue and this time, of this signer; this task is one of the array; this tick is
//                       one of the schedule
//
// The text is decoded after isSigned(). requireSigner() and requireTerms() throw Untrusted. Clocks may differ by
// ClockError. A schedule that takes the place of another may run a tick of the last day before it was signed.
constexpr std::chrono::minutes ClockError{5};
constexpr std::chrono::hours EarlierTicks{24};

// The signer's certificate, which `store` must have.
const trust::Certificate &requireSigner(const JobRecord &record, const trust::TrustStore &store,
                                        std::chrono::milliseconds now);
// isKnownSigned() costs some 5 us, and is false for the first job of a batch. isSigned() takes 45 us for that one. From
// any thread.
bool isKnownSigned(const JobRecord &record, const trust::PublicKey &key, const QByteArray &clusterId,
                   trust::SignatureVerifier &verifier);
bool isSigned(const JobRecord &record, const trust::PublicKey &key, const QByteArray &clusterId,
              trust::SignatureVerifier &verifier);
// `job` is the decoded record. Throws Malformed, too.
void requireTerms(const JobRecord &record, const JobSpec &job, const JobId &id, const trust::Certificate &signer,
                  std::chrono::milliseconds now);

// Parts of requireTerms(), which throw as it does. requireTermsToWait() leaves out that an array is no job: an array's
// node waits, and only its tasks run. requireRights() leaves out time, tick and place: the signer may ask for this.
void requireTermsToWait(const JobRecord &record, const JobSpec &job, const JobId &id, const trust::Certificate &signer,
                        std::chrono::milliseconds now);
void requireRights(const JobSpec &job, const QByteArray &queue, const trust::Certificate &signer);

} // namespace drover::jobs
