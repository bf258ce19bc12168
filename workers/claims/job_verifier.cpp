#include "workers/claims/job_verifier.h"

#include "async/offload.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/decision/decision.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/persistent.h"

#include <QCryptographicHash>
#include <QLoggingCategory>

#include <set>

namespace drover::workers {

using jobs::JobRecord;
using trust::Untrusted;

Q_LOGGING_CATEGORY(lcVerifier, "drover.workers.job_verifier")

namespace {

// The starts of a tick are remembered for longer than a year, as a yearly schedule may run its latest one so late.
constexpr std::chrono::hours TicksMemory{24 * 400};
// An administrator may mend a certificate that is not believed.
constexpr std::chrono::minutes DisbeliefMemory{1};

// What a signature is for: tasks of an array and members of a gang differ, rounds of a gang do not.
ReplayJournal::Start startOf(const JobRecord &record, const jobs::JobSpec &spec, std::chrono::milliseconds now)
{
    const jobs::JobNotes &notes = spec.notes;
    QByteArray nonce = QCryptographicHash::hash(record.text, QCryptographicHash::Sha256).toHex();
    std::chrono::milliseconds startBy = spec.terms.startBy;
    if (record.isOfSchedule()) {
        nonce += '@' + QByteArray::number(qint64(notes.tick.count()));
        startBy = std::max(now, notes.tick) + TicksMemory;
    }
    const int rank = spec.gang > 0 ? notes.index % spec.gang : notes.index;
    return {record.certificate, nonce, rank, std::chrono::ceil<std::chrono::seconds>(startBy)};
}

} // namespace

JobVerifier::JobVerifier(jobs::Cluster cluster, const QString &spool)
    : m_cluster(std::move(cluster)),
      m_journal(spool.isEmpty() ? nullptr : std::make_shared<ReplayJournal>(m_cluster.zk.loop(), spool)),
      m_store(std::make_shared<trust::TrustStore>(m_cluster.credentials->anchors)),
      m_verifier(std::make_shared<trust::SignatureVerifier>())
{
}

async::Task<void> JobVerifier::readRevocations()
{
    co_await readHighestRevocations();
    const zk::Answer<zk::Node> node = co_await recipes::Persistent(m_cluster.zk).get(m_cluster.layout.revocations());
    if (node.ok())
        takeRevocations(node->data);
}

// That of earlier lives of this worker.
async::Task<void> JobVerifier::readHighestRevocations()
{
    if (!m_journal)
        co_return;
    try {
        const qint64 highest = co_await m_journal->highestRevocations();
        m_store->requireRevocations(highest);
    } catch (const ReplayJournal::Failed &error) {
        m_journalTrouble = QString::fromUtf8(error.what());
    }
}

// The list is noted once more: while the journal could not be written, a newer one may have come.
async::Task<QString> JobVerifier::tryJournal()
{
    if (!m_journal)
        co_return QString();
    m_journalTrouble.clear();
    co_await readHighestRevocations();
    co_await noteRevocations(m_store->revocations().number);
    try {
        co_await m_journal->tryToWrite();
    } catch (const ReplayJournal::Failed &error) {
        m_journalTrouble = QString::fromUtf8(error.what());
    }
    co_return m_journalTrouble;
}

// If the list is deleted, the last one holds.
async::Task<void> JobVerifier::followRevocations()
{
    const auto onChange = [this](const zk::Node *node) {
        if (node)
            takeRevocations(node->data);
    };
    try {
        co_await recipes::followData(m_cluster.zk, m_cluster.layout.revocations(), onChange);
    } catch (const zk::SessionLost &) {
        // So has this worker's life.
    } catch (const zk::Error &error) {
        qCWarning(lcVerifier, "the cluster's revocation list is not followed any more: %s", error.what());
    }
}

// Later lives of this worker know of it.
async::Task<void> JobVerifier::noteRevocations(qint64 number)
{
    try {
        co_await m_journal->highestRevocations(number);
    } catch (const ReplayJournal::Failed &error) {
        m_journalTrouble = QString::fromUtf8(error.what());
    }
}

// One that is not a root's, or is older than the present one, changes nothing.
void JobVerifier::takeRevocations(const QByteArray &line)
{
    try {
        m_store->revoke(line);
        if (m_journal)
            m_following.spawn(noteRevocations(m_store->revocations().number));
    } catch (const Untrusted &error) {
        qCWarning(lcVerifier, "the cluster's revocation list is not believed: %s", error.what());
    }
}

// What only a former root has signed is read again, and found wanting.
void JobVerifier::believe(const trust::Anchors &anchors)
{
    auto next = std::make_shared<trust::TrustStore>(anchors);
    next->requireRevocations(m_store->leastRevocations());
    next->adoptRevocations(m_store->revocations());
    m_store = std::move(next);
    m_disbelieved.clear();
}

async::Task<std::vector<JobVerifier::Verdict>> JobVerifier::judge(std::vector<Job> jobs)
{
    if (!std::exchange(m_hasRevocations, true)) {
        co_await readRevocations();
        m_following.spawn(followRevocations());
    }
    const std::shared_ptr<trust::TrustStore> store = m_store;
    std::vector<QByteArray> unread = unreadSerials(jobs, *store);
    if (!unread.empty())
        co_await readCertificates(std::move(unread), store);
    const std::chrono::milliseconds now = m_cluster.zk.loop().wallClock();
    std::vector<Verdict> verdicts(jobs.size());
    std::vector<Signature> signatures(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        try {
            verdicts[i].signer = jobs::requireSigner(jobs[i].record, *store, now);
            signatures[i] = {jobs[i].record, verdicts[i].signer->key};
        } catch (const Untrusted &error) {
            const auto reason = m_disbelieved.find(jobs[i].record.certificate);
            verdicts[i].refusal = reason == m_disbelieved.end() ? QString::fromUtf8(error.what()) : reason->second;
        }
    }
    co_await verify(signatures);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Verdict &verdict = verdicts[i];
        if (!verdict.refusal.isEmpty())
            continue;
        try {
            if (!signatures[i].isValid)
                throw Untrusted(QStringLiteral("its signature is not one of %1 for this job and cluster")
                                    .arg(std::exchange(verdict.signer, std::nullopt)->name));
            verdict.spec = jobs::JobSpec::decode(jobs[i].record, jobs[i].id.queue, jobs::QueueEntry::DefaultPriority);
            jobs::requireTerms(jobs[i].record, verdict.spec, jobs[i].id, *verdict.signer, now);
            verdict.start = startOf(jobs[i].record, verdict.spec, now);
        } catch (const Untrusted &error) {
            verdict.refusal = QString::fromUtf8(error.what());
        } catch (const jobs::Malformed &) {
            verdict.unreadable = std::current_exception();
        }
    }
    co_return verdicts;
}

std::vector<QByteArray> JobVerifier::unreadSerials(const std::vector<Job> &jobs, const trust::TrustStore &store)
{
    const async::TimePoint now = m_cluster.zk.loop().now();
    if (now - m_disbelievedSince > DisbeliefMemory || m_disbelieved.size() > trust::TrustStore::MaxCertificates) {
        m_disbelieved.clear();
        m_disbelievedSince = now;
    }
    std::set<QByteArray> serials;
    for (const Job &job : jobs) {
        const QByteArray &serial = job.record.certificate;
        if (trust::Certificate::isSerial(serial) && !store.find(serial) && !m_disbelieved.contains(serial))
            serials.insert(serial);
    }
    return {serials.begin(), serials.end()};
}

// Certificates that the cluster does not have are found missing by requireSigner(), and are read again for each job: they
// may have been published since.
async::Task<void> JobVerifier::readCertificates(std::vector<QByteArray> serials,
                                                std::shared_ptr<trust::TrustStore> store)
{
    std::vector<zk::Path> paths;
    for (const QByteArray &serial : serials)
        paths.push_back(m_cluster.layout.certificate(serial));
    const std::vector<zk::Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        try {
            if (nodes[i].ok() && store->add(nodes[i]->data).serial != serials[i])
                throw Untrusted(QStringLiteral("another certificate is in the place of its signer's"));
        } catch (const Untrusted &error) {
            m_disbelieved.emplace(serials[i], QString::fromUtf8(error.what()));
        }
    }
}

// Only those of signatures that are not known yet go to another thread.
async::Task<void> JobVerifier::verify(std::vector<Signature> &signatures)
{
    const QByteArray cluster = m_store->anchors().clusterId;
    std::vector<Signature> unknown;
    for (Signature &signature : signatures) {
        signature.isValid = jobs::isKnownSigned(signature.record, signature.key, cluster, *m_verifier);
        if (!signature.isValid && signature.record.isSigned())
            unknown.push_back(signature);
    }
    if (unknown.empty())
        co_return;
    const std::function<std::vector<bool>()> work = [unknown = std::move(unknown), verifier = m_verifier, cluster] {
        std::vector<bool> verified;
        for (const Signature &signature : unknown)
            verified.push_back(jobs::isSigned(signature.record, signature.key, cluster, *verifier));
        return verified;
    };
    const std::vector<bool> verified = co_await async::offload(m_cluster.zk.loop(), work);
    auto isValid = verified.begin();
    for (Signature &signature : signatures) {
        if (!signature.isValid && signature.record.isSigned())
            signature.isValid = *isValid++;
    }
}

async::Task<JobVerifier::Start> JobVerifier::noteStart(const ClaimedJob &job)
{
    return noteStart(job.start, job.spec.maxAttempts + job.spec.retry.limit + jobs::JobSpec::MaxForgiven);
}

async::Task<JobVerifier::Start> JobVerifier::noteStart(ReplayJournal::Start noted, int most)
{
    Start start;
    if (!m_journal)
        co_return start;
    try {
        const bool mayBegin = co_await m_journal->begin(noted, most);
        if (mayBegin)
            start.noted = std::make_shared<NotedStart>(m_journal, std::move(noted));
        else
            start.refusal = QStringLiteral("it has begun %1 times on this machine").arg(most);
    } catch (const ReplayJournal::Failed &error) {
        start.trouble = m_journalTrouble = QString::fromUtf8(error.what());
    }
    co_return start;
}

} // namespace drover::workers
