#include "app/console_bench/bench_window.h"
#include "app/console_bench/benches.h"
#include "app/console_bench/load_thread.h"
#include "app/console_bench/wait.h"
#include "app/environment/child_process.h"
#include "app/environment/programs.h"
#include "app/scratch/scratch_cluster.h"
#include "gui/inspector/job_output.h"
#include "gui/inspector/job_panel.h"
#include "gui/widgets/job_pane.h"
#include "jobs/client/submitter.h"
#include "jobs/cluster/cluster_config.h"

#include <QAction>
#include <QCoreApplication>
#include <QElapsedTimer>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QTextBlock>

#include <cmath>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto OutputSeconds = 30s; // of each kind of output
constexpr qint64 FileBytes = 100'000'000; // of a job that has ended

const QByteArray Name = "default"; // of the cluster

QStringList shell(const char *script)
{
    return {QStringLiteral("sh"), QStringLiteral("-c"), QLatin1String(script)};
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

struct Stall {
    std::chrono::microseconds longest;
    std::chrono::microseconds busiest;
};

bool isIn(BenchWindow &bench, const jobs::JobId &id, jobs::JobState state)
{
    const gui::JobRow *const row = bench.models().jobs.find(id);
    return row && row->state == state;
}

void closeDetails(BenchWindow &bench)
{
    bench.window().findChild<QAction *>(QStringLiteral("window.inspector"))->trigger();
}

// While the details of a job show what `script` prints.
Stall stallWith(BenchWindow &bench, LoadThread &load, const char *script, std::chrono::milliseconds time)
{
    jobs::JobId id;
    jobs::JobSpec spec = benchJob(shell(script));
    spec.timeLimit = time + 2s;
    load.run([&](zk::Client &zk) { return submit(zk, spec, &id); });
    waitFor([&] { return isIn(bench, id, jobs::JobState::Running); }, "the beginning of a job");
    bench.stalls().restart();
    Q_EMIT bench.window().findChild<gui::JobPane *>()->detailsWanted(id);
    bench.window().findChild<gui::JobPanel *>()->showOutput(true);
    goOnFor(time);
    const Stall stall{bench.stalls().longest(), bench.stalls().busiest()};
    closeDetails(bench);
    return stall;
}

// How long it takes until the search has ended, from the beginning of the output.
async::Duration searchTime(gui::JobOutput &output, const std::function<bool()> &search)
{
    auto *const text = output.findChild<QPlainTextEdit *>();
    QKeyEvent home(QEvent::KeyPress, Qt::Key_Home, Qt::ControlModifier);
    QCoreApplication::sendEvent(text, &home);
    bool isOver = false;
    const auto over = QObject::connect(&output, &gui::JobOutput::searched, [&isOver] { isOver = true; });
    QElapsedTimer time;
    time.start();
    search();
    waitFor([&] { return isOver; }, "a search");
    QObject::disconnect(over);
    if (!text->textCursor().block().text().startsWith(u"error: the last"))
        throw std::runtime_error("the last line was not found");
    return std::chrono::nanoseconds(time.nsecsElapsed());
}

// A job that has ended, with the details that show all of it.
Stall measureFile(BenchWindow &bench, LoadThread &load, Figures &figures, qint64 bytes)
{
    const QString script =
        QStringLiteral("yes 'some eighty columns of what a program says that counts what it has done "
                       "so far: 1234567' | head -c %1; echo; echo 'error: the last line'");
    jobs::JobId id;
    jobs::JobSpec spec = benchJob({QStringLiteral("sh"), QStringLiteral("-c"), script.arg(bytes)});
    spec.outputLimit = 2 * bytes + 1024;
    load.run([&](zk::Client &zk) { return submit(zk, spec, &id); });
    waitFor([&] { return isIn(bench, id, jobs::JobState::Succeeded); }, "the end of a job");
    bench.stalls().restart();
    QElapsedTimer time;
    time.start();
    Q_EMIT bench.window().findChild<gui::JobPane *>()->detailsWanted(id);
    auto *const panel = bench.window().findChild<gui::JobPanel *>();
    panel->showOutput(true);
    auto *const output = panel->findChild<gui::JobOutput *>();
    waitFor([output] { return output->isWhole(); }, "reading the output");
    figures.add("file_mb", double(output->whole()->size()) / 1e6, u"megabytes that a job has written");
    figures.addMilliseconds("file_open_ms", std::chrono::nanoseconds(time.nsecsElapsed()), u"until all of it is shown");
    output->findChild<QLineEdit *>()->setText(QStringLiteral("THE LAST LINE"));
    figures.addMilliseconds("file_find_ms", searchTime(*output, [output] { return output->find(); }),
                            u"to find its last line from its first");
    figures.addMilliseconds("file_error_ms", searchTime(*output, [output] { return output->findError(); }),
                            u"to find its next error, which is there, too");
    const Stall stall{bench.stalls().longest(), bench.stalls().busiest()};
    figures.addMilliseconds("file_stall_ms", stall.longest, u"the longest stall meanwhile");
    closeDetails(bench);
    return stall;
}

} // namespace

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
    figures.addMilliseconds("flood_stall_ms", flood.longest, u"with some 30 MB/s of lines");
    const auto line = stallWith(bench, load, "while :; do head -c 20000 /dev/zero | tr '\\0' x; sleep 0.1; done", time);
    figures.addMilliseconds("line_stall_ms", line.longest, u"with 200 KB/s without a newline");
    const Stall file = measureFile(bench, load, figures, std::llround(double(FileBytes) * scale));
    figures.addMilliseconds("longest_stall_ms", std::max({flood.longest, line.longest, file.longest}),
                            u"the longest stall");
    figures.addMilliseconds("longest_busy_ms", std::max({flood.busiest, line.busiest, file.busiest}),
                            u"its most processor time at a time");
}

} // namespace drover::app
