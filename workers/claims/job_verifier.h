#pragma once

#include "async/task_group.h"
#include "jobs/model/cluster.h"
#include "jobs/model/job_id.h"
#include "jobs/model/job_spec.h"
#include "trust/batch_signature.h"
#include "trust/kept_revocations.h"
#include "trust/trust_store.h"
#include "workers/claims/claimed_job.h"
#include "workers/claims/replay_journal.h"

#include <exception>
#include <map>
#include <memory>
#include <optional>
#include <vector>

namespace drover::workers {

// Decides for the worker of a closed cluster which jobs it may run (core/jobs/decision/decision.h). It decides
// before each claim. Certificates that the worker has not seen yet are read from the cluster, and signatures are
// verified on a thread of the loop's pool. Jobs that were signed together cost one verification, and so do the tasks of
// an array. A job whose batch has been verified before costs some hashes, and needs no other thread.
class JobVerifier
{
public:
    struct Verdict {
        std::optional<trust::Certificate> signer; // of the job's text; empty: no
        bool isSigned = false; // by a person of the cluster, whose certificate may be over or revoked
        QString refusal; // why it must not run
        std::exception_ptr unreadable; // why it is Malformed, or of a newer format
        jobs::JobSpec spec; // otherwise
        ReplayJournal::Start start; // for noteStart()
        QString replay; // it has begun here as often as it may. Asked only for a while after noteStart() has found one
    };

    // The cluster has credentials: their anchors are what is believed. The journal is in `spool`, and so are the
    // revocation lists that were seen (trust/kept_revocations.h). Empty: none is kept. A job that is put back runs
    // again then, and a new life of the worker knows only the list that is published. `clock`: see ReplayJournal.
    JobVerifier(jobs::Cluster cluster, const QString &spool, const zk::ServerClock *clock = nullptr);

    // A verdict for each of them, by ClaimedJob::stored. They outlive the task. The first call reads the revoked
    // certificates, which are followed from then on. Throws SessionLost.
    async::Task<std::vector<Verdict>> judge(const std::vector<ClaimedJob> &jobs);

    // Empty, or why this worker cannot tell which jobs it may run; it must leave them as they are then. It has no
    // revocation list that it believes, or cannot read the lists that it has kept. The next judge() tries to read the
    // kept lists again. Ask after judge().
    QString undecided() const;

    // Believes these from the next judge() on: the cluster's root key is being replaced.
    void believe(const trust::Anchors &anchors);

    // Whether the job may begin now. Its start is in the journal then. So a job that is put back after its end does not
    // begin for ever. It begins as often as its attempts and retries allow, besides forgiven starts (NotedStart). A
    // gang's member may begin MaxForgiven times more: its round is given back for the loss of another member as well.
    struct Start {
        QString refusal; // it has begun here as often as it may
        QString trouble; // this machine cannot tell; it must not begin here
        std::shared_ptr<NotedStart> noted{}; // otherwise, if a journal is kept
    };
    async::Task<Start> noteStart(const ClaimedJob &job);

    // Why the journal could not be read or written when it last should have been; empty: it could. Or why the
    // revocation lists beside it could not be kept. tryJournal() writes both to find out, and returns such a reason.
    const QString &journalTrouble() const { return m_journalTrouble; }
    async::Task<QString> tryJournal();

private:
    struct Signature {
        jobs::JobRecord record;
        trust::PublicKey key;
        bool isValid = false;
    };

    using Reasons = std::map<QByteArray, QString>; // why a certificate is not believed, by serial

    async::Task<void> readRevocations();
    async::Task<void> followRevocations();
    async::Task<void> readKept();
    async::Task<void> keep(QByteArray line);
    void takeRevocations(const QByteArray &line);
    std::vector<QByteArray> unreadSerials(const std::vector<jobs::JobRecord> &records, const trust::TrustStore &store);
    async::Task<void> readCertificates(std::vector<QByteArray> serials, std::shared_ptr<trust::TrustStore> store);
    async::Task<void> verify(std::vector<Signature> &signatures);
    async::Task<Start> noteStart(ReplayJournal::Start start, int most);
    async::Task<void> findReplays(std::vector<Verdict> &verdicts);
    async::Task<void> findReplay(Verdict &verdict);

    jobs::Cluster m_cluster;
    std::shared_ptr<ReplayJournal> m_journal;
    std::shared_ptr<const trust::KeptRevocations> m_kept; // on threads of the pool; null: none are kept
    std::shared_ptr<trust::TrustStore> m_store; // replaced by believe(); who is judging keeps the one it has
    std::shared_ptr<trust::SignatureVerifier> m_verifier; // on threads of the pool
    QString m_journalTrouble;
    std::optional<async::TimePoint> m_replayedAt; // jobs were put back
    QString m_keptTrouble; // why the kept lists could not be read; empty: they could
    QByteArrayList m_unkept; // lists that could not be written yet
    Reasons m_disbelieved; // not read again for a while, in which jobs that name them may come by the thousand
    async::TimePoint m_disbelievedSince{};
    bool m_hasRevocations = false;
    async::TaskGroup m_following; // last: its tasks use the rest
};

} // namespace drover::workers
