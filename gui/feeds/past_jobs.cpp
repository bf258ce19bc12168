#include "gui/feeds/past_jobs.h"

#include "async/pause.h"
#include "gui/rows/job_rows.h"
#include "gui/subtree/pacing.h"
#include "jobs/cluster/cluster_config.h"

#include <algorithm>

namespace drover::gui {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration Together = 200ms; // jobs that are archived
constexpr async::Duration RecountAfter = 5min; // at most: failures grow old
constexpr async::PauseAfter BetweenReads{.factor = 4, .shortest = 1s, .longest = 30s};
// A job may be archived so much later than one that ended after it.
constexpr std::chrono::milliseconds Disorder = 10s;

} // namespace

void PastJobs::begin()
{
    spawn(followConfig());
    spawn(walkOn());
    spawn(refreshAgainAndAgain());
}

void PastJobs::end()
{
    m_opened.reset();
    m_history.reset();
    m_counting.reset();
    m_trouble.clear();
    m_counts = {};
    m_dirty.reset();
    m_archived.reset();
    m_retry.cancel();
    m_recount.cancel();
    m_sent.clear();
    m_sentOfSearch.clear();
    m_walk = {};
    ++m_round;
    ++m_question;
}

void PastJobs::search(const JobSearch &search)
{
    if (search == m_search.search() && search.filter == m_search.search().filter)
        return;
    m_search = PastSearch(search);
    restart();
}

void PastJobs::sort(const JobOrder &order)
{
    if (order == m_order)
        return;
    m_order = order;
    restart();
}

void PastJobs::lookAgain()
{
    m_archived.set();
}

void PastJobs::setFailedInDone(const QList<jobs::JobId> &jobs)
{
    m_failedInDone = jobs;
    m_archived.set();
}

void PastJobs::readOlder()
{
    if (m_walk.atEnd)
        return;
    m_walk.wantMore();
    m_dirty.set();
}

void PastJobs::readEarlier()
{
    m_walk.wantsEarlier = !m_walk.dropped.empty() && !m_walk.quiet;
    m_dirty.set();
}

void PastJobs::readFirst()
{
    restart();
}

void PastJobs::restart(PastWalk anew)
{
    m_question += anew.quiet ? 0 : 1;
    m_retry.cancel();
    m_walk = std::move(anew);
    ++m_round;
    m_dirty.set();
}

async::Task<void> PastJobs::followConfig()
{
    const auto show = [this](const zk::Answer<zk::Node> &answer) {
        const auto config = answer.ok() ? jobs::tryDecode<jobs::ClusterConfig>(answer->data) : std::nullopt;
        open(config ? config->history : QString());
    };
    co_await followDataPaced(cluster().zk, cluster().layout.config(), m_watches, show);
}

void PastJobs::open(const QString &ofCluster)
{
    if (m_opened == ofCluster)
        return;
    m_opened = ofCluster;
    m_history.reset();
    m_counting.reset();
    m_trouble.clear();
    m_sent.clear();
    m_sentOfSearch.clear();
    try {
        const auto location = m_place ? m_place(target(), ofCluster) : std::nullopt;
        const auto opened = [&] {
            return std::make_shared<history::History>(cluster().zk.loop(), *location, history::OpenMode::Read);
        };
        if (location) {
            m_history = opened();
            m_counting = opened();
        }
    } catch (const history::HistoryError &error) {
        m_trouble = QString::fromUtf8(error.what());
    }
    restart();
    m_archived.set(); // to be counted
}

async::Task<void> PastJobs::walkOn()
{
    for (;;) {
        co_await m_dirty.wait();
        m_dirty.reset();
        if (!m_opened)
            continue; // open() sets it
        const int round = m_round;
        try {
            const bool begins = goesOn() && !std::exchange(m_walk.begun, true);
            if (begins && (m_order != JobOrder{} || m_search.isNarrow() || m_walk.after))
                co_await findNewest(m_history);
            if (round != m_round)
                continue;
            if (begins && !m_search.lookUps(cluster().layout.clusterName()).empty())
                co_await lookUp(m_history);
            else if (goesOn())
                co_await step(m_history);
            else if (m_history && m_walk.wantsEarlier)
                co_await stepBack(m_history);
            if (round != m_round)
                continue;
            if (m_history)
                m_trouble.clear();
            publish();
        } catch (const history::NoHistory &) {
            giveUp(round, {}); // nothing has been archived yet
        } catch (const history::HistoryError &error) {
            giveUp(round, QString::fromUtf8(error.what()));
        }
        if (goesOn() || (m_history && m_walk.wantsEarlier))
            m_dirty.set();
    }
}

// Until jobs are archived, or something else is searched. What a history that fails has sent stays, as far as it fits.
void PastJobs::giveUp(int round, const QString &trouble)
{
    if (round != m_round)
        return;
    const qsizetype wanted = m_walk.wanted;
    m_walk = trouble.isEmpty() ? PastWalk() : m_walk.again();
    m_walk.wanted = wanted;
    m_walk.quiet = false;
    m_walk.atEnd = true;
    m_trouble = trouble;
    if (!trouble.isEmpty()) {
        m_walk.keep(rowsSentBefore());
        m_retry = cluster().zk.loop().after(RetryAfter, [this] { restart(m_walk.again()); });
    }
    publish();
}

QList<JobRow> PastJobs::rowsSentBefore() const
{
    QList<JobRow> rows;
    QSet<jobs::JobId> ids;
    for (const JobRow &row : m_search.isNarrow() ? m_sent + m_sentOfSearch : m_sent) {
        if (m_search.search().fits(row) && !ids.contains(row.id)) {
            ids.insert(row.id);
            rows.append(row);
        }
    }
    return rows;
}

// In another order than that of the ends any page may have it, or none if it does not fit. refresh() asks for what has
// ended since.
async::Task<void> PastJobs::findNewest(Histories history)
{
    const int round = m_round;
    history::Query last = m_search.all(cluster().layout.clusterName());
    last.limit = 1;
    const history::Page page = co_await history->query(last);
    if (round == m_round && !page.entries.empty())
        m_walk.newest = page.entries.front().endedAt;
}

// What the indexes know of the search.
async::Task<void> PastJobs::lookUp(Histories history)
{
    const int round = m_round;
    const std::vector<history::Query> queries = m_search.lookUps(cluster().layout.clusterName());
    for (const history::Query &wanted : queries) {
        const history::Page page = co_await history->query(wanted);
        if (round != m_round)
            co_return;
        m_walk.addOther(page, m_search.search());
    }
}

// A page, or a stretch of the history that a search reads.
async::Task<void> PastJobs::step(Histories history)
{
    const int round = m_round;
    history::Query wanted = m_search.fitting(cluster().layout.clusterName());
    wanted.walk = true;
    wanted.order = inHistory(m_order);
    wanted.after = m_walk.after;
    if (m_search.isNarrow()) {
        history::Query stretch = m_search.all(cluster().layout.clusterName());
        stretch.walk = true;
        stretch.order = wanted.order;
        stretch.after = m_walk.after;
        if (m_order.by == JobOrder::By::Ended) { // else it would read all jobs for those of that time
            stretch.since = wanted.since;
            stretch.until = wanted.until;
        }
        const std::optional<history::Cursor> end = co_await history->skip(stretch, Stretch);
        wanted.downTo = end;
    }
    const history::Page page = co_await history->query(wanted);
    if (round != m_round)
        co_return;
    m_walk.searched += page.next ? qsizetype(page.entries.size()) : Stretch;
    m_walk.addNext(page, m_search.search(), page.next ? page.next : wanted.downTo);
}

// What stands now where the last piece was that the window has dropped: jobs may have been archived there since.
async::Task<void> PastJobs::stepBack(Histories history)
{
    const int round = m_round;
    history::Query wanted = m_search.fitting(cluster().layout.clusterName());
    wanted.walk = true;
    wanted.order = inHistory(m_order);
    wanted.after = m_walk.dropped.back().after;
    wanted.downTo = m_walk.front();
    std::vector<PastWalk::Piece> pieces;
    do {
        const history::Page page = co_await history->query(wanted);
        if (round != m_round)
            co_return;
        pieces.push_back(m_walk.pieceOf(page, m_search.search(), wanted.after));
        if (pieces.size() > PastWalk::EarlierPieces) // only the last of them are shown
            pieces[pieces.size() - PastWalk::EarlierPieces - 1].rows.clear();
        wanted.after = page.next;
    } while (wanted.after);
    const qsizetype before = m_walk.droppedRows();
    m_walk.addEarlier(std::move(pieces));
    m_walk.wantsEarlier = m_walk.droppedRows() == before && !m_walk.dropped.empty(); // a search has found none there
}

void PastJobs::publish()
{
    if (m_walk.quiet && goesOn())
        return;
    m_walk.quiet = false;
    m_walk.shown = true;
    PastSnapshot past;
    past.rows = m_walk.rows();
    past.dropped = m_walk.droppedRows();
    past.first = m_walk.firstId();
    past.last = m_walk.lastId();
    past.question = m_question;
    if (m_trouble.isEmpty())
        (m_search.isNarrow() ? m_sentOfSearch : m_sent) = past.rows;
    past.walk = m_round;
    past.read = m_walk.walked;
    past.count = m_counts.jobs;
    past.failedLately = m_counts.failedLately;
    past.failedInDone = m_counts.archived;
    past.searched = m_walk.searched;
    past.goesOn = m_search.isNarrow() && goesOn();
    const bool isLonger = m_history && !m_search.wantsNone() && !m_walk.atEnd && !goesOn();
    past.hasMore = isLonger;
    // What fits a search comes in pieces of any size: the last one that is wanted may be almost a page too long.
    const qsizetype next = (m_search.isNarrow() ? 2 : 1) * PageRows;
    past.isFull = isLonger && m_walk.windowRows() + next > MaxPastRows;
    past.trouble = m_trouble;
    Q_EMIT changed(past);
}

async::Task<void> PastJobs::refreshAgainAndAgain()
{
    async::Loop &loop = cluster().zk.loop();
    for (;;) {
        co_await m_archived.wait();
        co_await async::sleepFor(loop, Together);
        m_archived.reset();
        const async::TimePoint begun = loop.now();
        try {
            if (m_history && !m_search.wantsNone())
                co_await refresh(m_history);
            if (m_counting)
                co_await countAll(m_counting);
        } catch (const history::HistoryError &) { // the walk says so
            restart(m_walk.again());
        }
        co_await async::sleepFor(loop, BetweenReads(loop.now() - begun));
    }
}

// Takes in what has been archived since, also what stands behind the place that was walked to: it was in the table
// while it was in ZooKeeper. If that is more than a page, the window is read anew.
async::Task<void> PastJobs::refresh(Histories history)
{
    if (!m_walk.begun)
        restart(m_walk.again());
    if (!m_walk.shown)
        co_return;
    const int round = m_round;
    history::Query latest = m_search.fitting(cluster().layout.clusterName());
    latest.walk = true;
    latest.since = m_walk.newest - Disorder;
    const history::Page page = co_await history->query(latest);
    if (round != m_round)
        co_return;
    if (page.next || m_walk.others() > 3 * PageRows) {
        restart(m_walk.again());
    } else {
        m_walk.addOther(page, m_search.search());
        publish();
    }
}

async::Task<void> PastJobs::countAll(Histories counting)
{
    m_recount = cluster().zk.loop().after(RecountAfter, [this] { m_archived.set(); });
    const PastCounts counts = co_await countPast(*counting, cluster().layout.clusterName(), m_search, m_failedInDone,
                                                 cluster().zk.loop().wallClock());
    if (counting != m_counting || counts == m_counts)
        co_return;
    m_counts = counts;
    if (m_walk.shown)
        publish();
}

async::Task<std::optional<jobs::JobView>> PastJobs::find(jobs::JobId id)
{
    const std::shared_ptr<history::History> history = m_history;
    if (!history)
        co_return std::nullopt;
    history::Query query;
    query.cluster = cluster().layout.clusterName();
    query.ids = {id};
    query.limit = 1;
    try {
        const history::Page page = co_await history->query(query);
        if (!page.entries.empty()) {
            const history::ArchivedJob &entry = page.entries.front();
            co_return jobs::viewOfEnded(entry.record, entry.endedAt, entry.malformed);
        }
    } catch (const history::NoHistory &) {
        // Nothing has been archived yet.
    }
    co_return std::nullopt;
}

async::Task<QList<JobRow>> PastJobs::tasksOf(jobs::JobId array, jobs::JobState state, qsizetype most)
{
    const std::shared_ptr<history::History> history = m_history;
    QList<JobRow> tasks;
    if (!history)
        co_return tasks;
    history::Query query;
    query.cluster = cluster().layout.clusterName();
    query.array = array;
    query.state = state;
    query.limit = PageRows;
    try {
        do {
            const history::Page page = co_await history->query(query);
            for (const history::ArchivedJob &entry : page.entries) {
                if (entry.record.id.isTask())
                    tasks.append(endedRow(entry.record, entry.endedAt.count()));
            }
            query.after = page.next;
        } while (query.after && tasks.size() < most);
    } catch (const history::NoHistory &) {
        // Nothing has been archived yet.
    }
    co_return tasks;
}

} // namespace drover::gui
