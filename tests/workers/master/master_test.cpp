#include "jobs/schedules/schedules.h"
#include "workers/candidate.h"
#include "workers/master/base/set_aside.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

ClusterStats stats(const WorkerCluster &fake)
{
    return ClusterStats::decode(fake.node(fake.layout.stats()).data);
}

} // namespace

class MasterTest : public QObject
{
    Q_OBJECT

    // The last tick of the only one.
    static async::Task<std::chrono::milliseconds> readSchedules(WorkerCluster &fake)
    {
        const std::vector<StoredSchedule> schedules = co_await listSchedules(Cluster(fake[0], fake.layout));
        co_return schedules.front().entry->lastTick;
    }

private Q_SLOTS:
    void oneMasterLeadsAndPublishesItsStats()
    {
        WorkerCluster fake(3);
        fake.submit();
        Candidate first(fake, 1);
        fake.settle();
        Candidate second(fake, 2);
        fake.settle(2s);
        QVERIFY(first.leads() && !second.leads());
        QCOMPARE(stats(fake).master, QStringLiteral("w1"));
        QCOMPARE(stats(fake).queues.size(), 1u);
        QCOMPARE(stats(fake).queues[0].unfinished, 1);
        QCOMPARE(stats(fake).queues[0].submitted, 1);
        const qint32 version = fake.node(fake.layout.stats()).stat.version;
        fake.settle(10s);
        QCOMPARE(fake.node(fake.layout.stats()).stat.version, version); // nothing new, nothing written
    }

    void theMasterSubmitsRecurringJobs()
    {
        WorkerCluster fake(2);
        ScheduleEntry daily{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobCluster::spec()};
        daily.lastTick = fake.world.wallClock() - 24h;
        const Candidate master(fake, 1);
        fake.settle(2s);
        fake.run(addSchedule(Cluster(fake[0], fake.layout), "nightly", daily));
        fake.settle(2s);
        QCOMPARE(fake.ready().size(), 1u);
        const JobSpec job = JobSpec::decode(fake.node(fake.layout.job("default", fake.ready()[0])).data, "default", 5);
        QVERIFY(job.key.startsWith(QStringLiteral("cron nightly ")));
    }

    // The master's election node was deleted by hand. The master does not know, and has something to write.
    void aDeposedMasterWritesNothing()
    {
        WorkerCluster fake(3);
        std::vector<zk::SessionId> writers;
        Candidate first(fake, 1);
        fake.settle(2s);
        Candidate second(fake, 2);
        fake.settle();
        fake.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            const auto *multi = commit.call ? std::get_if<zk::MultiRequest>(&commit.call->request) : nullptr;
            const bool bySubmitter = commit.session == fake[0].sessionId(); // its job and the key are one transaction
            if (multi && !bySubmitter && commit.kind == FakeZooKeeper::Commit::Kind::Write)
                writers.push_back(commit.session);
        });
        const QByteArrayList line = fake.childrenOf(fake.layout.master());
        QCOMPARE(line.size(), 2);
        for (const QByteArray &name : line) {
            if (fake.node(fake.layout.master() / name).stat.ephemeralOwner == fake[1].sessionId())
                fake.commit(zk::Transaction().remove(fake.layout.master() / name));
        }
        writers.clear(); // that was the test itself
        fake.submit();
        fake.settle(3s);
        QVERIFY(second.leads() && !first.leads());
        QVERIFY(!writers.empty());
        for (const zk::SessionId writer : writers)
            QCOMPARE(writer, fake[2].sessionId());
        QCOMPARE(stats(fake).master, QStringLiteral("w2"));
        QCOMPARE(fake.childrenOf(fake.layout.master()).size(), 2); // the deposed one stands again
    }

    // One job that could not be moved, or one queue that could not be listed, stopped all that a master does; and the
    // next one's, and that of the one after.
    void oneFaultyJobOrQueueStopsNoOther()
    {
        WorkerCluster fake(1);
        const Layout layout("test");
        const QueueEntry large{QueueEntry::Class::Waiting, 5, 0};
        bool broken = true;
        const auto stumble = [&](const zk::Request &request) {
            const auto *const list = std::get_if<zk::ChildrenRequest>(&request);
            if (broken && list && list->path == layout.queue("gpu"))
                throw zk::AccessDenied(zk::Code::NoAuth, QStringLiteral("gpu"));
            const auto *const multi = std::get_if<zk::MultiRequest>(&request);
            for (std::size_t i = 0; broken && multi && i < multi->transaction.size(); ++i) {
                const auto *const remove = std::get_if<zk::Transaction::Remove>(&multi->transaction.operations()[i]);
                if (remove && remove->path == layout.job("default", large))
                    throw zk::RequestTooLarge(QStringLiteral("too much for a server"));
            }
        };
        fake.add({.sabotage = stumble});
        fake.run(ensureCluster(Cluster(fake[0], fake.layout), QByteArrayList{"gpu"}));
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 10s;
        const JobId stuck = fake.submit(spec);
        const JobId other = fake.submit(spec);
        ScheduleEntry hourly{.when = CronSchedule::parse(QStringLiteral("@hourly")), .job = JobCluster::spec()};
        hourly.lastTick = fake.world.wallClock() - 2h;
        const Candidate master(fake, 1);
        fake.run(addSchedule(Cluster(fake[0], fake.layout), "hourly", hourly));
        fake.settle(30s);
        QVERIFY(master.leads());
        QCOMPARE(stuck, (JobId{"default", 0}));
        QCOMPARE(fake.stateOf(stuck), JobState::Waiting);
        QCOMPARE(fake.stateOf(other), JobState::Ready);
        QCOMPARE(fake.ready().size(), 2u); // and what recurs
        QStringList subjects;
        for (const ClusterStats::Trouble &trouble : stats(fake).troubles)
            subjects.append(trouble.subject);
        QCOMPARE(subjects,
                 (QStringList{QStringLiteral("queue gpu"), QStringLiteral("job default-0")})); // of a kind: last
        broken = false;
        fake.settle(workers::SetAside::For);
        QCOMPARE(fake.stateOf(stuck), JobState::Ready);
        QCOMPARE(stats(fake).troubles.size(), 0u);
    }

    // Nothing else happens in their queue, so only the master itself can find out that it may read them again.
    void aJobThatBecomesReadableGoesOn()
    {
        WorkerCluster fake(2);
        const auto setReadable = [&](bool isReadable) {
            fake.setReadable(fake.layout.job("default", {QueueEntry::Class::Waiting, 5, 0}), isReadable);
            fake.setReadable(fake.layout.job("default", {QueueEntry::Class::Array, 5, 1}), isReadable);
        };
        JobSpec later = JobCluster::spec();
        later.notes.notBefore = fake.world.wallClock() + 10s;
        const JobId waiting = fake.submit(later);
        JobSpec three = JobCluster::spec();
        three.array = ArrayIndices{1, 3, 1, 0};
        const JobId array = fake.submit(three);
        setReadable(false);
        const Candidate master(fake, 1);
        fake.settle(1min);
        QVERIFY(master.leads());
        QCOMPARE(fake.ready().size(), 0u);
        QStringList subjects;
        for (const ClusterStats::Trouble &trouble : stats(fake).troubles)
            subjects.append(trouble.subject);
        QCOMPARE(subjects,
                 (QStringList{QStringLiteral("job ") + waiting.toString(), QStringLiteral("job ") + array.toString()}));
        setReadable(true);
        fake.settle(workers::SetAside::For);
        QCOMPARE(fake.ready().size(), 4u);
        QCOMPARE(stats(fake).troubles.size(), 0u);
    }

    // Each costs its writer one create, and the master a watch and two coroutines.
    void aFloodOfQueuesIsNotFollowed()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 10s;
        const JobId waiting = fake.submit(spec);
        for (int i = 0; i < 1200; ++i)
            fake.write(fake.layout.queues() / ("flood-" + QByteArray::number(i)), {});
        const Candidate master(fake, 1);
        fake.settle(15s);
        QVERIFY(master.leads());
        QCOMPARE(fake.stateOf(waiting), JobState::Ready);
        QCOMPARE(stats(fake).troubles.size(), 1u);
        QCOMPARE(stats(fake).troubles[0].subject, QStringLiteral("number of queues"));
        QCOMPARE(qsizetype(stats(fake).queues.size()), MaxQueues);
        for (int i = 0; i < 1200; ++i)
            fake.commit(zk::Transaction().remove(fake.layout.queues() / ("flood-" + QByteArray::number(i))));
        fake.settle(15s);
        QCOMPARE(stats(fake).troubles.size(), 0u);
        QCOMPARE(stats(fake).queues.size(), 1u);
    }

    // A watch each, of which a session has only so many: those of its jobs were refused.
    void aFloodOfSchedulesIsNotFollowed()
    {
        WorkerCluster fake(2);
        const Candidate master(fake, 1);
        fake.settle(5s);
        ScheduleEntry hourly{.when = CronSchedule::parse(QStringLiteral("@hourly")), .job = JobCluster::spec()};
        hourly.lastTick = fake.world.wallClock();
        fake.run(addSchedule(Cluster(fake[0], fake.layout), "real", hourly));
        fake.settle(5s);
        const std::size_t watched = fake.server.watches().size();
        for (int i = 0; i < int(MaxSchedules) + 100; ++i)
            fake.write(fake.layout.schedule("flood-" + QByteArray::number(i)), {});
        for (int i = 0; i < 100; ++i) // no schedule has such a name
            fake.write(fake.layout.schedule("flood " + QByteArray(200, 'x') + QByteArray::number(i)), {});
        fake.settle(15s);
        QVERIFY(fake.server.watches().size() < watched + std::size_t(MaxSchedules));
        QCOMPARE(stats(fake).troubles.size(), 1u);
        QCOMPARE(stats(fake).troubles[0].subject, QStringLiteral("number of schedules"));
        fake.settle(1h);
        QCOMPARE(fake.ready().size(), 1u); // what it followed before is run
        for (int i = 0; i < 200; ++i)
            fake.commit(zk::Transaction().remove(fake.layout.schedule("flood-" + QByteArray::number(i))));
        fake.settle(15s);
        QCOMPARE(stats(fake).troubles.size(), 0u);
    }

    // It would have begun what is to wait for a year.
    void byAWrongClockNothingIsBegun()
    {
        WorkerCluster fake(2);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 1h;
        const JobId later = fake.submit(spec);
        spec.notes.notBefore = fake.world.wallClock() + 5s;
        const JobId soon = fake.submit(spec);
        ScheduleEntry daily{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobCluster::spec()};
        daily.lastTick = fake.world.wallClock();
        fake.run(addSchedule(Cluster(fake[0], fake.layout), "nightly", daily));
        for (const auto ahead : {std::chrono::milliseconds(365 * 24h), -std::chrono::milliseconds(24h)}) {
            fake.process(1).setClockAhead(ahead);
            const Candidate master(fake, 1);
            fake.settle(2min);
            QVERIFY(master.leads()); // there is no other
            QCOMPARE(fake.ready().size(), 0u);
            QCOMPARE(stats(fake).troubles.size(), 1u);
            QCOMPARE(stats(fake).troubles[0].subject, QStringLiteral("clock"));
            QCOMPARE(fake.run(readSchedules(fake)), daily.lastTick);
        }
        fake.process(1).setClockAhead(30s); // within what is tolerated
        const Candidate master(fake, 1);
        fake.settle(1min);
        QCOMPARE(fake.stateOf(soon), JobState::Ready);
        QCOMPARE(fake.stateOf(later), JobState::Waiting);
        QCOMPARE(stats(fake).troubles.size(), 0u);
        fake.process(1).setClockAhead(2h); // while it leads: before it has measured that
        fake.settle(3min);
        QVERIFY(master.leads());
        QCOMPARE(fake.stateOf(later), JobState::Waiting);
        fake.process(1).setClockAhead(0s);
        fake.settle(1h);
        QCOMPARE(fake.stateOf(later), JobState::Ready);
    }

    // If no candidate's clock is right, the master leads on, and says so.
    void aWrongClockMakesRoomForARightOne()
    {
        WorkerCluster fake(4);
        fake.process(1).setClockAhead(24h);
        fake.process(2).setClockAhead(-24h);
        const auto join = [&](int who) {
            WorkerInfo info;
            info.id = QStringLiteral("w%1").arg(who);
            info.slotCount = 1;
            info.startedAt = fake.process(who).wallClock();
            fake.write(fake.layout.members() / info.id.toUtf8(), info.encode());
        };
        join(1);
        join(2);
        Candidate first(fake, 1);
        fake.settle(2s);
        Candidate second(fake, 2);
        fake.settle(5min);
        QVERIFY(first.leads());
        join(3);
        Candidate third(fake, 3);
        fake.settle(1min);
        QVERIFY(third.leads() && !first.leads() && !second.leads());
        QCOMPARE(fake.childrenOf(fake.layout.master()).size(), 3); // the others stand again
        QCOMPARE(stats(fake).troubles.size(), 0u);
    }

    void nodesThatAreDeletedUnderItStopNothing()
    {
        WorkerCluster fake(2);
        const Candidate master(fake, 1);
        fake.settle(2s);
        const QByteArray config = fake.node(fake.layout.config()).data;
        for (const zk::Path &path : {fake.layout.stats(), fake.layout.config(), fake.layout.locks(),
                                     fake.layout.idle("default"), fake.layout.queue("default")}) {
            fake.commit(zk::Transaction().remove(path));
            fake.settle(3s);
        }
        QVERIFY(master.leads());
        fake.run(ensureCluster(Cluster(fake[0], fake.layout), QByteArrayList(1, "default")));
        fake.submit();
        fake.settle(3s);
        QVERIFY(master.leads());
        QCOMPARE(stats(fake).queues.size(), 1u);
        QCOMPARE(stats(fake).queues[0].unfinished, 1);
        QCOMPARE(fake.node(fake.layout.config()).data, config);
    }
};

QTEST_GUILESS_MAIN(MasterTest)
#include "master_test.moc"
