#include "gui/feeds/past_jobs.h"

#include "async/pause.h"
#include "gui/feeds/pacing.h"
#include "gui/rows/job_rows.h"
#include "jobs/cluster/cluster_config.h"

#include <QSet>

#include <algorithm>

namespace drover::gui {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration Together = 200ms; // letters that are typed, and jobs that are archived
constexpr async::PauseAfter BetweenReads{.factor = 4, .shortest = 1s, .longest = 30s};

JobRow rowOf(const history::ArchivedJob &entry)
{
    JobRow row = endedRow(entry.record, entry.endedAt.count());
    if (!entry.malformed.isEmpty())
        row.note = entry.malformed;
    return row;
}

// Each finds a part of what the search means; none if no job that has ended is wanted.
std::vector<history::Query> queriesFor(const QByteArray &cluster, const JobSearch &search)
{
    std::vector<jobs::JobState> ended;
    std::copy_if(search.states.begin(), search.states.end(), std::back_inserter(ended), jobs::isFinal);
    if (!search.states.empty() && ended.empty())
        return {};
    history::Query all;
    all.cluster = cluster;
    all.tasks = search.tasks;
    all.limit = PastJobs::MaxRows;
    if (ended.size() == 1)
        all.state = ended.front();
    if (search.text.isEmpty())
        return {all};
    std::vector<history::Query> queries(3, all);
    queries[0].name = u'*' + search.text + u'*';
    queries[1].text = search.text;
    queries[2].worker = search.text;
    if (const std::optional<jobs::JobId> id = jobs::JobId::parse(search.text)) {
        queries.push_back(all);
        queries.back().ids = {*id};
        queries.back().tasks = true;
    }
    return queries;
}

} // namespace

void PastJobs::begin()
{
    spawn(followConfig());
    spawn(readAgainAndAgain());
}

void PastJobs::end()
{
    m_opened.reset();
    m_history.reset();
    m_trouble.clear();
    m_dirty.reset();
}

void PastJobs::search(const JobSearch &search)
{
    m_search = search;
    m_dirty.set();
}

void PastJobs::lookAgain()
{
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
    m_trouble.clear();
    try {
        const auto location = m_place ? m_place(target(), ofCluster) : std::nullopt;
        if (location)
            m_history = std::make_shared<history::History>(cluster().zk.loop(), *location, history::OpenMode::Read);
    } catch (const history::HistoryError &error) {
        m_trouble = QString::fromUtf8(error.what());
    }
    m_dirty.set();
}

async::Task<void> PastJobs::readAgainAndAgain()
{
    async::Loop &loop = cluster().zk.loop();
    for (;;) {
        co_await m_dirty.wait();
        co_await async::sleepFor(loop, Together);
        m_dirty.reset();
        if (!m_opened)
            continue; // open() sets it
        const async::TimePoint begun = loop.now();
        PastSnapshot past;
        past.trouble = m_trouble;
        try {
            if (m_history)
                past = co_await read(m_history, m_search);
        } catch (const history::NoHistory &) { // nothing has been archived yet
        } catch (const history::HistoryError &error) {
            past.trouble = QString::fromUtf8(error.what());
        }
        Q_EMIT changed(past);
        co_await async::sleepFor(loop, BetweenReads(loop.now() - begun));
    }
}

async::Task<PastSnapshot> PastJobs::read(std::shared_ptr<history::History> history, JobSearch search)
{
    PastSnapshot past;
    QSet<jobs::JobId> known;
    const QByteArray name = cluster().layout.clusterName();
    const std::vector<history::Query> queries = queriesFor(name, search);
    for (const history::Query &query : queries) {
        const history::Page page = co_await history->query(query);
        for (const history::ArchivedJob &entry : page.entries) {
            const JobRow row = rowOf(entry);
            if (past.rows.size() < MaxRows && row.contains(search.text) && !known.contains(row.id)) {
                known.insert(row.id);
                past.rows.append(row);
            }
        }
    }
    history::Query all;
    all.cluster = name;
    all.tasks = search.tasks;
    const qint64 count = co_await history->count(all);
    past.count = count;
    co_return past;
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

} // namespace drover::gui
