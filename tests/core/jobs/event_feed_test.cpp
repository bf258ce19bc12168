#include "core/jobs/job_party.h"
#include "jobs/cordon.h"
#include "jobs/event_feed.h"
#include "jobs/limits.h"
#include "jobs/move.h"
#include "jobs/queue_settings.h"
#include "jobs/schedules.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// What a watcher hears, a line each.
class Listening
{
public:
    Listening(JobParty &party, int who)
        : m_feed(party[who], party.layout, [this](const Event &event) { heard.append(lineOf(event)); })
    {
        m_running.spawn(m_feed.run());
        party.settle(1s);
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

async::Task<void> watchUntilLost(zk::Coordinator &zk, Layout layout, bool &lost)
{
    EventFeed feed(zk, std::move(layout), [](const Event &) {});
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
    void aJobsLifeIsTold()
    {
        JobParty party(3);
        const Listening watcher(party, 2);
        const JobId id = party.submit();
        party.settle(1s);
        party.claim(id, 1);
        party.settle(1s);
        party.commit(zk::Transaction()
                         .remove(party.pathOf(id))
                         .remove(party.layout.claim(id))
                         .create(party.layout.done(id), FinalRecord::of(id, JobParty::spec()).encode()));
        party.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("started default-0 running w"),
                         QStringLiteral("ended default-0 succeeded")}));
    }

    void whatWasThereIsNotTold()
    {
        JobParty party(3);
        const JobId id = party.submit();
        party.claim(id, 1);
        const Listening watcher(party, 2);
        QVERIFY(watcher.heard.isEmpty());
        party.session(1).crash();
        party.settle(1min); // until its session has expired
        QCOMPARE(watcher.heard, QStringList{QStringLiteral("stopped default-0 ready w")});
    }

    void moversAreNotNewcomers()
    {
        JobParty party(2);
        const Listening watcher(party, 1);
        const JobId id = party.submit();
        party.settle(1s);
        const QueueEntry from = *QueueEntry::parse(party.pathOf(id).name());
        QueueEntry to = from;
        to.jobClass = QueueEntry::Class::Held;
        zk::Transaction hold;
        move(hold, party.layout, "default", from, to, 0, party.node(party.pathOf(id)).data);
        party.commit(hold);
        party.settle(1s);
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("moved default-0 held")}));
    }

    // All of it happens between two looks.
    void eventsComeInTheirOrder()
    {
        JobParty party(3);
        const Listening watcher(party, 2);
        const JobId first = party.submit();
        party.claim(first, 1);
        const JobId second = party.submit();
        party.claim(second, 1);
        party.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("started default-0 running w"),
                         QStringLiteral("submitted default-1 ready"), QStringLiteral("started default-1 running w")}));
    }

    void aFailedAttemptIsToldWithItsCode()
    {
        JobParty party(2);
        const Listening watcher(party, 1);
        const JobId id = party.submit();
        party.settle(1s);
        party.claim(id, 0);
        party.settle(1s);
        const QueueEntry from = *QueueEntry::parse(party.pathOf(id).name());
        QueueEntry to = from;
        to.jobClass = QueueEntry::Class::Waiting;
        const FakeTree::Znode &job = party.node(party.pathOf(id));
        zk::Transaction retry;
        move(retry, party.layout, "default", from, to, job.stat.version, JobSpec::countFailed(job.data, 5s, 3))
            .remove(party.layout.claim(id));
        party.commit(retry);
        party.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("started default-0 running w"),
                         QStringLiteral("failed default-0 waiting 3")}));
    }

    void aClaimThatWaitsHasNotStarted()
    {
        JobParty party(2);
        const Listening watcher(party, 1);
        JobSpec spec = JobParty::spec();
        spec.locks = QStringList(QStringLiteral("db"));
        const JobId id = party.submit(spec);
        party.settle(1s);
        party.claim(id, 0);
        party.settle(200ms);
        Claim claim = Claim::decode(party.node(party.layout.claim(id)).data);
        claim.waits = QStringLiteral("lock db");
        party.write(party.layout.claim(id), claim.encode());
        party.settle(10s);
        claim.waits.clear();
        party.write(party.layout.claim(id), claim.encode());
        party.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("claimed default-0 waiting w"),
                         QStringLiteral("waits default-0 waiting w lock db"),
                         QStringLiteral("started default-0 running w")}));
    }

    void aClaimAheadOfItsSlotHasNotStarted()
    {
        JobParty party(2);
        const Listening watcher(party, 1);
        const JobId id = party.submit();
        party.settle(1s);
        Claim claim{QStringLiteral("w"), 1, party.pathOf(id).name()};
        claim.ahead = true;
        party.commit(zk::Transaction()
                         .set(party.pathOf(id), party.node(party.pathOf(id)).data, 0)
                         .create(party.layout.claim(id), claim.encode(), zk::CreateMode::Ephemeral));
        party.settle(1s);
        const QStringList before{QStringLiteral("submitted default-0 ready"),
                                 QStringLiteral("claimed default-0 waiting w")};
        QCOMPARE(watcher.heard, before);
        claim.ahead = false;
        party.write(party.layout.claim(id), claim.encode());
        party.settle(1s);
        QCOMPARE(watcher.heard, before + QStringList(QStringLiteral("started default-0 running w")));
    }

    void queuesAndCordonsAreTold()
    {
        JobParty party(2);
        const Listening watcher(party, 1);
        const auto pause = [](QueueSettings &settings) {
            settings.paused = true;
            settings.pausedBy = QStringLiteral("me@here");
        };
        const auto resume = [](QueueSettings &settings) { settings = {}; };
        party.run(changeQueue(party[0], party.layout, "default", pause));
        party.settle(1s);
        party.run(changeQueue(party[0], party.layout, "default", resume));
        party.settle(1s);
        party.run(limitQueue(party[0], party.layout, "default", 4));
        party.settle(1s);
        party.run(cordon(party[0], party.layout, "w1", {QStringLiteral("me@here"), {}, 0ms}));
        party.settle(1s);
        party.run(uncordon(party[0], party.layout, "w1"));
        party.settle(1s);
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("queue-paused default me@here"), QStringLiteral("queue-resumed default"),
                              QStringLiteral("queue-limited default 4"), QStringLiteral("worker-cordoned w1 me@here"),
                              QStringLiteral("worker-uncordoned w1")}));
    }

    // A limit that a job has asked for, and nobody set, lets one run: that is no news.
    void namedLimitsAreTold()
    {
        JobParty party(2);
        party.run(setLimit(party[0], party.layout, "old", 2));
        const Listening watcher(party, 1);
        party.run(ensureLimit(party[0], party.layout, "unset"));
        party.settle(1s);
        party.run(setLimit(party[0], party.layout, "unset", 3));
        party.settle(1s);
        party.run(setLimit(party[0], party.layout, "new", 4));
        party.settle(1s);
        QVERIFY(party.run(unsetLimit(party[0], party.layout, "old")));
        party.settle(1s);
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("limit-set 3 unset"), QStringLiteral("limit-set 4 new"),
                              QStringLiteral("limit-set 1 old")}));
    }

    // The limit's directory stays when it is unset.
    void aLimitThatIsSetAgainIsTold()
    {
        JobParty party(2);
        party.run(setLimit(party[0], party.layout, "db", 2));
        QVERIFY(party.run(unsetLimit(party[0], party.layout, "db")));
        const Listening watcher(party, 1);
        party.run(setLimit(party[0], party.layout, "db", 3));
        party.settle(1s);
        party.write(party.layout.permits("db"), "seven");
        party.settle(1s);
        QCOMPARE(watcher.heard, QStringList(QStringLiteral("limit-set 3 db"))); // what cannot be read says nothing
    }

    // The nodes of the one are looked at, that the other has gone is heard of at once.
    void aRemovalComesAfterWhatWasBefore()
    {
        JobParty party(2);
        const ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@hourly"), {}), .job = JobParty::spec()};
        party.run(addSchedule(party[0], party.layout, "report", entry));
        const Listening watcher(party, 1);
        party.submit();
        party.run(removeSchedule(party[0], party.layout, "report"));
        party.settle(1s);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted default-0 ready"), QStringLiteral("cron-removed default report")}));
    }

    void whatIsMadeAnewIsNew()
    {
        JobParty party(2);
        const ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@hourly"), {}), .job = JobParty::spec()};
        party.run(addSchedule(party[0], party.layout, "report", entry));
        const Listening watcher(party, 1);
        party.run(removeSchedule(party[0], party.layout, "report"));
        party.run(addSchedule(party[0], party.layout, "report", entry));
        party.settle(1s);
        QVERIFY(watcher.heard.endsWith(QStringLiteral("cron-added default report")));
        party.run(removeSchedule(party[0], party.layout, "report"));
        party.settle(5ms); // the watcher sees the gap
        party.run(addSchedule(party[0], party.layout, "report", entry));
        party.submit(); // later than both, in the same round
        party.settle(1s);
        QCOMPARE(
            watcher.heard.mid(watcher.heard.size() - 3),
            (QStringList{QStringLiteral("cron-removed default report"), QStringLiteral("cron-added default report"),
                         QStringLiteral("submitted default-0 ready")}));
    }

    // A queue that comes has its settings told, too.
    void aNewQueueTellsWhatIsSpecialAboutIt()
    {
        JobParty party(2);
        const Listening watcher(party, 1);
        QueueSettings settings;
        settings.limit = 4;
        party.commit(zk::Transaction().create(party.layout.queue("fast"), settings.encode()));
        party.settle(1s);
        QCOMPARE(watcher.heard, QStringList(QStringLiteral("queue-limited fast 4")));
    }

    void recurringJobsAreTold()
    {
        JobParty party(2);
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@hourly"), {}), .job = JobParty::spec()};
        entry.job.submitter = QStringLiteral("me@here");
        party.run(addSchedule(party[0], party.layout, "old", entry));
        const Listening watcher(party, 1);
        const auto setPaused = [&](bool paused) {
            const auto edit = [paused](ScheduleEntry &edited) { edited.paused = paused; };
            party.run(editSchedule(party[0], party.layout, "new", edit));
            party.settle(1s);
        };
        party.run(addSchedule(party[0], party.layout, "new", entry));
        party.settle(1s);
        setPaused(true);
        setPaused(false);
        party.run(removeSchedule(party[0], party.layout, "new"));
        party.run(removeSchedule(party[0], party.layout, "old"));
        party.settle(1s);
        QCOMPARE(watcher.heard,
                 (QStringList{QStringLiteral("cron-added default me@here new"),
                              QStringLiteral("cron-paused default new"), QStringLiteral("cron-resumed default new"),
                              QStringLiteral("cron-removed default new"), QStringLiteral("cron-removed default old")}));
    }

    // As the master writes them down: the tick with the submission, then the job's id.
    void ticksAreTold()
    {
        JobParty party(2);
        ScheduleEntry entry{.when = CronSchedule::parse(QStringLiteral("@hourly"), {}), .job = JobParty::spec()};
        party.run(addSchedule(party[0], party.layout, "report", entry));
        const Listening watcher(party, 1);
        const auto write = [&] {
            party.write(party.layout.schedule("report"), entry.encode());
            party.settle(1s);
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

    void workersAndMastersAreTold()
    {
        JobParty party(3);
        const Listening watcher(party, 2);
        const auto ephemeral = zk::CreateMode::Ephemeral;
        party.commit(zk::Transaction()
                         .create(party.layout.members() / "w1", {}, ephemeral)
                         .create(party.layout.master() / "_c_x-latch-0000000000", "w1", ephemeral)
                         .create(party.layout.master() / "_c_y-latch-0000000001", "w2", ephemeral),
                     1);
        party.settle(1s);
        party.commit(zk::Transaction()
                         .remove(party.layout.members() / "w1")
                         .remove(party.layout.master() / "_c_x-latch-0000000000"));
        party.settle(1s);
        QStringList heard = watcher.heard;
        heard.sort();
        QCOMPARE(heard,
                 (QStringList{QStringLiteral("master-elected w1"), QStringLiteral("master-elected w2"),
                              QStringLiteral("worker-joined w1"), QStringLiteral("worker-left w1")}));
    }

    // As `drover events -f` has it: the feed goes with the coroutine that hears of the loss.
    void itEndsWithItsSession()
    {
        JobParty party(2);
        bool lost = false;
        async::TaskGroup watching;
        watching.spawn(watchUntilLost(party[1], party.layout, lost));
        party.settle(1s);
        party.server.expire(party[1].sessionId());
        party.settle(1min);
        QVERIFY(lost);
        QVERIFY(watching.empty());
    }

    // A thousand jobs at once: every one is told, in few looks.
    void aBurstIsToldInFewLooks()
    {
        JobParty party(2);
        const Listening watcher(party, 1);
        for (int i = 0; i < 300; ++i)
            party.submit();
        const quint64 before = party[1].counters().requests;
        party.settle(5s);
        QCOMPARE(watcher.heard.size(), 300);
        QVERIFY(party[1].counters().requests - before <= 300 + 20);
    }
};

QTEST_GUILESS_MAIN(EventFeedTest)
#include "event_feed_test.moc"
