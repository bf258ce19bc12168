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
// While jobs are put back that have begun as often as they may, the journal is asked before each claim.
constexpr std::chrono::minutes ReplayMemory{1};

const char *missingAdvice(bool isKept)
{
    return isKept ? "the one that this worker has kept holds" : "this worker begins no job until it is published";
}

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

// The rounds of a gang are given back for the loss of another member.
int mostStarts(const jobs::JobSpec &spec)
{
    const int rounds = spec.gang > 0 ? jobs::JobSpec::MaxForgiven : 0;
    return spec.maxAttempts + spec.retry.limit + rounds;
}

QString hasBegun(int times)
{
    return QStringLiteral("it has begun %1 times on this machine").arg(times);
}

} // namespace

JobVerifier::JobVerifier(jobs::Cluster cluster, const QString &spool, const zk::ServerClock *clock)
    : m_cluster(std::move(cluster)),
      m_journal(spool.isEmpty() ? nullptr : std::make_shared<ReplayJournal>(m_cluster.zk.loop(), spool, clock)),
      m_kept(spool.isEmpty() ? nullptr
                             : std::make_shared<const trust::KeptRevocations>(
                                 spool + QStringLiteral("/revocations"), m_cluster.credentials->anchors.clusterId)),
      m_store(std::make_shared<trust::TrustStore>(m_cluster.credentials->anchors)),
      m_verifier(std::make_shared<trust::SignatureVerifier>())
{
}

async::Task<void> JobVerifier::readRevocations()
{
    if (m_kept)
        co_await readKept();
    const zk::Answer<zk::Node> node = co_await recipes::Persistent(m_cluster.zk).get(m_cluster.layout.revocations());
    if (node.ok())
        takeRevocations(node->data);
    else
        qCWarning(lcVerifier, "the cluster's revocation list is missing: %s", missingAdvice(m_store->hasRevocations()));
}

async::Task<QString> JobVerifier::tryJournal()
{
    if (!m_journal)
        co_return QString();
    m_journalTrouble.clear();
    const QByteArrayList unkept = m_unkept;
    for (const QByteArray &line : unkept)
        co_await keep(line);
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

// Lists of a root key that was replaced since are not believed: the new one has signed their successor.
async::Task<void> JobVerifier::readKept()
{
    const std::function<QByteArrayList()> work = [kept = m_kept] { return kept->read(); };
    QByteArrayList lines;
    QString trouble;
    try {
        lines = co_await async::offload(m_cluster.zk.loop(), work);
    } catch (const trust::BadCredentials &error) {
        trouble = QString::fromUtf8(error.what());
    }
    const bool isNew = trouble != std::exchange(m_keptTrouble, trouble);
    if (isNew && !trouble.isEmpty())
        qCWarning(lcVerifier, "%s", qPrintable(trouble));
    for (const QByteArray &line : lines) {
        try {
            m_store->revoke(line);
        } catch (const trust::Outdated &) {
            // It adds to the published one, which was taken over while this file could not be read.
        } catch (const Untrusted &error) {
            qCWarning(lcVerifier, "a revocation list in %s is not believed: %s", qPrintable(m_kept->path()),
                      error.what());
        }
    }
}

// Later lives of this worker know of it. Until it is written, the worker begins no job and tries again (tryJournal).
async::Task<void> JobVerifier::keep(QByteArray line)
{
    const std::function<bool()> work = [kept = m_kept, line] {
        kept->keep(line);
        return true;
    };
    try {
        co_await async::offload(m_cluster.zk.loop(), work);
        m_unkept.removeAll(line);
    } catch (const trust::BadCredentials &error) {
        m_journalTrouble = QString::fromUtf8(error.what());
        if (m_unkept.contains(line))
            co_return;
        qCWarning(lcVerifier, "a later life of this worker may believe an older revocation list: %s", error.what());
        m_unkept.append(line);
    }
}

// One that is not a root's changes nothing, and one that is older than the present one brings no person back.
void JobVerifier::takeRevocations(const QByteArray &line)
{
    try {
        m_store->revoke(line);
        if (m_kept)
            m_following.spawn(keep(line));
    } catch (const Untrusted &error) {
        qCWarning(lcVerifier, "the cluster's revocation list is not believed: %s", error.what());
    }
}

QString JobVerifier::undecided() const
{
    if (!m_keptTrouble.isEmpty())
        return m_keptTrouble + QStringLiteral("; without them it cannot tell which signed jobs it may run");
    if (m_store->hasRevocations())
        return {};
    return QStringLiteral(
        "there is no revocation list that it believes, so it cannot tell which signed jobs it may run; "
        "an administrator publishes the list again with drover user rm");
}

// What only a former root has signed is read again, and found wanting.
void JobVerifier::believe(const trust::Anchors &anchors)
{
    auto next = std::make_shared<trust::TrustStore>(anchors);
    next->adoptRevocations(*m_store);
    m_store = std::move(next);
    m_disbelieved.clear();
}

async::Task<std::vector<JobVerifier::Verdict>> JobVerifier::judge(const std::vector<ClaimedJob> &jobs)
{
    std::vector<Verdict> verdicts(jobs.size());
    std::vector<JobRecord> records(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        try {
            records[i] = JobRecord::parse(jobs[i].stored);
        } catch (const jobs::Malformed &) {
            verdicts[i].unreadable = std::current_exception();
        }
    }
    if (!std::exchange(m_hasRevocations, true)) {
        co_await readRevocations();
        m_following.spawn(followRevocations());
    } else if (!m_keptTrouble.isEmpty()) {
        co_await readKept();
    }
    const std::shared_ptr<trust::TrustStore> store = m_store;
    std::vector<QByteArray> unread = unreadSerials(records, *store);
    if (!unread.empty())
        co_await readCertificates(std::move(unread), store);
    const std::chrono::milliseconds now = m_cluster.zk.loop().wallClock();
    std::vector<Signature> signatures(jobs.size());
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        if (verdicts[i].unreadable)
            continue;
        try {
            verdicts[i].signer = jobs::requireSigner(records[i], *store, now);
            signatures[i] = {records[i], verdicts[i].signer->key};
        } catch (const Untrusted &error) {
            const auto reason = m_disbelieved.find(records[i].certificate);
            verdicts[i].refusal = reason == m_disbelieved.end() ? QString::fromUtf8(error.what()) : reason->second;
            if (const trust::Certificate *const over = store->find(records[i].certificate))
                signatures[i] = {records[i], over->key};
        }
    }
    co_await verify(signatures);
    for (std::size_t i = 0; i < jobs.size(); ++i) {
        Verdict &verdict = verdicts[i];
        verdict.isSigned = signatures[i].isValid;
        if (!verdict.refusal.isEmpty() || verdict.unreadable)
            continue;
        try {
            if (!signatures[i].isValid)
                throw Untrusted(QStringLiteral("its signature is not one of %1 for this job and cluster")
                                    .arg(std::exchange(verdict.signer, std::nullopt)->name));
            verdict.spec = jobs::JobSpec::decode(records[i], jobs[i].id.queue, jobs::QueueEntry::DefaultPriority);
            jobs::requireTerms(records[i], verdict.spec, jobs[i].id, *verdict.signer, now);
            verdict.start = startOf(records[i], verdict.spec, now);
        } catch (const Untrusted &error) {
            verdict.refusal = QString::fromUtf8(error.what());
        } catch (const jobs::Malformed &) {
            verdict.unreadable = std::current_exception();
        }
    }
    co_await findReplays(verdicts);
    co_return verdicts;
}

// Each claim of such a job would be in vain. One that appends to a file is left to its claim: the file is asked then.
async::Task<void> JobVerifier::findReplays(std::vector<Verdict> &verdicts)
{
    const bool areExpected = m_replayedAt && m_cluster.zk.loop().now() - *m_replayedAt < ReplayMemory;
    if (!m_journal || !areExpected)
        co_return;
    async::TaskGroup looking; // together, for the disk
    for (Verdict &verdict : verdicts) {
        if (verdict.refusal.isEmpty() && !verdict.unreadable && verdict.spec.appendTo.isEmpty())
            looking.spawn(findReplay(verdict));
    }
    co_await looking.drained();
}

async::Task<void> JobVerifier::findReplay(Verdict &verdict)
{
    const int most = mostStarts(verdict.spec);
    try {
        const bool isReplay = co_await m_journal->hasBegun(verdict.start, most);
        if (!isReplay)
            co_return;
        verdict.replay = hasBegun(most);
        m_replayedAt = m_cluster.zk.loop().now();
    } catch (const ReplayJournal::Failed &error) {
        m_journalTrouble = QString::fromUtf8(error.what());
    }
}

std::vector<QByteArray> JobVerifier::unreadSerials(const std::vector<JobRecord> &records,
                                                   const trust::TrustStore &store)
{
    const async::TimePoint now = m_cluster.zk.loop().now();
    if (now - m_disbelievedSince > DisbeliefMemory || m_disbelieved.size() > trust::TrustStore::MaxCertificates) {
        m_disbelieved.clear();
        m_disbelievedSince = now;
    }
    std::set<QByteArray> serials;
    for (const JobRecord &record : records) {
        const QByteArray &serial = record.certificate;
        if (trust::Certificate::isSerial(serial) && !store.find(serial) && !m_disbelieved.contains(serial))
            serials.insert(serial);
    }
    return {serials.begin(), serials.end()};
}

// Certificates that the cluster does not have are found missing by requireSigner(), and are read again for each job:
// they may have been published since.
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
    return noteStart(job.start, mostStarts(job.spec));
}

async::Task<JobVerifier::Start> JobVerifier::noteStart(ReplayJournal::Start noted, int most)
{
    Start start;
    if (!m_journal)
        co_return start;
    try {
        const bool mayBegin = co_await m_journal->begin(noted, most);
        if (mayBegin) {
            start.noted = std::make_shared<NotedStart>(m_journal, std::move(noted));
        } else {
            start.refusal = hasBegun(most);
            m_replayedAt = m_cluster.zk.loop().now();
        }
    } catch (const ReplayJournal::Failed &error) {
        start.trouble = m_journalTrouble = QString::fromUtf8(error.what());
    }
    co_return start;
}

} // namespace drover::workers
