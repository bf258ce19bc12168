#pragma once

#include "jobs/model/cluster.h"
#include "jobs/model/job_spec.h"
#include "trust/batch_signature.h"
#include "trust/credentials.h"

#include <memory>
#include <span>
#include <vector>

namespace drover::jobs {

// Signs jobs with the credentials of a person or a machine. All functions may be called from several threads at once.
class Signer
{
public:
    // How long a job may wait under one signature: from the signing, or from its earliest start if that is later.
    static constexpr std::chrono::hours StartWithin{24 * 7};

    // Throws BadCredentials, Untrusted.
    explicit Signer(std::shared_ptr<const trust::Credentials> credentials);

    const trust::Certificate &certificate() const { return m_certificate; }

    // Throws trust::Untrusted for a job that no worker would run, because the certificate does not allow it.
    void requireAllowed(const JobSpec &job, std::chrono::milliseconds now) const;
    // Writes the submitter into the job, and the queue and the times for which the signature holds. Call it before the
    // job's text is made: the signature is of that text.
    void setTerms(JobSpec &job, std::chrono::milliseconds now) const;
    void sign(JobRecord &record, trust::Purpose purpose = trust::Purpose::Job) const; // some 20 us
    void sign(std::vector<JobRecord> &records) const; // 20 us for each 32 of them

private:
    void signTogether(std::span<JobRecord> records, trust::Purpose purpose) const;

    std::shared_ptr<const trust::Credentials> m_credentials;
    trust::Certificate m_certificate;
};

// The cluster's signer; null in an open cluster. Throws as Signer does.
std::shared_ptr<const Signer> signerOf(const Cluster &cluster);

// A copy of the stored job, for a new node in `queue` and with the submit key `key`. In a closed cluster the submitter
// of the copy is the signer's person. A singleton waits there for the jobs of its name, though it may have waited for
// others of its name already. `signer` null: it is not signed. Throws Malformed, and Untrusted as requireAllowed()
// does.
JobRecord asAnother(const QByteArray &stored, const QByteArray &queue, const QString &key, const Signer *signer,
                    std::chrono::milliseconds now);

// Stores this client's certificate in the cluster, where workers look for it. It costs one round trip if the
// certificate is there already. Throws Untrusted if it is revoked, WrongState if it is missing and this client may not
// store it, and otherwise as publishCertificate() does.
async::Task<void> ensureCertificate(Cluster cluster);

} // namespace drover::jobs
