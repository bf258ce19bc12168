#include "core/jobs/job_cluster.h"
#include "jobs/client/reposition.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/limits.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/events/event_feed.h"
#include "jobs/schedules/schedules.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// What a watcher hears, a line each.
class ListenAddress
{
public:
    ListenAddress(JobCluster &fake, int who)
        : m_feed(fake.cluster(who), [this](const Event &event) { heard.append(lineOf(event)); })
    {
        m_running.spawn(m_feed.run());
        fake.settle(1s);
    }

    QStringList heard;

private:
    static QString lineOf(const Event &event)
    {
        QStringList words{kindName(event.kind)};
        if (event.job)
            words << event.job->toString() << stateName(event.state);
        if (!event.queue.isEmpty())
            words << QString::fromLatin1(event.queue);
        if (!event.worker.isEmpty())
            words << event.worker;
        if (!event.waits.isEmpty())
            words << event.waits;
        if (event.kind == Event::Kind::Failed)
            words << QString::number(event.exitCode);
        if (!event.by.isEmpty())
            words << event.by;
        if (event.kind == Event::Kind::QueueLimited || event.kind == Event::Kind::LimitSet)
            words << QString::number(event.limit);
        if (event.kind >= Event::Kind::LimitSet)
            words << event.name;
        return words.join(u' ');
    }

    EventFeed m_feed;
    async::TaskGroup m_running{[](const std::exception_ptr &) {}};
};

async::Task<void> watchUntilLost(Cluster cluster, bool &lost)
{
    EventFeed feed(std::move(cluster), [](const Event &) {});
    try {
        co_await feed.run();
    } catch (const zk::SessionLost &) {
        lost = true;
    }
}

} // namespace

class EventFeedTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void theEventsOfAJobAreReported()
    {
        JobCluster fake(3);
        const ListenAddress watcher(fake, 2);
        const JobId id = fake.submit();
        fake.settle(1s);
        fake.claim(id, 1);
        fake.settle(1s);
        fake.commit(zk::Transaction()
                        .remove(fake.pathOf(id))
                        .remove(fake.layout.claim(id))
                        .create(fake.layout.done(id), FinalRecord::of(id, JobCluster::spec()).encode()));
        fake.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("started default-0 running w"),
                         QStringLiteral("ended default-0 succeeded")}));
    }

    void existingJobsAreNotReported()
    {
        JobCluster fake(3);
        const JobId id = fake.submit();
        fake.claim(id, 1);
        const ListenAddress watcher(fake, 2);
        QVERIFY(watcher.heard.isEmpty());
        fake.session(1).crash();
        fake.settle(1min); // until its session has expired
        QCOMPARE(watcher.heard, QStringList{QStringLiteral("stopped default-0 ready w")});
    }

    void moversAreNotNewcomers()
    {
        JobCluster fake(2);
        const ListenAddress watcher(fake, 1);
        const JobId id = fake.submit();
        fake.settle(1s);
        const QueueEntry from = *QueueEntry::parse(fake.pathOf(id).name());
        QueueEntry to = from;
        to.jobClass = QueueEntry::Class::Held;
        zk::Transaction hold;
        reposition(hold, fake.layout, "default", from, to, 0, fake.node(fake.pathOf(id)).data);
        fake.commit(hold);
        fake.settle(1s);
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("moved default-0 held")}));
    }

    // All of it happens between two looks.
    void eventsComeInTheirOrder()
    {
        JobCluster fake(3);
        const ListenAddress watcher(fake, 2);
        const JobId first = fake.submit();
        fake.claim(first, 1);
        const JobId second = fake.submit();
        fake.claim(second, 1);
        fake.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("started default-0 running w"),
                         QStringLiteral("submitted default-1 ready"), QStringLiteral("started default-1 running w")}));
    }

    void aFailedAttemptIsReportedWithItsCode()
    {
        JobCluster fake(2);
        const ListenAddress watcher(fake, 1);
        const JobId id = fake.submit();
        fake.settle(1s);
        fake.claim(id, 0);
        fake.settle(1s);
        const QueueEntry from = *QueueEntry::parse(fake.pathOf(id).name());
        QueueEntry to = from;
        to.jobClass = QueueEntry::Class::Waiting;
        const FakeTree::Znode &job = fake.node(fake.pathOf(id));
        zk::Transaction retry;
        reposition(retry, fake.layout, "default", from, to, job.stat.version,
                   noted(job.data, [](JobNotes &notes) { notes.countFailed(3, 5s); }))
            .remove(fake.layout.claim(id));
        fake.commit(retry);
        fake.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("started default-0 running w"),
                         QStringLiteral("failed default-0 waiting 3")}));
    }

    void aClaimThatWaitsHasNotStarted()
    {
        JobCluster fake(2);
        const ListenAddress watcher(fake, 1);
        JobSpec spec = JobCluster::spec();
        spec.locks = QStringList(QStringLiteral("db"));
        const JobId id = fake.submit(spec);
        fake.settle(1s);
        fake.claim(id, 0);
        fake.settle(200ms);
        Claim claim = Claim::decode(fake.node(fake.layout.claim(id)).data);
        claim.waits = QStringLiteral("lock db");
        fake.write(fake.layout.claim(id), claim.encode());
        fake.settle(10s);
        claim.waits.clear();
        fake.write(fake.layout.claim(id), claim.encode());
        fake.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("claimed default-0 waiting w"),
                         QStringLiteral("waits default-0 waiting w lock db"),
                         QStringLiteral("started default-0 running w")}));
    }

    void aClaimAheadOfItsSlotHasNotStarted()
    {
        JobCluster fake(2);
        const ListenAddress watcher(fake, 1);
        const JobId id = fake.submit();
        fake.settle(1s);
        Claim claim{QStringLiteral("w"), {1, 0}, fake.pathOf(id).name()};
        claim.prefetched = true;
        fake.commit(zk::Transaction()
                        .set(fake.pathOf(id), fake.node(fake.pathOf(id)).data, 0)
                        .create(fake.layout.claim(id), claim.encode(), zk::CreateMode::Ephemeral));
        fake.settle(1s);
        const QStringList before{QStringLiteral("submitted default-0 ready"),
                                 QStringLiteral("claimed default-0 waiting w")};
        QCOMPARE(watcher.heard, before);
        claim.prefetched = false;
        fake.write(fake.layout.claim(id), claim.encode());
        fake.settle(1s);
        QCOMPARE(watcher.heard, before + QStringList(QStringLiteral("started default-0 running w")));
    }

    void changesOfQueuesAndCordonsAreReported()
    {
        JobCluster fake(2);
        const ListenAddress watcher(fake, 1);
        const auto pause = [](QueueSettings &settings) {
            settings.paused = true;
            settings.pausedBy = QStringLiteral("me@here");
        };
        const auto resume = [](QueueSettings &settings) { settings = {}; };
        fake.run(changeQueue(fake.cluster(), "default", pause));
        fake.settle(1s);
        fake.run(changeQueue(fake.cluster(), "default", resume));
        fake.settle(1s);
        fake.run(limitQueue(fake.cluster(), "default", 4));
        fake.settle(1s);
        fake.run(cordon(fake.cluster(), "w1", {QStringLiteral("me@here"), {}, 0ms}));
        fake.settle(1s);
        fake.run(uncordon(fake.cluster(), "w1"));
        fake.settle(1s);
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("queue-paused default me@here"), QStringLiteral("queue-resumed default"),
                              QStringLiteral("queue-limited default 4"), QStringLiteral("worker-cordoned w1 me@here"),
                              QStringLiteral("worker-uncordoned w1")}));
    }

    // A limit that a job names and that was never set lets one job run. Its creation is not an event.
    void changesOfLimitsAreReported()
    {
        JobCluster fake(2);
        fake.run(setLimit(fake.cluster(), "old", 2));
        const ListenAddress watcher(fake, 1);
        fake.run(ensureLimit(fake.cluster(), "unset"));
        fake.settle(1s);
        fake.run(setLimit(fake.cluster(), "unset", 3));
        fake.settle(1s);
        fake.run(setLimit(fake.cluster(), "new", 4));
        fake.settle(1s);
        QVERIFY(fake.run(unsetLimit(fake.cluster(), "old")));
        fake.settle(1s);
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("limit-set 3 unset"), QStringLiteral("limit-set 4 new"),
                              QStringLiteral("limit-set 1 old")}));
    }

    // The limit's directory stays when it is unset.
    void aLimitThatIsSetAgainIsReported()
    {
        JobCluster fake(2);
        fake.run(setLimit(fake.cluster(), "db", 2));
        QVERIFY(fake.run(unsetLimit(fake.cluster(), "db")));
        const ListenAddress watcher(fake, 1);
        fake.run(setLimit(fake.cluster(), "db", 3));
        fake.settle(1s);
        fake.write(fake.layout.permits("db"), "seven");
        fake.settle(1s);
        QCOMPARE(watcher.heard, QStringList(QStringLiteral("limit-set 3 db"))); // what cannot be read says nothing
    }

    // The feed has to read the nodes of the one worker, and learns of the removal of the other without a read.
    void aRemovalComesAfterWhatWasBefore()
    {
        JobCluster fake(2);
        const ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@hourly"), {}),
                                  .job = JobCluster::spec()};
        fake.run(addSchedule(fake.cluster(), "report", entry));
        const ListenAddress watcher(fake, 1);
        fake.submit();
        fake.run(removeSchedule(fake.cluster(), "report"));
        fake.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("cron-removed default report")}));
    }

    void aRecreatedZnodeIsNew()
    {
        JobCluster fake(2);
        const ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@hourly"), {}),
                                  .job = JobCluster::spec()};
        fake.run(addSchedule(fake.cluster(), "report", entry));
        const ListenAddress watcher(fake, 1);
        fake.run(removeSchedule(fake.cluster(), "report"));
        fake.run(addSchedule(fake.cluster(), "report", entry));
        fake.settle(1s);
        QVERIFY(watcher.heard.endsWith(QStringLiteral("cron-added default report")));
        fake.run(removeSchedule(fake.cluster(), "report"));
        fake.settle(5ms); // the watcher sees the gap
        fake.run(addSchedule(fake.cluster(), "report", entry));
        fake.submit(); // later than both, in the same round
        fake.settle(1s);
        QCOMPARE(
            watcher.heard.mid(watcher.heard.size() - 3),
            (QStringList{QStringLiteral("cron-removed default report"), QStringLiteral("cron-added default report"),
                         QStringLiteral("submitted default-0 ready")}));
    }

    // A queue that comes has its settings told, too.
    void aNewQueuesLimitIsReported()
    {
        JobCluster fake(2);
        const ListenAddress watcher(fake, 1);
        QueueSettings settings;
        settings.limit = 4;
        fake.commit(zk::Transaction().create(fake.layout.queue("fast"), settings.encode()));
        fake.settle(1s);
        QCOMPARE(watcher.heard, QStringList(QStringLiteral("queue-limited fast 4")));
    }

    void changesOfRecurringJobsAreReported()
    {
        JobCluster fake(2);
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@hourly"), {}), .job = JobCluster::spec()};
        entry.job.submitter = QStringLiteral("me@here");
        fake.run(addSchedule(fake.cluster(), "old", entry));
        const ListenAddress watcher(fake, 1);
        const auto setPaused = [&](bool paused) {
            const auto edit = [paused](ScheduleEntry &edited) { edited.paused = paused; };
            fake.run(editSchedule(fake.cluster(), "new", AuditAction::CronPaused, edit));
            fake.settle(1s);
        };
        fake.run(addSchedule(fake.cluster(), "new", entry));
        fake.settle(1s);
        setPaused(true);
        setPaused(false);
        fake.run(removeSchedule(fake.cluster(), "new"));
        fake.run(removeSchedule(fake.cluster(), "old"));
        fake.settle(1s);
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("cron-added default me@here new"),
                              QStringLiteral("cron-paused default new"), QStringLiteral("cron-resumed default new"),
                              QStringLiteral("cron-removed default new"), QStringLiteral("cron-removed default old")}));
    }

    // As the master writes them down: the tick with the submission, then the job's id.
    void ticksAreReported()
    {
        JobCluster fake(2);
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@hourly"), {}), .job = JobCluster::spec()};
        fake.run(addSchedule(fake.cluster(), "report", entry));
        const ListenAddress watcher(fake, 1);
        const auto write = [&] {
            fake.write(fake.layout.schedule("report"), entry.encode());
            fake.settle(1s);
        };
        for (const int number : {7, 8}) {
            entry.lastRun = entry.lastTick += 1h;
            entry.lastJob.reset();
            write();
            entry.lastJob = JobId{"default", number};
            write();
        }
        entry.lastTick += 1h;
        write();
        entry.lastTick += 30min; // a pause and its end, between two looks: no tick was passed over
        write();
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("cron-ran default-7 ready default report"),
                              QStringLiteral("cron-ran default-8 ready default report"),
                              QStringLiteral("cron-skipped default report")}));
    }

    void changesOfWorkersAndMastersAreReported()
    {
        JobCluster fake(3);
        const ListenAddress watcher(fake, 2);
        const auto ephemeral = zk::CreateMode::Ephemeral;
        fake.commit(zk::Transaction()
                        .create(fake.layout.members() / "w1", {}, ephemeral)
                        .create(fake.layout.master() / "_c_x-latch-0000000000", "w1", ephemeral)
                        .create(fake.layout.master() / "_c_y-latch-0000000001", "w2", ephemeral),
                    1);
        fake.settle(1s);
        fake.commit(zk::Transaction()
                        .remove(fake.layout.members() / "w1")
                        .remove(fake.layout.master() / "_c_x-latch-0000000000"));
        fake.settle(1s);
        QStringList heard = watcher.heard;
        heard.sort();
        QCOMPARE(heard,
                 (QStringList{QStringLiteral("master-elected w1"), QStringLiteral("master-elected w2"),
                              QStringLiteral("worker-joined w1"), QStringLiteral("worker-left w1")}));
    }

    // As `drover events -f` has it: the feed goes with the coroutine that hears of the loss.
    void itEndsWithItsSession()
    {
        JobCluster fake(2);
        bool lost = false;
        async::TaskGroup watching;
        watching.spawn(watchUntilLost(fake.cluster(1), lost));
        fake.settle(1s);
        fake.server.expire(fake[1].sessionId());
        fake.settle(1min);
        QVERIFY(lost);
        QVERIFY(watching.empty());
    }
};

QTEST_GUILESS_MAIN(EventFeedTest)
#include "event_feed_test.moc"
