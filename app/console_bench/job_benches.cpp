#include "app/console_bench/bench_window.h"
#include "app/console_bench/benches.h"
#include "app/console_bench/load_thread.h"
#include "app/console_bench/wait.h"
#include "app/environment/child_process.h"
#include "app/environment/programs.h"
#include "app/scratch/scratch_cluster.h"
#include "gui/inspector/job_panel.h"
#include "gui/widgets/job_pane.h"
#include "jobs/client/submitter.h"
#include "jobs/cluster/cluster_config.h"

#include <QAction>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto OutputSeconds = 30s; // of each kind of output

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

// While the details of a job show what `script` prints.
Stall stallWith(BenchWindow &bench, LoadThread &load, const char *script, std::chrono::milliseconds time)
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
    const Stall stall{bench.stalls().longest(), bench.stalls().busiest()};
    bench.window().findChild<QAction *>(QStringLiteral("window.inspector"))->trigger(); // closes it
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
    figures.addMilliseconds("longest_stall_ms", std::max(flood.longest, line.longest), u"the longest stall");
    figures.addMilliseconds("longest_busy_ms", std::max(flood.busiest, line.busiest),
                            u"its most processor time at a time");
}

} // namespace drover::app
