#include "app/console_bench/bench_window.h"
#include "app/console_bench/benches.h"
#include "app/console_bench/load_thread.h"
#include "app/console_bench/wait.h"
#include "app/environment/child_process.h"
#include "app/environment/programs.h"
#include "app/scratch/scratch_cluster.h"
#include "gui/inspector/job_panel.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/table_view.h"
#include "jobs/client/submitter.h"
#include "jobs/cluster/cluster_config.h"

#include <QAction>
#include <QDateTime>
#include <QElapsedTimer>
#include <QLineEdit>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr int NameColumn = 2; // of the table
constexpr int EndedJobs = 1'000'000;
constexpr int Batch = 2'000; // jobs that are archived together
constexpr auto OutputSeconds = 30s; // of each kind of output

const QByteArray Name = "default"; // of the cluster

QStringList shell(const char *script)
{
    return {QStringLiteral("sh"), QStringLiteral("-c"), QLatin1String(script)};
}

async::Task<void> makeHistory(history::History &history, int count)
{
    const std::chrono::milliseconds now(QDateTime::currentMSecsSinceEpoch());
    for (int i = 0; i < count;) {
        history::ArchiveBatch batch{.cluster = Name, .clusterMade = now - 24h, .entries = {}};
        for (const int end = std::min(count, i + Batch); i < end; ++i) {
            jobs::JobSpec spec = benchJob(shell("true"));
            spec.name = QStringLiteral("ended-%1").arg(i);
            spec.submittedAt = now - 1h;
            history::ArchivedJob job{.cluster = Name,
                                     .record = jobs::FinalRecord::of({Name, i}, spec),
                                     .endedAt = now - std::chrono::milliseconds(count - i),
                                     .malformed = {}};
            job.record.startedAt = now - 1h;
            job.record.finishedAt = job.endedAt;
            batch.entries.push_back(std::move(job));
        }
        co_await history.archive(std::move(batch));
    }
}

// Of the texts "ended-0" to the one of `count` less one.
QString greatestName(int count)
{
    QString greatest;
    for (int i = 0; i < count; ++i)
        greatest = std::max(greatest, QStringLiteral("ended-%1").arg(i));
    return greatest;
}

async::Task<void> submit(zk::Client &zk, jobs::JobSpec spec, jobs::JobId *id)
{
    const jobs::Cluster cluster(zk, jobs::Layout(Name));
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster);
    jobs::Submitter submitter(cluster, config);
    const jobs::JobId submitted = co_await submitter.submit(spec);
    *id = submitted;
}

// A worker whose output the window can follow.
void startWorker(ChildProcess &worker, const LoadThread &load)
{
    worker.setLogFile(load.directory() + QStringLiteral("/worker.log"));
    const QString trouble = worker.start(
        findProgram("drover"),
        {QStringLiteral("worker"), QStringLiteral("--connect"), load.connectString(), QStringLiteral("--credentials"),
         QStringLiteral("none"), QStringLiteral("--history"), QStringLiteral("none"), QStringLiteral("--spool"),
         load.directory() + QStringLiteral("/spool"), QStringLiteral("--allow-root"), QStringLiteral("--policy"),
         QStringLiteral("none"), QStringLiteral("--slots"), QStringLiteral("4")});
    if (!trouble.isEmpty())
        throw std::runtime_error(QStringLiteral("cannot start a worker: %1").arg(trouble).toStdString());
}

// The longest stall while the details of a job show what `script` prints.
std::chrono::microseconds stallWith(BenchWindow &bench, LoadThread &load, const char *script,
                                    std::chrono::milliseconds time)
{
    jobs::JobId id;
    jobs::JobSpec spec = benchJob(shell(script));
    spec.timeLimit = time + 2s;
    load.run([&](zk::Client &zk) { return submit(zk, spec, &id); });
    const auto runs = [&] {
        const QList<gui::JobRow> rows = bench.models().jobs.snapshot().rows;
        return std::any_of(rows.begin(), rows.end(), [&id](const gui::JobRow &row) {
            return row.id == id && row.state == jobs::JobState::Running;
        });
    };
    waitFor(runs, "the beginning of a job");
    bench.stalls().restart();
    Q_EMIT bench.window().findChild<gui::JobPane *>()->detailsWanted(id);
    bench.window().findChild<gui::JobPanel *>()->showOutput(true);
    goOnFor(time);
    const std::chrono::microseconds longest = bench.stalls().longest();
    bench.window().findChild<QAction *>(QStringLiteral("window.inspector"))->trigger(); // closes it
    return longest;
}

} // namespace

void benchHistory(Figures &figures, double scale)
{
    const int count = std::max(1, static_cast<int>(EndedJobs * scale));
    LoadThread load;
    const history::Location place = history::Location::parse(load.directory() + QStringLiteral("/history.sqlite"));
    load.run([&](zk::Client &zk) -> async::Task<void> {
        history::History history(zk.loop(), place, history::OpenMode::Write);
        co_await makeHistory(history, count);
    });
    BenchWindow bench(load.connectString(), [place](const gui::Target &, const QString &) { return place; });
    auto *const pane = bench.window().findChild<gui::JobPane *>();
    const QAbstractItemModel *const rows = pane->table().model();
    QElapsedTimer clock;
    const auto sinceThen = [&clock] { return std::chrono::milliseconds(clock.restart()); };
    bench.stalls().restart();
    clock.start();
    bench.connect();
    bench.showPage("jobs");
    waitFor([&] { return rows->rowCount() > 0; }, "the first rows");
    figures.add("job_count", count, u"that have ended, in SQLite");
    figures.addMilliseconds("open_ms", sinceThen(), u"from connecting to the first rows");
    const QString oldest = QStringLiteral("ended-%1").arg(count / 2);
    pane->findChild<QLineEdit *>()->setText(oldest);
    const auto found = [&] { return rows->rowCount() == 1; };
    clock.restart();
    waitFor(found, "the filter");
    figures.addMilliseconds("filter_ms", sinceThen(), u"until the one job that fits is there");
    pane->findChild<QLineEdit *>()->clear();
    waitFor([&] { return rows->rowCount() > 1; }, "the jobs without the filter");
    clock.restart();
    const QString greatest = greatestName(count);
    for (const auto order : {Qt::DescendingOrder, Qt::AscendingOrder}) {
        const bool ascends = order == Qt::AscendingOrder;
        const QString first = ascends ? QStringLiteral("ended-0") : greatest;
        clock.restart();
        pane->table().sortByColumn(NameColumn, order);
        waitFor([&] { return rows->index(0, NameColumn).data() == first; }, "the order");
        bench.window().repaint();
        figures.addMilliseconds(ascends ? "sort_ms" : "sort_descending_ms", sinceThen(),
                                ascends ? u"until the first of all by name are there"
                                        : u"until the last of all by name are there");
    }
    const auto scrolledTo = [&](qsizetype wanted) {
        pane->table().scrollToBottom();
        return rows->rowCount() >= wanted;
    };
    const auto last = std::min<qsizetype>(count, gui::PastJobs::MaxRows);
    const auto next = std::min<qsizetype>(last, rows->rowCount() + 1);
    clock.restart();
    waitFor([&] { return scrolledTo(next); }, "the next jobs");
    bench.window().repaint();
    figures.addMilliseconds("scroll_ms", sinceThen(), u"to the next of them by scrolling");
    waitFor([&] { return scrolledTo(last); }, "the last jobs");
    bench.window().repaint();
    figures.add("scrolled_rows", rows->rowCount(), u"that came a page at a time");
    figures.addMilliseconds("scroll_all_ms", sinceThen(), u"to the last of them");
    figures.addMilliseconds("longest_stall_ms", bench.stalls().longest(), u"the longest stall");
}

void benchOutput(Figures &figures, double scale)
{
    const auto time = std::chrono::duration_cast<std::chrono::milliseconds>(OutputSeconds * scale);
    LoadThread load;
    ChildProcess worker;
    startWorker(worker, load);
    BenchWindow bench(load.connectString());
    bench.connect();
    bench.showPage("jobs");
    const auto flood = stallWith(
        bench, load, "while :; do head -c 3000000 /dev/zero | tr '\\0' x | fold -w 80; sleep 0.1; done", time);
    figures.addMilliseconds("flood_stall_ms", flood, u"with some 30 MB/s of lines");
    const auto line = stallWith(bench, load, "while :; do head -c 20000 /dev/zero | tr '\\0' x; sleep 0.1; done", time);
    figures.addMilliseconds("line_stall_ms", line, u"with 200 KB/s without a newline");
    figures.addMilliseconds("longest_stall_ms", std::max(flood, line), u"the longest stall");
}

} // namespace drover::app
