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
    // A signature holds until then, from the time of signing or from the time at which the job is to start at first.
    static constexpr std::chrono::hours StartWithin{24 * 7};

    // Throws BadCredentials, Untrusted.
    explicit Signer(std::shared_ptr<const trust::Credentials> credentials);

    const trust::Certificate &certificate() const { return m_certificate; }

    // Throws trust::Untrusted for a job that no worker would run, because the certificate does not allow it.
    void requireAllowed(const JobSpec &job, std::chrono::milliseconds now) const;
    // Writes into the job whose it is, and for which queue and which time the signature holds. Before the job's text is
    // made.
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

// The stored job for another node, in that queue and with that key. It is another job now: of the person who makes it,
// in a closed cluster. Without a signer it is not signed. Throws Malformed, and Untrusted as requireAllowed() does.
JobRecord asAnother(const QByteArray &stored, const QByteArray &queue, const QString &key, const Signer *signer,
                    std::chrono::milliseconds now);

// Workers look for a signer's certificate in the cluster. Stores it there if it is missing; that it is there costs one
// round trip. Throws Untrusted if it is revoked, WrongState if it is missing and this client may not store it, and
// otherwise as publishCertificate() does.
async::Task<void> ensureCertificate(Cluster cluster);

} // namespace drover::jobs
