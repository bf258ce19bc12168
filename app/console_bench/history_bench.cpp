#include "app/console_bench/bench_window.h"
#include "app/console_bench/benches.h"
#include "app/console_bench/load_thread.h"
#include "app/console_bench/wait.h"
#include "app/scratch/scratch_cluster.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"
#include "history/history.h"

#include <QDateTime>
#include <QElapsedTimer>
#include <QHeaderView>
#include <QLineEdit>

#include <ctime>

namespace drover::app {

using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

constexpr int EndedJobs = 1'000'000;
constexpr int Batch = 10'000; // jobs that are archived together
constexpr qint64 Workers = 61;
constexpr qint64 FarRows = 20'000; // that are scrolled past
constexpr int Seldom = 10; // jobs, the oldest: they alone are tagged, cancelled and of another person

const QByteArray ClusterName = "default";

// Names come in another order than numbers and ends. Each is of one job.
QString nameOf(int number, int count)
{
    constexpr qint64 Prime = 7'919;
    return QStringLiteral("ended-%1").arg(number * Prime % count);
}

QString workerOf(int number)
{
    return QStringLiteral("worker-%1").arg(number * 13 % Workers);
}

history::ArchivedJob endedJob(int number, int count, milliseconds now)
{
    const bool isSeldom = number < Seldom;
    jobs::JobSpec spec = benchJob({QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("true")});
    spec.name = nameOf(number, count);
    spec.submitter = isSeldom ? QStringLiteral("ann@here") : QStringLiteral("bob@here");
    spec.submittedAt = now - 1h;
    if (isSeldom)
        spec.tags = QStringList{QStringLiteral("seldom")};
    history::ArchivedJob job{.cluster = ClusterName,
                             .record = jobs::FinalRecord::of({ClusterName, number}, spec),
                             .endedAt = now - milliseconds(count - number),
                             .malformed = {}};
    job.record.outcome = isSeldom ? jobs::FinalRecord::Outcome::Cancelled : jobs::FinalRecord::Outcome::Exited;
    job.record.code = number % 100 == 0 ? 1 : 0;
    job.record.worker = workerOf(number);
    job.record.startedAt = now - 1h;
    job.record.finishedAt = job.endedAt;
    return job;
}

async::Task<void> makeHistory(history::History &history, int count)
{
    const milliseconds now(QDateTime::currentMSecsSinceEpoch());
    for (int i = 0; i < count;) {
        history::ArchiveBatch batch{.cluster = ClusterName, .term = {.clusterMade = now - 24h}, .entries = {}};
        for (const int end = std::min(count, i + Batch); i < end; ++i)
            batch.entries.push_back(endedJob(i, count, now));
        co_await history.archive(std::move(batch));
    }
}

// The job of which `valueOf` says the least, or the greatest.
template <typename ValueOf>
int jobWith(bool greatest, int count, const ValueOf &valueOf)
{
    int best = 0;
    for (int number = 1; number < count; ++number) {
        if (greatest ? valueOf(best) < valueOf(number) : valueOf(number) < valueOf(best))
            best = number;
    }
    return best;
}

int jobByName(bool greatest, int count)
{
    return jobWith(greatest, count, [count](int number) { return nameOf(number, count); });
}

int jobByWorker(bool greatest, int count)
{
    return jobWith(greatest, count, [](int number) { return std::pair(workerOf(number), number); });
}

// Of this process, in all of its threads.
milliseconds processorTime()
{
    timespec time{};
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return milliseconds(time.tv_sec * 1000 + time.tv_nsec / 1'000'000);
}

// The window with the jobs of the history, and what one does with it.
class HistoryBench
{
public:
    HistoryBench(Figures &figures, int count, const QString &connect, const history::Location &place)
        : m_figures(figures), m_count(count),
          m_bench(connect, [place](const gui::Target &, const QString &) { return place; })
    {
    }

    void open();
    void filter(const char *figure, const QString &text, int fitting);
    void sort(const char *figure, int column, Qt::SortOrder order, int first);
    void sortByAll();
    void scroll();

private:
    gui::JobPane &pane() { return *m_bench.window().findChild<gui::JobPane *>(); }
    const gui::JobsSnapshot &shown() { return m_bench.models().jobs.snapshot(); }
    const QAbstractItemModel &rows() { return *pane().table().model(); }
    QString firstId() { return rows().index(0, gui::JobModel::Id).data().toString(); }
    void clock();
    milliseconds sinceThen();
    Figures &m_figures;
    const int m_count;
    // What the orders have to show first: known before anything is measured, as it takes long.
    const int m_leastName = jobByName(false, m_count);
    const int m_greatestName = jobByName(true, m_count);
    const int m_leastWorker = jobByWorker(false, m_count);
    const int m_greatestWorker = jobByWorker(true, m_count);
    BenchWindow m_bench;
    QElapsedTimer m_wall;
    milliseconds m_processor{};
    milliseconds m_slowest{}; // of the orders
    milliseconds m_dearest{}; // of the orders, by processor time
};

void HistoryBench::clock()
{
    m_wall.start();
    m_processor = processorTime();
}

milliseconds HistoryBench::sinceThen()
{
    m_bench.window().repaint();
    return milliseconds(m_wall.elapsed());
}

void HistoryBench::open()
{
    m_bench.stalls().restart();
    clock();
    m_bench.connect();
    m_bench.showPage("jobs");
    waitFor([this] { return rows().rowCount() > 0; }, "the first rows");
    m_figures.add("job_count", m_count, u"that have ended, in SQLite");
    m_figures.addMilliseconds("open_ms", sinceThen(), u"from connecting to the first rows");
}

// Then again all jobs.
void HistoryBench::filter(const char *figure, const QString &text, int fitting)
{
    auto *const line = pane().findChild<QLineEdit *>();
    clock();
    line->setText(text); // filters the rows that are there
    waitFor([&] { return rows().rowCount() == fitting; }, "the filter");
    m_figures.addMilliseconds(figure, sinceThen(), QStringLiteral("until the first that fit are there: ") + text);
    line->clear();
    waitFor([&] { return rows().rowCount() > fitting && !shown().pastGoesOn; }, "the jobs without the filter");
}

// Until the first page of that order is painted, whatever the rows of the order before it were.
void HistoryBench::sort(const char *figure, int column, Qt::SortOrder order, int first)
{
    const int before = shown().pastWalk;
    const QString expected = jobs::JobId{ClusterName, first}.toString();
    clock();
    pane().table().sortByColumn(column, order);
    waitFor([&] { return shown().pastWalk != before && shown().pastRows > 0 && firstId() == expected; }, figure);
    const milliseconds took = sinceThen();
    m_slowest = std::max(m_slowest, took);
    m_dearest = std::max(m_dearest, processorTime() - m_processor);
    m_figures.addMilliseconds(figure, took, u"until the first of that order are there");
}

// No order follows itself: the pane asks for nothing then.
void HistoryBench::sortByAll()
{
    const int last = m_count - 1;
    using gui::JobModel;
    sort("sort_id_ms", JobModel::Id, Qt::AscendingOrder, 0);
    sort("sort_id_descending_ms", JobModel::Id, Qt::DescendingOrder, last);
    sort("sort_name_ms", JobModel::Name, Qt::AscendingOrder, m_leastName);
    sort("sort_name_descending_ms", JobModel::Name, Qt::DescendingOrder, m_greatestName);
    sort("sort_worker_ms", JobModel::Worker, Qt::AscendingOrder, m_leastWorker);
    sort("sort_worker_descending_ms", JobModel::Worker, Qt::DescendingOrder, m_greatestWorker);
    sort("sort_ended_ms", JobModel::Since, Qt::AscendingOrder, 0);
    sort("sort_ended_descending_ms", JobModel::Since, Qt::DescendingOrder, last);
    sort("sort_state_descending_ms", JobModel::State, Qt::DescendingOrder, 0);
    sort("sort_state_ms", JobModel::State, Qt::AscendingOrder, last);
    m_figures.addMilliseconds("sort_ms", m_slowest, u"the slowest order");
    m_figures.addMilliseconds("sort_cpu_ms", m_dearest, u"processor time of the dearest order");
}

void HistoryBench::scroll()
{
    const auto scrolledTo = [this](qsizetype wanted) {
        pane().table().scrollToBottom();
        return rows().rowCount() >= wanted;
    };
    const auto last = std::min<qsizetype>(m_count, gui::MaxPastRows);
    const auto next = std::min<qsizetype>(last, rows().rowCount() + 1);
    clock();
    waitFor([&] { return scrolledTo(next); }, "the next jobs");
    m_figures.addMilliseconds("scroll_ms", sinceThen(), u"to the next of them by scrolling");
    waitFor([&] { return scrolledTo(last); }, "the last jobs");
    m_figures.add("scrolled_rows", rows().rowCount(), u"that came a page at a time");
    m_figures.addMilliseconds("scroll_all_ms", sinceThen(), u"to the last of them");
    // A page that comes now takes the place of another.
    const qint64 far = std::min<qint64>(FarRows, m_count) - last;
    waitFor([&] { return scrolledTo(0) && shown().pastDropped >= far; }, "jobs beyond those");
    m_figures.add("far_rows", shown().pastDropped + last, u"that were scrolled past");
    m_figures.addMilliseconds("scroll_far_ms", sinceThen(), u"to the last of these");
    m_figures.addMilliseconds("longest_stall_ms", m_bench.stalls().longest(), u"the longest stall");
    m_figures.addMilliseconds("longest_busy_ms", m_bench.stalls().busiest(), u"its most processor time at a time");
}

} // namespace

void benchHistory(Figures &figures, double scale)
{
    const int count = std::max(100, static_cast<int>(EndedJobs * scale));
    LoadThread load;
    const history::Location place = history::Location::parse(load.directory() + QStringLiteral("/history.sqlite"));
    load.run([&](zk::Client &zk) -> async::Task<void> {
        history::History history(zk.loop(), place, history::OpenMode::Write);
        co_await makeHistory(history, count);
    });
    HistoryBench bench(figures, count, load.connectString(), place);
    bench.open();
    bench.filter("filter_ms", nameOf(count / 2, count), 1);
    bench.filter("filter_name_ms", QStringLiteral("--name ") + nameOf(1, count), 1);
    bench.filter("filter_tag_ms", QStringLiteral("--tag seldom"), Seldom);
    bench.filter("filter_submitter_ms", QStringLiteral("--submitter ann"), Seldom);
    bench.filter("filter_state_ms", QStringLiteral("--state cancelled"), Seldom);
    bench.sortByAll();
    bench.scroll();
}

} // namespace drover::app
