#include "app/bench/figures/distribution.h"
#include "app/bench/setup/bulk_submit.h"
#include "app/console_bench/bench_window.h"
#include "app/console_bench/benches.h"
#include "app/console_bench/load_thread.h"
#include "app/console_bench/wait.h"
#include "app/scratch/process_usage.h"
#include "app/scratch/scratch_cluster.h"

#include <QCoreApplication>
#include <QElapsedTimer>
#include <QProcess>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr int Jobs = 1'000; // as many as the cluster takes
constexpr int Starts = 5;
constexpr auto RestTime = 20s;

async::Task<void> fill(zk::Client &zk)
{
    const jobs::Cluster cluster(zk, jobs::Layout(QByteArrayLiteral("default")));
    const jobs::JobSpec spec = benchJob({QStringLiteral("true")});
    co_await submitMany(cluster, spec, Jobs);
}

std::unique_ptr<QProcess> startConsole(const LoadThread &load, const QStringList &more)
{
    auto console = std::make_unique<QProcess>();
    QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
    environment.insert(QStringLiteral("QT_QPA_PLATFORM"), QStringLiteral("offscreen"));
    environment.insert(QStringLiteral("XDG_CONFIG_HOME"), load.directory());
    console->setProcessEnvironment(environment);
    console->setProcessChannelMode(QProcess::ForwardedErrorChannel);
    console->start(QCoreApplication::applicationFilePath(),
                   QStringList{QStringLiteral("--connect"), load.connectString(), QStringLiteral("--credentials"),
                               QStringLiteral("none")}
                       + more);
    return console;
}

} // namespace

void benchStart(Figures &figures, double scale)
{
    LoadThread load;
    load.run(fill);
    Distribution times;
    for (int i = 0; i < Starts; ++i) {
        QElapsedTimer clock;
        clock.start();
        const auto console =
            startConsole(load,
                         {QStringLiteral("--after"), QStringLiteral("1ms"), QStringLiteral("--screenshot"),
                          load.directory() + QStringLiteral("/start.png")});
        waitFor([&console] { return console->state() == QProcess::NotRunning; }, "a picture");
        if (console->exitCode() != 0)
            throw std::runtime_error("the console cannot make a picture");
        times.add(std::chrono::nanoseconds(clock.nsecsElapsed()));
    }
    const auto resting = startConsole(load, {});
    goOnFor(3s);
    const double before = cpuSeconds(resting->processId());
    const std::chrono::milliseconds rest = std::chrono::duration_cast<std::chrono::milliseconds>(RestTime * scale);
    goOnFor(rest);
    const double used = cpuSeconds(resting->processId()) - before;
    const qint64 memory = residentBytes(resting->processId());
    resting->terminate();
    resting->waitForFinished();

    BenchWindow bench(load.connectString());
    bench.stalls().restart();
    bench.connect();
    goOnFor(1s);
    figures.add("job_count", Jobs, u"in the cluster");
    figures.addMilliseconds("filled_ms", times.median(),
                            u"from the start of the program to the picture of a filled window");
    figures.add("idle_cpu_share", used / std::chrono::duration<double>(rest).count(), u"of a core, at rest");
    figures.addMebibytes("idle_rss_mb", memory, u"resident memory at rest");
    figures.addMilliseconds("longest_stall_ms", bench.stalls().longest(), u"the longest stall while it fills");
    figures.addMilliseconds("longest_busy_ms", bench.stalls().busiest(), u"its most processor time at a time");
}

} // namespace drover::app
