#include "workers/dispatch/queue_claims.h"

#include "jobs/cluster/read_nodes.h"
#include "workers/claims/reporter.h"

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;

namespace {

constexpr qint32 ManyClaims = 1000; // of one job; it ends after MostClaims
constexpr std::size_t MostLooks = 4 * jobs::Flight; // at one reading
constexpr auto BetweenCounts = 1s; // of refused jobs: the worker writes each to its node
constexpr int MostEnding = 16; // jobs whose files are asked; each may hold a thread while its file server hangs

} // namespace

QueueClaims::QueueClaims(jobs::Cluster cluster, const WorkerOptions &options, zk::ServerClock &clock,
                         Reporter &reporter, OutcomeReporter &outcomes, MachineHealth &health,
                         WorkerConditions &conditions)
    : m_loop(cluster.zk.loop()), m_reporter(reporter), m_outcomes(outcomes), m_health(health), m_conditions(conditions),
      m_claimer(std::move(cluster), options.id, &clock, options.spool), m_refused(m_loop, m_claimer, [this] { tell(); })
{
}

async::Task<std::vector<ClaimedJob>> QueueClaims::read(Queue &queue, int count)
{
    const auto wanted = static_cast<std::size_t>(count);
    std::vector<ClaimedJob> mayBegin;
    std::size_t next = wanted;
    for (std::size_t looks = 0; next > 0 && looks < MostLooks; looks += next) {
        std::vector<jobs::QueueEntry> entries = queue.finder.take(next);
        if (entries.empty())
            break;
        Candidates found = co_await m_claimer.read(queue.name(), entries);
        const bool isFlood = !found.refused.empty() || !found.blocked.empty();
        const bool readsOn = isFlood && found.jobs.empty() && found.undecided.isEmpty();
        take(queue, found);
        mayBegin = std::move(found.jobs);
        next = readsOn ? jobs::Flight : 0;
    }
    std::vector<jobs::QueueEntry> tooMany;
    while (mayBegin.size() > wanted) {
        tooMany.insert(tooMany.begin(), mayBegin.back().entry);
        mayBegin.pop_back();
    }
    queue.finder.putBack(tooMany);
    co_return mayBegin;
}

// Hides from the queue's finder what was found and cannot be claimed. Leaves what may be claimed here.
void QueueClaims::take(Queue &queue, Candidates &found)
{
    tell();
    if (!m_claimer.journalTrouble().isEmpty())
        found.jobs.clear(); // none of them could begin here
    spareWornJobs(queue, found.jobs);
    if (!found.undecided.isEmpty())
        m_health.noteTrouble(found.undecided, true);
    queue.finder.setAside(found.blocked);
    queue.exclude(found.unsuitable);
    for (GivenUpJob &givenUp : found.givenUp) {
        if (m_ending.size() >= MostEnding) {
            queue.finder.passOver({givenUp.job.entry});
            continue;
        }
        queue.exclude({givenUp.job});
        m_ending.spawn(endGivenUp(queue, std::move(givenUp)));
    }
    m_refused.add(queue, found.refused);
}

// The worker that comes next, or this one in its next life, asks again if this does not come to an end.
async::Task<void> QueueClaims::endGivenUp(Queue &queue, GivenUpJob givenUp)
{
    const jobs::QueueEntry entry = givenUp.job.entry;
    const bool settled = co_await m_outcomes.askFile(givenUp.job, givenUp.record);
    if (!settled)
        co_return;
    try {
        const bool blocked = co_await m_claimer.endGivenUp(std::move(givenUp));
        if (blocked)
            queue.finder.setAside({entry});
    } catch (const zk::SessionLost &) {
    }
}

async::Task<void> QueueClaims::endRefused(ClaimedJob job, jobs::FinalRecord record)
{
    const bool settled = co_await m_outcomes.askFile(job, record);
    if (!settled) {
        m_reporter.giveBackUnstarted(job);
        co_return;
    }
    const bool isRefused = record.outcome == jobs::FinalRecord::Outcome::Refused; // it may have succeeded before
    m_reporter.finish(job, record, [this, isRefused](bool isStored) {
        if (isRefused && isStored)
            m_claimer.countRefused();
        tell();
    });
}

async::Task<std::vector<ClaimedJob>> QueueClaims::claim(Queue &queue, Selection &selection, qint32 version)
{
    queue.exclude(selection.unsuitable);
    Claims won = co_await m_claimer.claim(std::move(selection.toClaim), version);
    queue.finder.setAside(won.blocked);
    if (won.stale && queue.version == version)
        queue.settings.reset(); // until they have been read again
    std::vector<ClaimedJob> soon;
    std::vector<ClaimedJob> later; // jobs that wait here first are noted when they begin
    for (ClaimedJob &job : won.jobs)
        (job.pending || job.spec.gang > 0 ? later : soon).push_back(std::move(job));
    std::vector<ClaimedJob> ours = co_await noteStarts(std::move(soon));
    std::move(later.begin(), later.end(), std::back_inserter(ours));
    co_return ours;
}

async::Task<std::vector<ClaimedJob>> QueueClaims::noteStarts(std::vector<ClaimedJob> jobs)
{
    const Claimer::Drop drop = [this](const ClaimedJob &job, const std::optional<jobs::FinalRecord> &record) {
        if (record)
            m_ending.spawn(endRefused(job, *record));
        else
            m_reporter.giveBackUnstarted(job);
    };
    std::vector<ClaimedJob> noted = co_await m_claimer.noteStarts(std::move(jobs), drop);
    tell();
    co_return noted;
}

void QueueClaims::tell()
{
    const qint64 refused = m_claimer.refused();
    if (refused > m_reported && !std::exchange(m_hasTold, true)) {
        m_conditions.jobsRefused(refused - std::exchange(m_reported, refused));
        m_tellAgain = m_loop.after(BetweenCounts, [this] {
            m_hasTold = false;
            tell();
        });
    }
    const QString trouble = m_claimer.journalTrouble();
    if (!trouble.isEmpty())
        m_conditions.spoolFailed(trouble);
}

// A file server that is away makes all machines sick, and each claim that comes to nothing brings a job nearer to its
// end. So a sick machine tries a job that was claimed a thousand times once in two minutes, and half as often with each
// further thousand.
void QueueClaims::spareWornJobs(Queue &queue, std::vector<ClaimedJob> &jobs)
{
    if (!m_health.isTroubled())
        return;
    const async::TimePoint now = m_loop.now();
    std::vector<jobs::QueueEntry> spared;
    std::erase_if(jobs, [&](const ClaimedJob &job) {
        const int thousands = std::min(job.attempts.claimVersion / ManyClaims, 10);
        const bool isSpared = thousands > 0 && m_triedWornJob && now - *m_triedWornJob < 1min * (1 << thousands);
        if (isSpared)
            spared.push_back(job.entry);
        else if (thousands > 0)
            m_triedWornJob = now;
        return isSpared;
    });
    queue.finder.passOver(spared);
}

} // namespace drover::workers
