#include "workers/claims/reporter.h"

#include "jobs/client/cancel_job.h"
#include "jobs/client/reposition.h"
#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"
#include "zk/transaction_batch.h"

#include <QLoggingCategory>
#include <QSet>

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using recipes::Persistent;
using zk::Answer;

Q_LOGGING_CATEGORY(lcReporter, "drover.workers.reporter")

namespace {

constexpr std::size_t MaxBatch = 16;
constexpr std::size_t GatherCount = 8; // more would hardly make a transaction cheaper
constexpr auto GatherTime = 4ms;
constexpr auto RemovalPause = 1min; // an administrator may give the right back at any time, and no watch fires

void answer(const Report &report, bool isStored)
{
    if (report.answered)
        report.answered(isStored);
}

bool isCancelled(const QByteArray &spec, const jobs::JobId &id)
{
    const std::optional<jobs::JobSpec> read = jobs::tryDecode<jobs::JobSpec>(spec, id.queue, 0);
    return read && read->notes.cancelled;
}

} // namespace

void Reporter::finish(const ClaimedJob &job, const jobs::FinalRecord &record, Answered answered)
{
    add(Kind::Finish, job, record.encode(), {}, std::move(answered));
}

void Reporter::giveBackUnstarted(const ClaimedJob &job)
{
    giveBackUncounted(job, jobs::reasonOfCancel(job.spec, job.attempts.claimVersion - 1));
}

void Reporter::requeue(const ClaimedJob &job)
{
    giveBackUncounted(job, QStringLiteral("cancelled when it was to be tried again"));
}

void Reporter::giveBackUncounted(const ClaimedJob &job, const QString &ifCancelled)
{
    jobs::FinalRecord record =
        jobs::FinalRecord::withoutRun(job.id, job.spec, jobs::FinalRecord::Outcome::Cancelled, ifCancelled,
                                      job.attempts.claimVersion, m_cluster.zk.loop().wallClock());
    record.attempts = job.attempts.afterReturn();
    record.keepSigned(job.stored, job.entry.priority);
    add(Kind::GiveBackUnstarted, job, record.encode(), jobs::noted(job.stored, &jobs::JobNotes::countReturned));
}

void Reporter::retry(const ClaimedJob &job, std::chrono::milliseconds notBefore, int exitCode,
                     const jobs::FinalRecord &ifCancelled, Answered answered)
{
    QByteArray noted = jobs::noted(job.stored, [&](jobs::JobNotes &notes) { notes.countFailed(exitCode, notBefore); });
    add(Kind::Retry, job, ifCancelled.encode(), std::move(noted), std::move(answered));
}

void Reporter::add(Kind kind, const ClaimedJob &job, QByteArray record, QByteArray data, Answered answered)
{
    Report report{kind, job, job.fenceVersion(), std::move(record), std::move(data), std::move(answered)};
    report.job.load = nullptr; // this and the next end with the caller's copy of the job
    report.job.noted = nullptr;
    m_waiting.push_back(std::move(report));
    m_added.set();
}

std::vector<Report> Reporter::unanswered() const
{
    std::vector<Report> reports = m_sending;
    reports.insert(reports.end(), m_waiting.begin(), m_waiting.end());
    std::erase_if(reports, [](const Report &report) { return report.kind != Kind::GiveBackUnstarted; });
    for (Report &report : reports)
        report.job.held = nullptr;
    return reports;
}

void Reporter::add(std::vector<Report> reports)
{
    std::move(reports.begin(), reports.end(), std::back_inserter(m_waiting));
    if (!m_waiting.empty())
        m_added.set();
}

void Reporter::expectMore(bool expected)
{
    m_moreExpected = expected;
    if (!expected)
        m_added.notify();
}

async::Task<void> Reporter::run()
{
    for (;;) {
        co_await m_added.wait();
        m_added.reset();
        while (!m_waiting.empty()) {
            if (m_moreExpected)
                co_await gather();
            const std::size_t count = std::min(m_waiting.size(), MaxBatch);
            const auto end = m_waiting.begin() + static_cast<std::ptrdiff_t>(count);
            m_sending.assign(std::move_iterator(m_waiting.begin()), std::move_iterator(end));
            m_waiting.erase(m_waiting.begin(), end);
            co_await send();
            m_answered.notify();
        }
    }
}

async::Task<void> Reporter::gather()
{
    bool late = false;
    const async::Timer end = m_cluster.zk.loop().after(GatherTime, [&] {
        late = true;
        m_added.notify();
    });
    while (m_moreExpected && !late && m_waiting.size() < GatherCount) {
        m_added.reset();
        co_await m_added.wait();
    }
}

async::Task<void> Reporter::flushed()
{
    while (!m_sending.empty() || !m_waiting.empty())
        co_await m_answered.wait();
}

void Reporter::append(zk::Transaction &transaction, const Report &report) const
{
    const zk::Path job = m_cluster.layout.job(report.job.id.queue, report.job.entry);
    jobs::QueueEntry later = report.job.entry;
    switch (report.kind) {
    case Kind::Finish:
        transaction.remove(job, report.version).create(m_cluster.layout.done(report.job.id), report.record);
        break;
    case Kind::GiveBack:
        transaction.check(job, report.version);
        break;
    case Kind::GiveBackUnstarted:
        transaction.set(job, report.data, report.version);
        break;
    case Kind::Retry:
        later.jobClass = jobs::QueueEntry::Class::Waiting;
        jobs::reposition(transaction, m_cluster.layout, report.job.id.queue, report.job.entry, later, report.version,
                         report.data);
        break;
    case Kind::Drop:
        transaction.remove(job, report.version);
        break;
    }
    if (!report.job.claimHasGone)
        transaction.remove(m_cluster.layout.claim(report.job.id));
}

// A claim that goes changes nothing that idle workers watch. Once for each queue of which a job is claimable again.
void Reporter::wakeIdle(zk::Transaction &transaction, std::size_t count) const
{
    QSet<QByteArray> queues;
    for (std::size_t i = 0; i < count; ++i) {
        const Kind kind = m_sending[i].kind;
        const QByteArray &queue = m_sending[i].job.id.queue;
        const bool isGivenBack = kind == Kind::GiveBack || kind == Kind::GiveBackUnstarted;
        if (!isGivenBack || queues.contains(queue))
            continue;
        queues.insert(queue);
        const zk::Path passing = m_cluster.layout.returned(queue);
        transaction.create(passing, {}).remove(passing);
    }
}

// What may not be reported, or is too large, takes no other along: after such an answer, which names no report, each is
// sent alone. Without its wake first: that may be what is refused.
async::Task<void> Reporter::send()
{
    std::size_t most = MaxBatch;
    bool wakes = true;
    while (!m_sending.empty()) {
        QString trouble;
        try {
            co_await sendSome(most, wakes);
            continue;
        } catch (const zk::AccessDenied &error) {
            if (error.code() != zk::Code::NoAuth)
                throw; // the session has ended
            trouble = QString::fromUtf8(error.what());
        } catch (const zk::RequestTooLarge &error) {
            trouble = QString::fromUtf8(error.what());
        }
        if (std::exchange(most, 1) > 1 || std::exchange(wakes, false))
            continue;
        co_await giveUp(trouble);
        wakes = true;
    }
}

// Sends the first reports, so many at most, in one transaction. `wakes`: with wakeIdle().
async::Task<void> Reporter::sendSome(std::size_t most, bool &wakes)
{
    zk::TransactionBatch batch;
    for (const Report &report : m_sending) {
        zk::Transaction operations;
        append(operations, report);
        if (batch.count() == most || !batch.add(operations))
            break; // the others follow
    }
    zk::Transaction transaction = batch.transaction();
    if (wakes)
        wakeIdle(transaction, batch.count());
    const Answer<zk::Committed> committed = co_await Persistent(m_cluster.zk).commit(transaction);
    if (committed.ok()) {
        const auto others = m_sending.begin() + static_cast<std::ptrdiff_t>(batch.count());
        std::for_each(m_sending.begin(), others,
                      [](const Report &report) { answer(report, report.kind == Report::Kind::Finish); });
        m_sending.erase(m_sending.begin(), others);
        wakes = true;
        co_return;
    }
    const std::optional<std::size_t> failed = committed->refusedAt();
    if (!failed)
        committed.require();
    if (*failed >= batch.transaction().size()) { // another program has created this node
        wakes = false;
        co_return;
    }
    const auto refused = m_sending.begin() + static_cast<std::ptrdiff_t>(batch.at(*failed));
    bool isStored = false;
    std::optional<Report> another = co_await afterRefusal(*refused, isStored);
    if (!another)
        answer(*refused, isStored);
    m_sending.erase(refused);
    if (another)
        m_sending.push_back(std::move(*another));
}

// The first one: no server takes it. Its job stays as it is, and others may claim it.
async::Task<void> Reporter::giveUp(QString trouble)
{
    const Report report = m_sending.front();
    const ClaimedJob &job = report.job;
    qCWarning(lcReporter, "the end of attempt %d of %s cannot be reported: %s", job.attempts.claimVersion,
              job.id.bytes().constData(), qPrintable(trouble));
    const bool removed = co_await removeClaim(job.id, job.claimZxid);
    if (!removed)
        m_removing.spawn(removeClaimLater(job.id, job.claimZxid));
    ++m_rejected;
    answer(report, false);
    m_sending.erase(m_sending.begin());
}

// Returns false if this session lacks a right.
async::Task<bool> Reporter::removeClaim(jobs::JobId id, zk::Zxid claimZxid)
{
    const zk::Path path = m_cluster.layout.claim(id);
    try {
        const Answer<zk::Node> claim = co_await Persistent(m_cluster.zk).get(path);
        if (claim.ok() && claim->stat.czxid == claimZxid)
            co_await Persistent(m_cluster.zk).remove(path);
    } catch (const zk::AccessDenied &error) {
        if (error.code() != zk::Code::NoAuth)
            throw;
        co_return false;
    }
    co_return true;
}

async::Task<void> Reporter::removeClaimLater(jobs::JobId id, zk::Zxid claimZxid)
{
    try {
        for (bool removed = false; !removed;) {
            co_await async::sleepFor(m_cluster.zk.loop(), RemovalPause);
            removed = co_await removeClaim(id, claimZxid);
        }
    } catch (const zk::Error &) { // the session has ended, and the claim with it
    }
}

// What to report instead, if anything.
async::Task<std::optional<Report>> Reporter::afterRefusal(Report report, bool &isStored)
{
    // The claim after the job: see the class.
    const jobs::JobId id = report.job.id;
    std::vector<zk::Path> paths{m_cluster.layout.done(id), m_cluster.layout.job(id.queue, report.job.entry),
                                m_cluster.layout.claim(id)};
    const std::vector<Answer<zk::Node>> nodes = co_await jobs::readNodes(m_cluster.zk, std::move(paths));
    const Answer<zk::Node> &done = nodes[0];
    const Answer<zk::Node> &job = nodes[1];
    const Answer<zk::Node> &claim = nodes[2];

    isStored = !report.record.isEmpty() && done.ok() && done->data == report.record;
    if (isStored)
        co_return std::nullopt;
    const bool held = claim.ok() && claim->stat.czxid == report.job.claimZxid;
    const bool untouched = job.ok() && job->stat.mzxid == report.job.fenceZxid() && job->stat.version == report.version;
    const bool retry = report.kind == Kind::Retry;
    const bool hadClaim = !report.job.claimHasGone;
    const bool unclaimed = untouched && !claim.ok() && !done.ok() && hadClaim && report.kind != Kind::GiveBack;
    const bool unrepaired = untouched && (held || !hadClaim) && retry && !report.repaired;
    if (unclaimed || unrepaired) {
        if (retry)
            co_await m_cluster.zk.ensurePath(m_cluster.layout.waiting(id.queue));
        report.job.claimHasGone = !held;
        report.repaired = retry;
        co_return report;
    }
    if (!held && report.kind != Kind::Finish)
        co_return std::nullopt;
    const qint32 version = job.ok() ? job->stat.version : zk::AnyVersion;
    if (held && version == report.version + 1 && isCancelled(job->data, id)) {
        report.version = version;
        if (report.kind == Kind::GiveBackUnstarted || report.kind == Kind::Retry)
            report.kind = Kind::Finish;
        co_return report;
    }
    ++m_rejected;
    const qint32 attempt = report.job.attempts.claimVersion;
    if (version == report.version && job->stat.numChildren > 0)
        qCWarning(lcReporter,
                  "the end of attempt %d of %s cannot be reported: another program's znodes are below its own", attempt,
                  id.bytes().constData());
    else
        qCInfo(lcReporter, "attempt %d of %s is not the current one: its result is void", attempt,
               id.bytes().constData());
    if (held && version == report.version && done.ok() && report.kind == Kind::Finish) {
        report.kind = Kind::Drop;
        co_return report;
    }
    if (held)
        co_await Persistent(m_cluster.zk).remove(m_cluster.layout.claim(id));
    co_return std::nullopt;
}

} // namespace drover::workers
