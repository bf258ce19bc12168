#include "app/bench/benches.h"
#include "app/bench/figures/distribution.h"
#include "app/scratch/scratch_cluster.h"
#include "jobs/client/submitter.h"
#include "jobs/client/wait_for_job.h"

#include <algorithm>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr int MaxWarmUp = 100;
constexpr auto Rest = 20ms; // until the worker is idle again

async::Duration sinceEpoch()
{
    return std::chrono::system_clock::now().time_since_epoch();
}

struct Latency {
    async::Duration start;
    async::Duration end;
};

async::Task<Latency> runOne(jobs::Cluster cluster, jobs::Submitter &submitter)
{
    const jobs::JobSpec spec = benchJob({QStringLiteral("/bin/date"), QStringLiteral("+%s%N")});
    const async::Duration before = sinceEpoch();
    const jobs::JobId id = co_await submitter.submit(spec);
    const jobs::FinalRecord record = co_await jobs::waitForEnd(cluster, id);
    const async::Duration after = sinceEpoch();
    bool isNumber = false;
    const async::Duration began(record.tail.trimmed().toLongLong(&isNumber));
    if (record.exitCode() != 0 || !isNumber)
        throw std::runtime_error(QStringLiteral("job %1 ended with code %2 and said \"%3\"")
                                     .arg(id.toString())
                                     .arg(record.exitCode())
                                     .arg(QString::fromUtf8(record.tail.trimmed()))
                                     .toStdString());
    co_return Latency{began - before, after - before};
}

} // namespace

async::Task<Figures> measureLatency(jobs::Cluster cluster, int count)
{
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster);
    jobs::Submitter submitter(cluster, config);
    Distribution starts;
    Distribution ends;
    for (int i = -std::min(count, MaxWarmUp); i < count; ++i) {
        const Latency latency = co_await runOne(cluster, submitter);
        if (i >= 0) {
            starts.add(latency.start);
            ends.add(latency.end);
        }
        co_await async::sleepFor(cluster.zk.loop(), Rest);
    }
    Figures figures("latency");
    figures.add("job_count", count, "jobs, one at a time");
    figures.addTimes("", starts, "submit to process start");
    figures.addTimes("end_", ends, "submit to knowing the end");
    co_return figures;
}

} // namespace drover::app
