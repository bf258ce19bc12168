#include "workers/candidate.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// How many final records done/ holds, and which go beyond that (done_limit).
class DoneLimitTest : public QObject
{
    Q_OBJECT

    static void limitDone(WorkerCluster &fake, qint64 limit, ClusterConfig config = {})
    {
        config.doneLimit = limit;
        fake.write(fake.layout.config(), config.encode());
    }

    static void addDone(WorkerCluster &fake, const JobId &id)
    {
        fake.write(fake.layout.done(id), FinalRecord::of(id, JobCluster::spec()).encode());
    }

    static JobId submitAfterAndLater(WorkerCluster &fake, const JobId &on)
    {
        JobSpec spec = JobCluster::spec();
        spec.after = {{Dependency::Kind::Ok, on}};
        spec.notes.notBefore = fake.world.wallClock() + 30min;
        return fake.submit(spec);
    }

private Q_SLOTS:
    void theOldestRecordsAreRemoved()
    {
        WorkerCluster fake(2);
        limitDone(fake, 5);
        // A low number that ended late is not old; other queues count as well.
        for (int i = 10; i < 18; ++i)
            addDone(fake, {"default", i});
        addDone(fake, {"gpu", 0});
        addDone(fake, {"default", 3});
        fake.write(fake.layout.done() / "other", "else");
        const Candidate master(fake, 1);
        fake.settle(5s);
        QByteArrayList left = fake.childrenOf(fake.layout.done());
        std::sort(left.begin(), left.end());
        // Ours, and what is not ours to remove: it counts, so that five remain in all.
        QCOMPARE(left, (QByteArrayList{"default-16", "default-17", "default-3", "gpu-0", "other"}));
    }

    // The cluster keeps a history, but this master's machine may not open it (history_allow).
    void aMasterWithoutTheClustersHistoryDeletesNoRecord()
    {
        for (const bool drop : {false, true}) {
            WorkerCluster fake(2);
            ClusterConfig config;
            config.history = QStringLiteral("shared:/srv/history.sqlite");
            config.dropWhenAway = drop;
            limitDone(fake, 3, config);
            for (int i = 10; i < 16; ++i)
                addDone(fake, {"default", i});
            const Candidate master(fake, 1);
            fake.settle(5s);
            QCOMPARE(fake.childrenOf(fake.layout.done()).size(), drop ? 3 : 6);
            QCOMPARE(fake.exists(fake.layout.backpressure()), !drop);
        }
    }

    // Only the old master knew that the job had ended well, and it had reported that to no job yet.
    void aRecordThatAJobWaitsForStays()
    {
        WorkerCluster fake(3);
        limitDone(fake, 5);
        auto first = std::make_unique<Leading>(fake, 1);
        const JobId id = submitAfterAndLater(fake, fake.submit());
        fake.end({"default", 0}, 0);
        for (int i = 10; i < 30; ++i)
            addDone(fake, {"default", i});
        fake.settle(5s);
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 5);
        const Leading second(fake, 2);
        first.reset();
        fake.settle(1h);
        QVERIFY(second.leads());
        QCOMPARE(fake.stateOf(id), JobState::Ready);
        addDone(fake, {"default", 30});
        fake.settle(5s);
        QVERIFY(!fake.exists(fake.layout.done({"default", 0}))); // no job waits for it any more
    }

    // A new master did not know yet who waits for what.
    void noRecordIsRemovedBeforeItsDependentsAreKnown()
    {
        WorkerCluster fake(2, {.latency = 5ms});
        limitDone(fake, 5);
        JobSpec spec = JobCluster::spec();
        spec.notes.notBefore = fake.world.wallClock() + 24h;
        const JobId on = fake.submit();
        for (int i = 0; i < 3000; ++i)
            fake.submit(spec);
        const JobId id = submitAfterAndLater(fake, on);
        fake.end(on, 0);
        for (int i = 1000; i < 1020; ++i)
            addDone(fake, {"default", i});
        const Candidate master(fake, 1);
        fake.settle(30s);
        QVERIFY(fake.exists(fake.layout.done(on)));
        QCOMPARE(fake.childrenOf(fake.layout.done()).size(), 5);
        fake.settle(1h);
        QCOMPARE(fake.stateOf(id), JobState::Ready);
    }

    void manyAreRemovedInBatches()
    {
        WorkerCluster fake(2);
        limitDone(fake, 10);
        for (int i = 0; i < 700; ++i)
            addDone(fake, {"default", i});
        const Candidate master(fake, 1);
        fake.settle(5s);
        const QByteArrayList left = fake.childrenOf(fake.layout.done());
        QCOMPARE(left.size(), 10);
        for (int i = 690; i < 700; ++i)
            QVERIFY(left.contains("default-" + QByteArray::number(i)));
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
            WorkerCluster fake(2, {.latency = 5ms, .sabotage = look});
            limitDone(fake, 2);
            for (int i = 0; i < 6; ++i)
                addDone(fake, {"default", i});
            const Candidate master(fake, 1);
            fake.settle(moment * 1ms);
            const bool ours = fake.exists(oldest);
            if (ours)
                fake.commit(zk::Transaction().remove(oldest));
            fake.settle(5s);
            inVain += ours && tried;
            QByteArrayList left = fake.childrenOf(fake.layout.done());
            std::sort(left.begin(), left.end());
            QCOMPARE(left, (QByteArrayList{"default-4", "default-5"}));
            QVERIFY(master.leads());
        }
        QVERIFY2(inVain > 0, "no transaction met a record that was gone");
    }
};

QTEST_GUILESS_MAIN(DoneLimitTest)
#include "done_limit_test.moc"
