#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "jobs/model/job_id.h"
#include "jobs/model/job_spec.h"
#include "trust/trust_store.h"
#include "workers/claims/claimed_job.h"
#include "workers/claims/replay_journal.h"

#include <QSet>

#include <deque>
#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace drover::workers {

// Decides for the worker of a closed cluster which jobs it may run (core/jobs/decision/decision.h). It decides
// before each claim. Certificates that the worker has not seen yet are read from the cluster,
// and signatures are verified on a thread of the loop's pool. The texts that were verified last are known, so the tasks
// of an array cost one verification.
class JobVerifier
{
public:
    static constexpr std::size_t MostKnown = 4096; // verified texts

    struct Job {
        jobs::JobId id;
        jobs::JobRecord record;
    };
    struct Verdict {
        std::optional<trust::Certificate> signer; // of the job's text; empty: no
        QString refusal; // why it must not run
        std::exception_ptr unreadable; // signed, and Malformed
        jobs::JobSpec spec; // otherwise
    };

    // The cluster has credentials: their anchors are what is believed. The journal is beside `spool`; empty: none is
    // kept, and a job that is put back runs again.
    JobVerifier(jobs::Cluster cluster, const QString &spool);

    // A verdict for each of them. The first call reads the revoked certificates, which are followed from then on. Throws
    // SessionLost.
    async::Task<std::vector<Verdict>> judge(std::vector<Job> jobs);

    // Whether the job may begin now. Its start is on the disk then. So a job that is put back after its end does not
    // begin for ever.
    struct Start {
        QString refusal; // it has begun here as often as it may
        QString trouble; // this machine cannot tell; it must not begin here
    };
    async::Task<Start> noteStart(ClaimedJob job);

private:
    struct Signature {
        jobs::JobRecord record;
        trust::PublicKey key;
        QByteArray digest; // of all that decides
        bool isValid = false;
    };

    using Reasons = std::map<QByteArray, QString>; // why a certificate is not believed, by serial

    async::Task<void> readRevocations();
    async::Task<void> followRevocations();
    async::Task<void> noteRevocations(qint64 number);
    void takeRevocations(const QByteArray &line);
    async::Task<Reasons> readCertificates(std::vector<Job> jobs);
    async::Task<std::vector<Signature>> verify(std::vector<Signature> signatures);
    void remember(const QByteArray &digest);

    jobs::Cluster m_cluster;
    std::unique_ptr<ReplayJournal> m_journal;
    trust::TrustStore m_store;
    QSet<QByteArray> m_known;
    std::deque<QByteArray> m_knownInOrder;
    bool m_hasRevocations = false;
    async::TaskGroup m_following; // last: its tasks use the rest
};

} // namespace drover::workers
