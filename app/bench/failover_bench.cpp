#include "app/bench/benches.h"
#include "app/bench/setup/bulk_submit.h"
#include "app/scratch/scratch_cluster.h"
#include "jobs/client/submitter.h"
#include "jobs/client/wait_for_job.h"
#include "recipes/blocks/persistent.h"
#include "recipes/elections/leader_latch.h"

#include <QFile>

#include <algorithm>
#include <map>

namespace drover::app {

using namespace std::chrono_literals;
using recipes::Persistent;
using std::chrono::milliseconds;

namespace {

constexpr auto PollInterval = 5ms;
constexpr auto StallLimit = 120s;
// How long requests that a process has sent just before its death may take to be carried out.
constexpr auto Settling = 200ms;

std::runtime_error failure(const QString &what)
{
    return std::runtime_error(what.toStdString());
}

milliseconds wallClock()
{
    return std::chrono::duration_cast<milliseconds>(std::chrono::system_clock::now().time_since_epoch());
}

class FailoverBench
{
public:
    FailoverBench(BenchCluster &cluster, FailoverBenchOptions options)
        : m_cluster(cluster), m_options(options), m_handle(cluster.handle()),
          m_startsPath(cluster.directory() + QStringLiteral("/starts"))
    {
    }

    async::Task<Figures> run()
    {
        for (int i = 1; i <= m_options.workers; ++i) {
            WorkerProcess *const worker = co_await m_cluster.join(QStringLiteral("worker-%1").arg(i),
                                                                  m_options.slotCount, m_options.sessionTimeout);
            m_workers.push_back(worker);
        }
        co_await killWorker();
        co_await killMaster();
        co_return m_figures;
    }

private:
    async::Task<void> killWorker();
    async::Task<void> killMaster();

    // Polls until there is one.
    async::Task<QByteArray> master()
    {
        recipes::LeaderLatch latch(m_handle.zk, m_handle.layout.master());
        const async::TimePoint deadline = m_handle.zk.loop().now() + StallLimit;
        while (m_handle.zk.loop().now() < deadline) {
            const std::optional<recipes::Participant> leader = co_await latch.leader();
            if (leader)
                co_return leader->data;
            co_await async::sleepFor(m_handle.zk.loop(), PollInterval);
        }
        throw failure(QStringLiteral("no worker has become master"));
    }

    WorkerProcess *workerOf(const QByteArray &id)
    {
        const auto found = std::find_if(m_workers.begin(), m_workers.end(),
                                        [&](WorkerProcess *worker) { return worker->id().toLatin1() == id; });
        if (found == m_workers.end())
            throw failure(QStringLiteral("%1 is not one of our workers").arg(QString::fromUtf8(id)));
        return *found;
    }

    jobs::JobSpec job() const
    {
        jobs::JobSpec spec = benchJob({QStringLiteral("/bin/sh"), QStringLiteral("-c"),
                                       QStringLiteral("echo \"$DROVER_JOB_ID $(date +%s%3N)\" >> \"$1\"; sleep 0.2"),
                                       QStringLiteral("job"), m_startsPath});
        return spec;
    }

    async::Task<void> awaitDone(qint64 count);
    std::map<jobs::JobId, std::vector<milliseconds>> starts() const;
    void compare(const QSet<jobs::JobId> &lost, milliseconds killed);

    BenchCluster &m_cluster;
    FailoverBenchOptions m_options;
    const jobs::Cluster m_handle;
    QString m_startsPath;
    std::vector<WorkerProcess *> m_workers;
    Figures m_figures{"failover"};
};

async::Task<void> FailoverBench::awaitDone(qint64 count)
{
    const std::function<void()> nothingElse = [] {};
    co_await awaitEnded(m_handle, count, nothingElse);
}

std::map<jobs::JobId, std::vector<milliseconds>> FailoverBench::starts() const
{
    QFile file(m_startsPath);
    if (!file.open(QIODevice::ReadOnly))
        throw failure(QStringLiteral("cannot read %1: %2").arg(m_startsPath, file.errorString()));
    std::map<jobs::JobId, std::vector<milliseconds>> all;
    for (const QByteArray &line : file.readAll().trimmed().split('\n')) {
        const QByteArrayList words = line.split(' ');
        const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromLatin1(words.first()));
        if (!id || words.size() != 2)
            throw failure(QStringLiteral("a job has written \"%1\"").arg(QString::fromUtf8(line)));
        all[*id].push_back(milliseconds(words[1].toLongLong()));
    }
    return all;
}

// What was lost runs again, and nothing else.
void FailoverBench::compare(const QSet<jobs::JobId> &lost, milliseconds killed)
{
    qint64 repeated = 0;
    milliseconds again{};
    for (const auto &[id, times] : starts()) {
        if (times.size() > 1 && !lost.contains(id))
            throw failure(QStringLiteral("job %1 ran twice, and its worker lives").arg(id.toString()));
        if (lost.contains(id))
            again = std::max(again, *std::max_element(times.begin(), times.end()) - killed);
        repeated += times.size() > 1;
    }
    m_figures.add("lost_jobs", lost.size(), "claimed by the worker that was killed");
    m_figures.add("repeated_jobs", repeated, "began twice; all of them among those");
    m_figures.addMilliseconds("again_ms", again, "kill to the last of them running again");
    m_figures.addMilliseconds("limit_ms", m_options.sessionTimeout + 1s, "session time-out and a second");
}

async::Task<void> FailoverBench::killWorker()
{
    const QByteArray leader = co_await master();
    const auto other = [&](WorkerProcess *worker) { return worker->id().toLatin1() != leader; };
    WorkerProcess *const victim = *std::find_if(m_workers.begin(), m_workers.end(), other);
    const QSet<jobs::JobId> ids = co_await submitMany(m_handle, job(), m_options.jobs);
    co_await awaitDone(m_options.jobs / 3);
    victim->kill9();
    const milliseconds killed = wallClock();
    co_await async::sleepFor(m_handle.zk.loop(), Settling);
    const std::vector<jobs::JobId> claimed = co_await claimsOf(m_handle, victim->id());
    const QSet<jobs::JobId> lost(claimed.begin(), claimed.end());
    if (lost.isEmpty())
        throw failure(QStringLiteral("the worker that was killed had no job; give it more with --jobs"));
    std::erase(m_workers, victim);
    co_await awaitDone(m_options.jobs);
    const std::vector<jobs::FinalRecord> records = co_await readRecords(m_handle);
    requireOneGoodEnd(records, ids);
    m_figures.add("worker_count", m_options.workers, QStringLiteral("of %1 slots each").arg(m_options.slotCount));
    m_figures.add("job_count", m_options.jobs, "of 0.2 s; each has ended once, and well");
    compare(lost, killed);
}

async::Task<void> FailoverBench::killMaster()
{
    jobs::JobSpec waits = benchJob({QStringLiteral("/bin/true")});
    waits.notes.notBefore = wallClock() + 24h;
    co_await submitMany(m_handle, waits, m_options.unfinished);
    const QByteArray leader = co_await master();
    recipes::LeaderLatch latch(m_handle.zk, m_handle.layout.master());
    const std::optional<recipes::Participant> old = co_await latch.leader();

    workerOf(leader)->kill9();
    const async::TimePoint killed = m_handle.zk.loop().now();
    const std::vector<jobs::FinalRecord> records = co_await readRecords(m_handle);
    jobs::JobSpec turn = benchJob({QStringLiteral("/bin/true")});
    turn.after.push_back({jobs::Dependency::Kind::Any, records.front().id});
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(m_handle);
    jobs::Submitter submitter(m_handle, config);
    const jobs::JobId id = co_await submitter.submit(turn);

    const zk::Path place = old->fence.path;
    const async::TimePoint deadline = killed + StallLimit;
    for (zk::Code code = zk::Code::Ok; code != zk::Code::NoNode;) {
        const zk::Answer<zk::Stat> stillThere = co_await Persistent(m_handle.zk).exists(place);
        code = stillThere.code();
        if (m_handle.zk.loop().now() > deadline)
            throw failure(QStringLiteral("the dead master's place in the election does not go"));
        co_await async::sleepFor(m_handle.zk.loop(), PollInterval);
    }
    const async::TimePoint elected = m_handle.zk.loop().now();
    const jobs::FinalRecord record = co_await jobs::waitForEnd(m_handle, id);
    const async::TimePoint works = m_handle.zk.loop().now();
    if (record.exitCode() != 0)
        throw failure(QStringLiteral("job %1 ended with code %2 %3")
                          .arg(id.toString())
                          .arg(record.exitCode())
                          .arg(record.reason));
    m_figures.add("unfinished", m_options.unfinished, "jobs that wait, when the master is killed");
    m_figures.addMilliseconds("elected_ms", elected - killed, "kill to the next master's election");
    m_figures.addMilliseconds("works_ms", works - elected, "from there to the end of a job that it let run");
}

} // namespace

async::Task<Figures> measureFailover(BenchCluster &cluster, FailoverBenchOptions options)
{
    FailoverBench bench(cluster, options);
    co_return co_await bench.run();
}

} // namespace drover::app
