#include "app/demo/demo_run.h"

#include "app/demo/report_check.h"
#include "app/demo/snapshot.h"
#include "app/environment/local_trust.h"
#include "app/environment/private_server.h"
#include "app/scratch/scratch_cluster.h"
#include "async/offload.h"
#include "async/or_timeout.h"
#include "recipes/blocks/persistent.h"
#include "recipes/elections/leader_latch.h"
#include "text/quantity.h"

#include <QCoreApplication>
#include <QJsonObject>

#include <cmath>

namespace drover::app {

using namespace std::chrono_literals;
using recipes::Persistent;
using zk::Answer;

namespace {

constexpr auto PollInterval = 10ms;
constexpr auto Patience = 60s; // for what takes a few seconds
constexpr qsizetype Lanes = 64; // submits under way

QString seconds(async::Duration duration)
{
    return QStringLiteral("%1 s").arg(std::chrono::duration<double>(duration).count(), 0, 'f', 1);
}

} // namespace

QJsonObject DemoResult::json() const
{
    return {{QStringLiteral("ok"), ok},
            {QStringLiteral("job_count"), jobs},
            {QStringLiteral("worker_count"), workers},
            {QStringLiteral("lost"), lost},
            {QStringLiteral("repeated"), repeated},
            {QStringLiteral("rerun"), rerun},
            {QStringLiteral("per_s"), std::round(perSecond * 1000) / 1000},
            {QStringLiteral("elapsed_ms"), std::round(seconds * 1000)}};
}

DemoRun::DemoRun(async::Loop &loop, InputFiles input, int workers, QString directory, Say say)
    : m_loop(loop), m_input(std::move(input)), m_workerCount(workers),
      m_slotsPerWorker(m_input.files.size() < qsizetype(4) * workers ? 1 : 2), m_directory(std::move(directory)),
      m_say(std::move(say)), m_layout(QByteArrayLiteral("demo")), m_report(m_directory + QStringLiteral("/report")),
      m_server(loop, privateServer(m_directory + QStringLiteral("/zookeeper")))
{
}

async::Task<void> DemoRun::start()
{
    co_await m_server.start();
    m_say(QStringLiteral("a private ZooKeeper runs at %1").arg(connectString()));
    const LocalTrust trust(m_directory + QStringLiteral("/trust"), m_layout, connectString());
    m_credentialsFile = trust.file();
    m_credentials = trust.credentials();
    const zk::SessionOptions options{.servers = connectString(), .access = trust.access()};
    m_session = std::make_unique<zk::Session>(m_loop, options);
    m_session->open();
    co_await async::orTimeout(m_loop, m_session->connected(), Patience);
    co_await trust.closeServer(*m_session);
    co_await makeScratchCluster(cluster(), m_input.files.size());

    for (int i = 1; i <= m_workerCount; ++i) {
        WorkerProcess::Options worker;
        worker.connect = connectString();
        worker.cluster = m_layout.clusterName();
        worker.credentials = m_credentialsFile;
        worker.id = QStringLiteral("worker-%1").arg(i);
        worker.slotCount = m_slotsPerWorker;
        worker.directory = QStringLiteral("%1/%2").arg(m_directory, worker.id);
        worker.sessionTimeout = SessionTimeout;
        m_workers.push_back(std::make_unique<WorkerProcess>(std::move(worker)));
    }
    for (const auto &worker : m_workers)
        co_await awaitJoined(cluster(), *worker);
    m_say(QStringLiteral("%1 have joined, with %2 slots each")
              .arg(text::formatCount(m_workerCount, "worker", "workers"))
              .arg(m_slotsPerWorker));
}

async::Task<DemoResult> DemoRun::run()
{
    const QByteArray master = co_await awaitMaster(QByteArray());
    m_say(QStringLiteral("%1 is master").arg(QString::fromLatin1(master)));

    // The lock half way shows everybody at work. With few files they would be through before we are in its line: then
    // it is held from the beginning.
    const qint64 half = m_input.files.size() / 2;
    std::optional<recipes::Lock> lock;
    const async::TimePoint begin = m_loop.now();
    if (half < totalSlots()) {
        recipes::Lock held = co_await holdLock();
        lock.emplace(std::move(held));
    }
    co_await submitAll();
    if (!lock) {
        co_await awaitHalf(half);
        recipes::Lock held = co_await holdLock();
        lock.emplace(std::move(held));
    }
    const Loss loss = co_await killMaster(master);
    lock->release();
    co_await showNewMaster(loss);
    for (const jobs::JobId &id : loss.jobs)
        co_await showSecondAttempt(id);

    const std::function<void()> alive = [this] { requireWorkers(); };
    co_await awaitEnded(cluster(), m_input.files.size(), alive);
    co_return co_await settle(m_loop.now() - begin);
}

async::Task<void> DemoRun::stop()
{
    for (const auto &worker : m_workers)
        worker->terminate();
    const async::TimePoint deadline = m_loop.now() + 5s;
    for (const auto &worker : m_workers) {
        while (worker->running() && m_loop.now() < deadline)
            co_await async::sleepFor(m_loop, PollInterval);
    }
    m_workers.clear(); // kills what is left
    co_await m_session->close();
    co_await m_server.stop();
}

// Waits until a worker other than `other` leads, and returns its id.
async::Task<QByteArray> DemoRun::awaitMaster(QByteArray other)
{
    recipes::LeaderLatch latch(*m_session, m_layout.master());
    const async::TimePoint deadline = m_loop.now() + Patience;
    while (m_loop.now() < deadline) {
        const std::optional<recipes::Participant> leader = co_await latch.leader();
        if (leader && leader->data != other)
            co_return leader->data;
        requireWorkers();
        co_await async::sleepFor(m_loop, PollInterval);
    }
    throw std::runtime_error("no worker became master within a minute");
}

async::Task<void> DemoRun::submitAll()
{
    const jobs::ClusterConfig config = co_await jobs::readClusterConfig(cluster());
    jobs::Submitter submitter(cluster(), config);
    const async::TimePoint begin = m_loop.now();
    for (qsizetype from = 0; from < m_input.files.size(); from += Lanes) {
        const QStringList flight = m_input.files.mid(from, Lanes);
        std::exception_ptr failure;
        async::TaskGroup submits([&failure](const std::exception_ptr &error) { failure = error; });
        for (const QString &file : flight)
            submits.spawn(submitOne(submitter, file));
        co_await submits.drained();
        if (failure)
            std::rethrow_exception(failure);
    }
    m_say(QStringLiteral("%1 submitted in %2: count the words of one file each, and add a line to one report")
              .arg(text::formatCount(m_input.files.size(), "job", "jobs"), seconds(m_loop.now() - begin)));
}

async::Task<void> DemoRun::submitOne(jobs::Submitter &submitter, QString file)
{
    const QString name = m_input.nameOf(file);
    // The job locks the report in the closed cluster.
    jobs::JobSpec spec = benchJob({QCoreApplication::applicationFilePath(), QStringLiteral("demo-count"),
                                   QStringLiteral("--credentials"), m_credentialsFile, QStringLiteral("--"), file, name,
                                   m_report.file()});
    spec.name = name;
    const jobs::JobId id = co_await submitter.submit(std::move(spec));
    m_names.emplace(id, name);
}

async::Task<recipes::Lock> DemoRun::holdLock()
{
    recipes::ReadWriteLock named(*m_session, m_layout.lock(ReportLock));
    recipes::Lock lock =
        co_await named.writer().acquire(QByteArrayLiteral("the demo itself: everybody else stands still"));
    co_return lock;
}

async::Task<DemoRun::Loss> DemoRun::killMaster(QByteArray master)
{
    co_await awaitFullLine(master);
    const DemoReport report = m_report;
    const std::function<DemoReport::Content()> read = [report] { return report.read(); };
    const DemoReport::Content content = co_await async::offload(m_loop, read);
    m_say(QStringLiteral("%1 of %2 lines are in the report; the demo holds its lock, to look at the znodes:")
              .arg(content.lines.size())
              .arg(m_input.files.size()));
    const QStringList drawing = co_await drawZnodes(cluster(), ReportLock);
    for (const QString &line : drawing)
        m_say(line);

    const std::vector<jobs::JobId> claimed = co_await claimsOf(cluster(), QString::fromLatin1(master));
    Loss loss{QString::fromLatin1(master), {}, claimed};
    WorkerProcess *const victim = worker(master);
    const qint64 pid = victim->pid();
    victim->kill9();
    m_victim = master;
    loss.killed = m_loop.now();
    QStringList names;
    for (const jobs::JobId &id : loss.jobs)
        names += nameOf(id);
    m_say(QStringLiteral("kill -9 %1: %2, the master, dies with %3%4")
              .arg(pid)
              .arg(loss.master, text::formatCount(names.size(), "job", "jobs"),
                   names.isEmpty() ? QString() : QStringLiteral(": ") + names.join(QStringLiteral(", "))));
    co_return loss;
}

// Until those who have ended and those who wait for the lock are half of all: who stands in line now gets it half way.
async::Task<void> DemoRun::awaitHalf(qint64 half)
{
    const zk::Path line = m_layout.lock(ReportLock);
    for (;;) {
        const Answer<zk::Stat> ended = co_await Persistent(*m_session).exists(m_layout.done());
        const Answer<zk::Stat> waiting = co_await Persistent(*m_session).exists(line); // missing at first: no children
        if (ended->numChildren + waiting->numChildren >= half)
            co_return;
        requireWorkers();
        co_await async::sleepFor(m_loop, PollInterval / 5);
    }
}

// Until all slots, or all jobs that are left, wait in the lock's line, and the master has one of them; not for long, as
// a slot may be between two jobs.
async::Task<void> DemoRun::awaitFullLine(QByteArray master)
{
    const async::TimePoint deadline = m_loop.now() + 5s;
    const zk::Path line = m_layout.lock(ReportLock);
    while (m_loop.now() < deadline) {
        const Answer<zk::Stat> waiting = co_await Persistent(*m_session).exists(line);
        const Answer<zk::Stat> ended = co_await Persistent(*m_session).exists(m_layout.done());
        const std::vector<jobs::JobId> claimed = co_await claimsOf(cluster(), QString::fromLatin1(master));
        const qint64 left = m_input.files.size() - ended->numChildren;
        const qint64 full = std::min<qint64>(left, totalSlots());
        if (waiting->numChildren - 1 >= full && !claimed.empty())
            co_return;
        co_await async::sleepFor(m_loop, PollInterval);
    }
}

async::Task<void> DemoRun::showNewMaster(Loss loss)
{
    const QByteArray master = co_await awaitMaster(m_victim);
    m_say(QStringLiteral("%1 is master, %2 after the kill: as long as the dead one's session lived")
              .arg(QString::fromLatin1(master), seconds(m_loop.now() - loss.killed)));
}

async::Task<void> DemoRun::showSecondAttempt(jobs::JobId id)
{
    for (;;) {
        const jobs::JobView view = co_await jobs::lookUp(cluster(), id);
        const int attempt = view.record ? view.record->attempts.number()
            : view.claim                ? view.claim->attempts.number()
                                        : 0;
        if (attempt > 1) {
            m_say(QStringLiteral("%1 (%2) runs again: attempt %3, on %4")
                      .arg(id.toString(), nameOf(id))
                      .arg(attempt)
                      .arg(view.record ? view.record->worker : view.claim->worker));
            co_return;
        }
        if (view.record)
            co_return; // it had ended before its worker died
        requireWorkers();
        co_await async::sleepFor(m_loop, PollInterval);
    }
}

async::Task<DemoResult> DemoRun::settle(async::Duration elapsed)
{
    const std::vector<jobs::FinalRecord> records = co_await readRecords(cluster());
    DemoResult result;
    int failed = 0;
    for (const jobs::FinalRecord &record : records) {
        result.rerun += record.attempts.number() > 1;
        if (record.state() == jobs::JobState::Succeeded)
            continue;
        ++failed;
        m_say(QStringLiteral("%1 (%2) failed with code %3: %4")
                  .arg(record.id.toString(), nameOf(record.id))
                  .arg(record.exitCode())
                  .arg(QString::fromUtf8(record.tail.trimmed())));
    }
    const std::function<ReportCheck()> compare = [input = m_input, report = m_report] {
        return checkReport(input, report);
    };
    const ReportCheck check = co_await async::offload(m_loop, compare);
    m_say(QStringLiteral("the report against a plain count of %1 words: %2 lost, %3 repeated, %4 torn, %5 wrong")
              .arg(check.words)
              .arg(check.lost)
              .arg(check.repeated)
              .arg(check.malformed)
              .arg(check.wrong));
    result.jobs = static_cast<int>(m_input.files.size());
    result.workers = m_workerCount;
    result.lost = check.lost;
    result.repeated = check.repeated;
    result.seconds = std::chrono::duration<double>(elapsed).count();
    result.perSecond = result.jobs / result.seconds;
    result.ok = check.ok() && failed == 0 && records.size() == static_cast<std::size_t>(result.jobs);
    co_return result;
}

WorkerProcess *DemoRun::worker(const QByteArray &id)
{
    for (const auto &worker : m_workers) {
        if (worker->id() == QString::fromLatin1(id))
            return worker.get();
    }
    throw std::runtime_error("the master is not a worker of the demo: " + id.toStdString());
}

// All but the one we killed.
void DemoRun::requireWorkers() const
{
    for (const auto &worker : m_workers) {
        if (worker->id() != QString::fromLatin1(m_victim))
            worker->requireRunning();
    }
}

QString DemoRun::nameOf(const jobs::JobId &id) const
{
    const auto name = m_names.find(id);
    return name == m_names.end() ? id.toString() : name->second;
}

} // namespace drover::app
