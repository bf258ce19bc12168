#include "jobs/schedules.h"
#include "workers/candidate.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

ClusterStats stats(const WorkerParty &party)
{
    return ClusterStats::decode(party.node(party.layout.stats()).data);
}

} // namespace

class MasterTest : public QObject
{
    Q_OBJECT

    static void limitDone(WorkerParty &party, qint64 limit)
    {
        ClusterConfig config;
        config.doneLimit = limit;
        party.write(party.layout.config(), config.encode());
    }

    static void addDone(WorkerParty &party, const JobId &id)
    {
        party.write(party.layout.done(id), FinalRecord::of(id, JobParty::spec()).encode());
    }

    // The last tick of the only one.
    static async::Task<std::chrono::milliseconds> readSchedules(WorkerParty &party)
    {
        const std::vector<StoredSchedule> schedules = co_await listSchedules(party[0], party.layout);
        co_return schedules.front().entry->lastTick;
    }

    static JobId submitAfterAndLater(WorkerParty &party, const JobId &on)
    {
        JobSpec spec = JobParty::spec();
        spec.after = {{Dependency::Kind::Ok, on}};
        spec.notBefore = party.world.wallClock() + 30min;
        return party.submit(spec);
    }

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false")); }

    void oneLeadsAndPublishes()
    {
        WorkerParty party(3);
        party.submit();
        Candidate first(party, 1);
        party.settle();
        Candidate second(party, 2);
        party.settle(2s);
        QVERIFY(first.leads() && !second.leads());
        QCOMPARE(stats(party).master, QStringLiteral("w1"));
        QCOMPARE(stats(party).queues.size(), 1u);
        QCOMPARE(stats(party).queues[0].unfinished, 1);
        QCOMPARE(stats(party).queues[0].submitted, 1);
        const qint32 version = party.node(party.layout.stats()).stat.version;
        party.settle(10s);
        QCOMPARE(party.node(party.layout.stats()).stat.version, version); // nothing new, nothing written
    }

    void itSubmitsWhatRecurs()
    {
        WorkerParty party(2);
        ScheduleEntry daily{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobParty::spec()};
        daily.lastTick = party.world.wallClock() - 24h;
        const Candidate master(party, 1);
        party.settle(2s);
        party.run(addSchedule(party[0], party.layout, "nightly", daily));
        party.settle(2s);
        QCOMPARE(party.ready().size(), 1u);
        const JobSpec job =
            JobSpec::decode(party.node(party.layout.job("default", party.ready()[0])).data, "default", 5);
        QVERIFY(job.key.startsWith(QStringLiteral("cron nightly ")));
    }

    void theOldestRecordsAreRemoved()
    {
        WorkerParty party(2);
        limitDone(party, 5);
        // A low number that ended late is not old; other queues count as well.
        for (int i = 10; i < 18; ++i)
            addDone(party, {"default", i});
        addDone(party, {"gpu", 0});
        addDone(party, {"default", 3});
        party.write(party.layout.done() / "somebody's", "else");
        const Candidate master(party, 1);
        party.settle(5s);
        QByteArrayList left = party.childrenOf(party.layout.done());
        std::sort(left.begin(), left.end());
        // Ours, and what is not ours to remove: it counts, so that five remain in all.
        QCOMPARE(left, (QByteArrayList{"default-16", "default-17", "default-3", "gpu-0", "somebody's"}));
    }

    // That it had ended well only the old master knew, who had told nobody yet.
    void aRecordThatSomebodyWaitsForStays()
    {
        WorkerParty party(3);
        limitDone(party, 5);
        auto first = std::make_unique<Leading>(party, 1);
        const JobId id = submitAfterAndLater(party, party.submit());
        party.end({"default", 0}, 0);
        for (int i = 10; i < 30; ++i)
            addDone(party, {"default", i});
        party.settle(5s);
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 5);
        const Leading second(party, 2);
        first.reset();
        party.settle(1h);
        QVERIFY(second.leads());
        QCOMPARE(party.stateOf(id), JobState::Ready);
        addDone(party, {"default", 30});
        party.settle(5s);
        QVERIFY(!party.exists(party.layout.done({"default", 0}))); // now it is nobody's concern
    }

    // A new master did not know yet who waits for what.
    void noRecordIsRemovedBeforeItIsKnownWhoWaits()
    {
        WorkerParty party(2, {.latency = 5ms});
        limitDone(party, 5);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 24h;
        const JobId on = party.submit();
        for (int i = 0; i < 3000; ++i)
            party.submit(spec);
        const JobId id = submitAfterAndLater(party, on);
        party.end(on, 0);
        for (int i = 1000; i < 1020; ++i)
            addDone(party, {"default", i});
        const Candidate master(party, 1);
        party.settle(30s);
        QVERIFY(party.exists(party.layout.done(on)));
        QCOMPARE(party.childrenOf(party.layout.done()).size(), 5);
        party.settle(1h);
        QCOMPARE(party.stateOf(id), JobState::Ready);
    }

    void manyAreRemovedInBatches()
    {
        WorkerParty party(2);
        limitDone(party, 10);
        for (int i = 0; i < 700; ++i)
            addDone(party, {"default", i});
        const Candidate master(party, 1);
        party.settle(5s);
        const QByteArrayList left = party.childrenOf(party.layout.done());
        QCOMPARE(left.size(), 10);
        for (int i = 690; i < 700; ++i)
            QVERIFY(left.contains("default-" + QByteArray::number(i)));
    }

    // Somebody has deleted its election node by hand. It does not know, and has something to write.
    void aDeposedMasterWritesNothing()
    {
        WorkerParty party(3);
        std::vector<zk::SessionId> writers;
        Candidate first(party, 1);
        party.settle(2s);
        Candidate second(party, 2);
        party.settle();
        party.server.onCommit([&](const FakeZooKeeper::Commit &commit) {
            const auto *multi = commit.call ? std::get_if<zk::MultiRequest>(&commit.call->request) : nullptr;
            const bool bySubmitter = commit.session == party[0].sessionId(); // its job and the key are one transaction
            if (multi && !bySubmitter && commit.kind == FakeZooKeeper::Commit::Kind::Write)
                writers.push_back(commit.session);
        });
        const QByteArrayList line = party.childrenOf(party.layout.master());
        QCOMPARE(line.size(), 2);
        for (const QByteArray &name : line) {
            if (party.node(party.layout.master() / name).stat.ephemeralOwner == party[1].sessionId())
                party.commit(zk::Transaction().remove(party.layout.master() / name));
        }
        writers.clear(); // that was the test itself
        party.submit();
        party.settle(3s);
        QVERIFY(second.leads() && !first.leads());
        QVERIFY(!writers.empty());
        for (const zk::SessionId writer : writers)
            QCOMPARE(writer, party[2].sessionId());
        QCOMPARE(stats(party).master, QStringLiteral("w2"));
        QCOMPARE(party.childrenOf(party.layout.master()).size(), 2); // the deposed one stands again
    }

    // One job that could not be moved, or one queue that could not be listed, stopped all that a master does; and the
    // next one's, and that of the one after.
    void whatItStumblesOverStopsNothingElse()
    {
        WorkerParty party(1);
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
        party.add({.sabotage = stumble});
        party.run(ensureCluster(party[0], party.layout, QByteArrayList{"gpu"}));
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 10s;
        const JobId stuck = party.submit(spec);
        const JobId other = party.submit(spec);
        ScheduleEntry hourly{.when = CronSchedule::parse(QStringLiteral("@hourly")), .job = JobParty::spec()};
        hourly.lastTick = party.world.wallClock() - 2h;
        const Candidate master(party, 1);
        party.run(addSchedule(party[0], party.layout, "hourly", hourly));
        party.settle(30s);
        QVERIFY(master.leads());
        QCOMPARE(stuck, (JobId{"default", 0}));
        QCOMPARE(party.stateOf(stuck), JobState::Waiting);
        QCOMPARE(party.stateOf(other), JobState::Ready);
        QCOMPARE(party.ready().size(), 2u); // and what recurs
        QStringList subjects;
        for (const ClusterStats::Trouble &trouble : stats(party).troubles)
            subjects.append(trouble.subject);
        QCOMPARE(subjects, (QStringList{QStringLiteral("job default-0"), QStringLiteral("queue gpu")}));
        broken = false;
        party.submit(spec); // the queue is listed again
        party.settle(1min);
        QCOMPARE(party.stateOf(stuck), JobState::Ready);
    }

    // It would have begun what is to wait for a year.
    void byAWrongClockNothingIsBegun()
    {
        WorkerParty party(2);
        JobSpec spec = JobParty::spec();
        spec.notBefore = party.world.wallClock() + 1h;
        const JobId later = party.submit(spec);
        spec.notBefore = party.world.wallClock() + 5s;
        const JobId soon = party.submit(spec);
        ScheduleEntry daily{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobParty::spec()};
        daily.lastTick = party.world.wallClock();
        party.run(addSchedule(party[0], party.layout, "nightly", daily));
        for (const auto ahead : {std::chrono::milliseconds(365 * 24h), -std::chrono::milliseconds(24h)}) {
            party.process(1).setClockAhead(ahead);
            const Candidate master(party, 1);
            party.settle(2min);
            QVERIFY(master.leads()); // there is no other
            QCOMPARE(party.ready().size(), 0u);
            QCOMPARE(stats(party).troubles.size(), 1u);
            QCOMPARE(stats(party).troubles[0].subject, QStringLiteral("clock"));
            QCOMPARE(party.run(readSchedules(party)), daily.lastTick);
        }
        party.process(1).setClockAhead(30s); // within what is tolerated
        const Candidate master(party, 1);
        party.settle(1min);
        QCOMPARE(party.stateOf(soon), JobState::Ready);
        QCOMPARE(party.stateOf(later), JobState::Waiting);
        QCOMPARE(stats(party).troubles.size(), 0u);
        party.process(1).setClockAhead(2h); // while it leads: before it has measured that
        party.settle(3min);
        QVERIFY(master.leads());
        QCOMPARE(party.stateOf(later), JobState::Waiting);
        party.process(1).setClockAhead(0s);
        party.settle(1h);
        QCOMPARE(party.stateOf(later), JobState::Ready);
    }

    // Where nobody's is right, it leads on, and says so.
    void aWrongClockMakesRoomForARightOne()
    {
        WorkerParty party(4);
        party.process(1).setClockAhead(24h);
        party.process(2).setClockAhead(-24h);
        const auto join = [&](int who) {
            WorkerInfo info;
            info.id = QStringLiteral("w%1").arg(who);
            info.startedAt = party.process(who).wallClock();
            party.write(party.layout.members() / info.id.toUtf8(), info.encode());
        };
        join(1);
        join(2);
        Candidate first(party, 1);
        party.settle(2s);
        Candidate second(party, 2);
        party.settle(5min);
        QVERIFY(first.leads());
        join(3);
        Candidate third(party, 3);
        party.settle(1min);
        QVERIFY(third.leads() && !first.leads() && !second.leads());
        QCOMPARE(party.childrenOf(party.layout.master()).size(), 3); // the others stand again
        QCOMPARE(stats(party).troubles.size(), 0u);
    }

    void nodesThatAreDeletedUnderItStopNothing()
    {
        WorkerParty party(2);
        const Candidate master(party, 1);
        party.settle(2s);
        const QByteArray config = party.node(party.layout.config()).data;
        for (const zk::Path &path : {party.layout.stats(), party.layout.config(), party.layout.locks(),
                                     party.layout.idle("default"), party.layout.queue("default")}) {
            party.commit(zk::Transaction().remove(path));
            party.settle(3s);
        }
        QVERIFY(master.leads());
        party.run(ensureCluster(party[0], party.layout, QByteArrayList(1, "default")));
        party.submit();
        party.settle(3s);
        QVERIFY(master.leads());
        QCOMPARE(stats(party).queues.size(), 1u);
        QCOMPARE(stats(party).queues[0].unfinished, 1);
        QCOMPARE(party.node(party.layout.config()).data, config);
    }

    // Whenever that happens: before its look at the records, between that and its transaction, afterwards.
    void recordsThatOthersRemoveMeanwhileAreNoTrouble()
    {
        const Layout layout("test");
        const zk::Path oldest = layout.done({"default", 0});
        int inVain = 0;
        for (int moment = 0; moment < 150; moment += 5) {
            bool tried = false;
            const auto look = [&](const zk::Request &request) {
                const auto *multi = std::get_if<zk::MultiRequest>(&request);
                for (std::size_t i = 0; multi && i < multi->transaction.size(); ++i) {
                    const auto *remove = std::get_if<zk::Transaction::Remove>(&multi->transaction.operations()[i]);
                    tried |= remove && remove->path == oldest;
                }
            };
            WorkerParty party(2, {.latency = 5ms, .sabotage = look});
            limitDone(party, 2);
            for (int i = 0; i < 6; ++i)
                addDone(party, {"default", i});
            const Candidate master(party, 1);
            party.settle(moment * 1ms);
            const bool ours = party.exists(oldest);
            if (ours)
                party.commit(zk::Transaction().remove(oldest));
            party.settle(5s);
            inVain += ours && tried;
            QByteArrayList left = party.childrenOf(party.layout.done());
            std::sort(left.begin(), left.end());
            QCOMPARE(left, (QByteArrayList{"default-4", "default-5"}));
            QVERIFY(master.leads());
        }
        QVERIFY2(inVain > 0, "no transaction met a record that was gone");
    }
};

QTEST_GUILESS_MAIN(MasterTest)
#include "master_test.moc"
