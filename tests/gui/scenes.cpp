#include "gui/scenes.h"

#include "gui/fixed_clock.h"
#include "gui/recording/recorder.h"
#include "jobs/schedules/schedules.h"

#include <cmath>

namespace drover::test {

using namespace gui;
using namespace std::chrono_literals;
using jobs::JobState;

namespace {

constexpr qint64 Second = 1000;

JobRow rowOf(const QByteArray &queue, int number, const QString &worker, qint64 since)
{
    JobRow row;
    row.id = {queue, number};
    row.state = JobState::Running;
    row.loaded = true;
    row.name = QStringLiteral("words %1").arg(number);
    row.command = QStringList{QStringLiteral("wc"), QStringLiteral("-w"), QStringLiteral("/srv/text/%1").arg(number)};
    row.worker = worker;
    row.attempt = 1;
    row.since = since;
    return row;
}

LockRow ticketOf(const QByteArray &lock, int place, const QByteArray &about)
{
    return {.lock = lock,
            .place = place,
            .ticket = lock + "-" + QByteArray::number(place),
            .about = about,
            .session = 0x100000000000001 + place,
            .since = FixedNow - 9 * Minute,
            .czxid = 0x100000005 + place};
}

} // namespace

void showSomeLoad(ConsoleModels &models)
{
    std::vector<LoadSample> samples;
    for (int i = 0; i < 360; ++i) {
        if (i >= 200 && i < 220)
            continue;
        samples.push_back({.at = FixedNow - (360 - i) * 5000,
                           .width = 5000,
                           .ready = 14 + qint64(9 * std::sin(i / 25.0)),
                           .running = 5 + qint64(2 * std::cos(i / 40.0)),
                           .submitted = i % 4,
                           .ended = (i + 1) % 3});
    }
    models.load.restore(samples);
    showSomeDepths(models.queues);
}

void showSomeDepths(QueueHistory &history)
{
    QList<QueueDepth> present;
    for (const char *const queue : {"default", "gpu", "nightly"}) {
        if (const QueueDepth now = history.now(queue); !now.name.isEmpty())
            present.append(now);
    }
    history.clear();
    QList<QueueDepth> queues = {{"default", 9}, {"gpu", 6}, {"nightly", 3}};
    for (int i = 0; i < 600; ++i) {
        queues[0].depth = 9 + qint64(5 * std::sin(i / 60.0));
        queues[1].depth = 6 + i / 200;
        history.show(queues);
        history.sampleAt(FixedNow - (600 - i) * QueueHistory::Interval.count());
    }
    if (!present.isEmpty())
        history.show(present);
}

void showPastJobs(ConsoleModels &models)
{
    constexpr qint64 Step = Minute / 2;
    const JobsSnapshot present = models.jobs.snapshot();
    for (int step = 0; step < 56; ++step) {
        JobsSnapshot jobs = present;
        const qint64 now = FixedNow - (60 - step) * Step;
        setClock(now);
        for (int line = 0; line < 6; ++line) {
            const int length = 4 + 3 * (line % 4); // steps of a job, in the last of which it has ended
            const int number = 100 * (line + 1) + step / length;
            const int place = step % length;
            JobRow row = rowOf("default", number, QStringLiteral("worker-%1").arg(1 + line % 3), now - place * Step);
            if (place == length - 1 || step == 55)
                row.state = number % 5 == 3 ? JobState::Failed : JobState::Succeeded;
            jobs.rows.append(row);
        }
        models.attempts.show(jobs);
    }
    setClock(FixedNow);
    models.attempts.show(present);
}

void showPastAnswers(ConsoleModels &models)
{
    constexpr qint64 Interval = std::chrono::milliseconds(EnsembleSnapshot::Interval).count();
    constexpr int Samples = 240;
    EnsembleSnapshot ensemble = models.ensemble.now();
    models.ensembleHistory.show({});
    for (int i = 0; i < Samples; ++i) {
        setClock(FixedNow - (Samples - i) * Interval);
        for (int server = 0; server < int(ensemble.servers.size()); ++server) {
            zk::ServerReport &report = ensemble.servers[std::size_t(server)];
            const double wave = std::sin(i / (9.0 + 4.0 * server));
            report.answeredIn = std::chrono::microseconds(1800 + int(700 * wave) + 300 * server);
            const int outstanding = std::max(0, int(4 * wave) - server);
            report.answers["srvr"] = QStringLiteral("Connections: %1\nOutstanding: %2\n")
                                         .arg(10 + 3 * server + (i / 40 + server) % 4)
                                         .arg(outstanding)
                                         .toLatin1();
        }
        models.ensembleHistory.show(ensemble);
    }
    setClock(FixedNow);
}

void addWaits(WindowFixture &fixture)
{
    const std::pair<QByteArray, QByteArrayList> locks[] = {
        {"index", {"worker-2 job gpu-1", "worker-2 job gpu-2", "ada@node1 pid 4711"}},
        {"mirror", {"grace@node2 pid 812", "alan@node3 pid 93"}}};
    for (const auto &[name, contenders] : locks)
        fixture.run(fixture.cluster.addLock(name, contenders));
    fixture.world.runFor(2s);
}

void addDeadlock(WindowFixture &fixture)
{
    const QByteArray job = "worker-2 job gpu-1";
    const QByteArray program = "ada@node1 pid 4711";
    fixture.run(fixture.cluster.addLock("index", {job, program}));
    fixture.run(fixture.cluster.addLock("mirror", {program, job}));
    fixture.world.runFor(3s);
}

void addSchedules(WindowFixture &fixture)
{
    const std::tuple<QByteArray, const char *, bool> schedules[] = {
        {"nightly-backup", "30 2 * * *", false}, {"report", "0 8 * * 1-5", false},
        {"heartbeat", "*/10 * * * *", false},    {"reindex", "0 3 * * 0,3", false},
        {"invoices", "15 8 1,3 * *", true},      {"cleanup", "0 4,16 * * *", false}};
    const jobs::Cluster written(*fixture.writer, fixture.cluster.layout());
    for (const auto &[name, when, paused] : schedules) {
        jobs::ScheduleEntry entry{.when = jobs::CronSchedule::parse(QString::fromLatin1(when)), .job = {}};
        entry.job = SampleCluster::spec({QStringLiteral("/usr/local/bin/%1").arg(QString::fromLatin1(name))});
        entry.lastTick = std::chrono::milliseconds(FixedNow);
        entry.paused = paused;
        fixture.run(jobs::addSchedule(written, name, entry));
    }
    fixture.world.runFor(2s);
}

void letThingsHappen(WindowFixture &fixture)
{
    using Outcome = jobs::FinalRecord::Outcome;
    SampleCluster &cluster = fixture.cluster;
    fixture.world.runFor(2s);
    for (int i = 0; i < 6; ++i) {
        jobs::JobSpec spec = SampleCluster::spec({QStringLiteral("make"), QStringLiteral("target-%1").arg(i)});
        spec.name = QStringLiteral("build %1").arg(i);
        const jobs::JobId id = fixture.run(cluster.addJob(spec));
        fixture.world.runFor(1s);
        fixture.run(cluster.claim(id, QStringLiteral("worker-%1").arg(1 + i % 3)));
        fixture.world.runFor(1s);
        if (i < 4)
            fixture.run(cluster.finish(id, Outcome::Exited, i == 2 ? 2 : 0, "done\n"));
        fixture.world.runFor(1s);
    }
    fixture.run(cluster.addLock("deploy", {"worker-1 job default-14", "worker-2 job default-15"}));
    fixture.world.runFor(2s);
}

void recordSomeMinutes()
{
    qint64 now = FixedNow - 9 * Minute;
    Recorder recorder([&now] { return now; });
    SessionStatus status;
    status.phase = SessionStatus::Phase::Connected;
    status.target = {Nowhere, "default"};
    JobsSnapshot jobs;
    jobs.clusterExists = true;
    for (int i = 0; i < 12; ++i) {
        jobs.rows.append(rowOf(i % 3 == 2 ? "gpu" : "default", 40 + i, {}, now - i * Second));
        jobs.rows.last().state = JobState::Ready;
        jobs.rows.last().attempt = 0;
    }
    const auto begin = [&] {
        recorder.showStatus(status);
        recorder.showJobs(jobs);
        recorder.showQueues({{"default", 8}, {"gpu", 4}});
        recorder.showLocks(
            {ticketOf("report", 0, "worker-1 job default-40"), ticketOf("report", 1, "ada@node1 pid 4711")});
        recorder.setOn(true);
    };
    const auto runUntil = [&](qint64 end, qint64 step) {
        for (qint64 i = 0; now < end; ++i, now += Second) {
            JobRow &row = jobs.rows[(i / step) % jobs.rows.size()];
            if (i % step == step / 2 && row.state != JobState::Succeeded) {
                row.state = row.state == JobState::Ready ? JobState::Running : JobState::Succeeded;
                row.attempt = 1;
                row.worker = QStringLiteral("worker-%1").arg(1 + i % 3);
                row.since = now;
                recorder.showJobs(jobs);
            }
            recorder.flush();
        }
    };
    begin();
    runUntil(FixedNow - 5 * Minute, 20);
    SessionStatus lost = status;
    lost.phase = SessionStatus::Phase::Disconnected;
    recorder.showStatus(lost);
    recorder.flush();
    now += Minute;
    begin();
    runUntil(FixedNow - Second, 25);
}

} // namespace drover::test
