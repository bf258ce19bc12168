#include "jobs/client/cancel_job.h"
#include "workers/candidate.h"

#include <QDir>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// A cluster whose master keeps a history that does not answer while it is stalled. Session 0 is the client.
class StalledCluster : public WorkerCluster
{
public:
    StalledCluster() : StalledCluster(QStringLiteral("h.sqlite")) { }
    explicit StalledCluster(const QString &file)
        : WorkerCluster(2),
          history(process(1), history::Location::parse(m_directory.filePath(file)), history::OpenMode::Write)
    {
        process(1).setPool([this](std::function<void()> work) {
            mostCalls = std::max(mostCalls, m_calls.size() + 1);
            if (m_stalled)
                m_calls.push_back(std::move(work));
            else
                work();
        });
    }

    void stall() { m_stalled = true; }
    void goOn()
    {
        m_stalled = false;
        for (const auto &work : std::exchange(m_calls, {}))
            work();
    }

    // A job that has ended so long ago that only the history knows.
    JobId submitted(int code) { return submitted(code, world.wallClock()); }
    JobId submitted(int code, std::chrono::milliseconds endedAt)
    {
        const JobId id = submit();
        commit(zk::Transaction().remove(pathOf(id)));
        archive(id, code, endedAt);
        return id;
    }

    void archive(const JobId &id, int code, std::chrono::milliseconds endedAt)
    {
        FinalRecord record = FinalRecord::of(id, spec());
        record.code = code;
        history::ArchiveBatch batch;
        batch.cluster = layout.clusterName();
        batch.entries.push_back({batch.cluster, record, endedAt, {}});
        run(history.archive(batch));
    }

    JobId submitAfter(Dependency::Kind kind, const JobId &on)
    {
        JobSpec job = spec();
        job.after = {{kind, on}};
        return submit(job);
    }

    QString trouble() const { return ClusterStats::decode(node(layout.stats()).data).archive->error; }
    QStringList troubles() const
    {
        QStringList subjects;
        for (const ClusterStats::Trouble &trouble : ClusterStats::decode(node(layout.stats()).data).troubles)
            subjects.append(trouble.subject);
        return subjects;
    }
    QString path(const QString &file) const { return m_directory.filePath(file); }

    QTemporaryDir m_directory;
    history::History history;
    std::size_t mostCalls = 0; // that had no answer at a time

private:
    bool m_stalled = false;
    std::vector<std::function<void()>> m_calls;
};

} // namespace

// What the master does about jobs whose ends only the history knows while that does not answer.
class StalledHistoryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void jobsThatNeedTheStalledHistoryWaitAndOthersGoOn()
    {
        StalledCluster fake;
        const JobId good = fake.submitted(0);
        const JobId bad = fake.submitted(1);
        const Leading master(fake, 1, &fake.history);
        fake.stall();
        const JobId first = fake.submitAfter(Dependency::Kind::Ok, good);
        const JobId second = fake.submitAfter(Dependency::Kind::Ok, bad);
        const JobId before = fake.submit();
        const JobId third = fake.submitAfter(Dependency::Kind::Ok, before);
        fake.settle(15s);
        QVERIFY2(fake.trouble().contains(QStringLiteral("has not answered for 10 s")), qPrintable(fake.trouble()));
        fake.end(before, 0);
        QCOMPARE(fake.stateOf(third), JobState::Ready);
        fake.settle(5min);
        QCOMPARE(fake.stateOf(first), JobState::Waiting);
        QCOMPARE(fake.stateOf(second), JobState::Waiting);
        QVERIFY(master.leads());
        QCOMPARE(fake.mostCalls, 1u);
        fake.goOn();
        fake.settle(40s);
        QCOMPARE(fake.stateOf(first), JobState::Ready);
        QCOMPARE(fake.stateOf(second), JobState::Cancelled);
        QCOMPARE(fake.trouble(), QString());
    }

    void aWriteIsGivenMoreTime()
    {
        StalledCluster fake;
        const Leading master(fake, 1, &fake.history);
        fake.stall();
        const JobId id = fake.submit();
        fake.end(id, 0);
        fake.settle(50s);
        QCOMPARE(fake.trouble(), QString());
        fake.settle(20s);
        QVERIFY2(fake.trouble().contains(QStringLiteral("has not answered for 60 s")), qPrintable(fake.trouble()));
        fake.settle(5min);
        QCOMPARE(fake.mostCalls, 1u);
        fake.goOn();
        fake.settle(1min);
        QCOMPARE(fake.trouble(), QString());
        QCOMPARE(fake.run(fake.history.count({})), 1);
    }

    // The master stops reporting the trouble when no job waits for the history any more.
    void withoutWaitingJobsThereIsNoTrouble()
    {
        StalledCluster fake;
        const JobId good = fake.submitted(0);
        const Leading master(fake, 1, &fake.history);
        fake.stall();
        const JobId id = fake.submitAfter(Dependency::Kind::Ok, good);
        fake.settle(15s);
        QVERIFY(!fake.trouble().isEmpty());
        fake.commit(zk::Transaction()
                        .remove(fake.layout.job("default", *view(fake, id).entry))
                        .set(fake.layout.waiting("default"), {}));
        fake.settle(30s);
        QCOMPARE(fake.trouble(), QString());
    }

    // It was taken for one that knows nothing, and the job was cancelled.
    void aHistoryThatFailsIsAskedAgain()
    {
        StalledCluster fake(QStringLiteral("none/h.sqlite"));
        const JobId gone = fake.submit();
        fake.commit(zk::Transaction().remove(fake.pathOf(gone)));
        const Leading master(fake, 1, &fake.history);
        const JobId id = fake.submitAfter(Dependency::Kind::Ok, gone);
        fake.settle(1min);
        QCOMPARE(fake.stateOf(id), JobState::Waiting);
        QVERIFY2(fake.trouble().contains(QStringLiteral("wait for jobs")), qPrintable(fake.trouble()));
        QVERIFY(QDir().mkpath(fake.path(QStringLiteral("none"))));
        fake.settle(10s);
        QCOMPARE(fake.trouble(), QString());
        QCOMPARE(fake.stateOf(id), JobState::Waiting); // it knows nothing of it
        QCOMPARE(fake.troubles(), QStringList{QStringLiteral("what waits for job default-0")});
        fake.run(cancel(Cluster(fake[0], fake.layout), id));
        fake.settle(3min);
        QCOMPARE(fake.troubles(), QStringList());
    }

    // The history knew a job of that id, which the cluster did not: it had been removed and made again.
    void recordsOfAnEarlierClusterDoNotCount()
    {
        StalledCluster fake;
        const std::chrono::milliseconds made(fake.node(fake.layout.root()).stat.ctime);
        const JobId older = fake.submitted(0, made - 1ms);
        const JobId own = fake.submitted(0, made);
        const Leading master(fake, 1, &fake.history);
        const JobId first = fake.submitAfter(Dependency::Kind::Ok, older);
        const JobId second = fake.submitAfter(Dependency::Kind::Ok, own);
        fake.settle(10s);
        QCOMPARE(fake.stateOf(first), JobState::Waiting);
        QCOMPARE(fake.stateOf(second), JobState::Ready);
    }

    // Of two masters with a file each one had archived it. The job was cancelled while the other one led.
    void aDependentWaitsForARecordThatTheHistoryLacks()
    {
        StalledCluster fake;
        const JobId gone = fake.submit();
        fake.commit(zk::Transaction().remove(fake.pathOf(gone)));
        const Leading master(fake, 1, &fake.history);
        const JobId ok = fake.submitAfter(Dependency::Kind::Ok, gone);
        const JobId failed = fake.submitAfter(Dependency::Kind::Failed, gone);
        const JobId any = fake.submitAfter(Dependency::Kind::Any, gone);
        fake.settle(10min);
        QCOMPARE(fake.stateOf(ok), JobState::Waiting);
        QCOMPARE(fake.stateOf(failed), JobState::Waiting);
        QCOMPARE(fake.stateOf(any), JobState::Ready); // however that has ended
        fake.archive(gone, 0, fake.world.wallClock());
        fake.settle(10min);
        QCOMPARE(fake.stateOf(ok), JobState::Ready);
        QVERIFY(!fake.exists(fake.pathOf(failed))); // cancelled, and archived
        QCOMPARE(fake.troubles(), QStringList());
    }

    // The master looks for a missing task in the history.
    void theOtherArraysOfItsQueueGoOn()
    {
        StalledCluster fake;
        const Leading master(fake, 1, &fake.history);
        JobSpec spec = JobCluster::spec();
        spec.array = ArrayIndices{1, 2, 1, 0};
        const JobId missing = fake.submit(spec);
        fake.settle(1s);
        fake.stall();
        const auto task = [&](const JobId &array, int index) {
            return fake.layout.job("default", {QueueEntry::Class::Ready, 5, array.number, index});
        };
        fake.commit(zk::Transaction().remove(task(missing, 1)));
        fake.settle(1s);
        const JobId other = fake.submit(spec);
        fake.settle(15s);
        for (int index = 1; index <= 2; ++index) {
            const JobId id{"default", other.number, index};
            fake.commit(zk::Transaction()
                            .remove(task(other, index))
                            .create(fake.layout.done(id), FinalRecord::of(id, spec).encode()));
        }
        fake.settle(1s);
        QCOMPARE(fake.recordOf(other).state(), JobState::Succeeded);
        const quint64 before = fake[1].counters().requests;
        fake.settle(1min);
        QVERIFY(fake[1].counters().requests - before < 500); // it is not looked for all the time
        fake.commit(zk::Transaction().remove(task(missing, 2)));
        fake.settle(1min);
        QVERIFY(!fake.exists(fake.layout.done(missing)));
        fake.goOn();
        fake.settle(40s);
        QCOMPARE(fake.recordOf(missing).reason, QStringLiteral("2 tasks: 0 ok, 2 cancelled"));
    }

private:
    static JobView view(WorkerCluster &fake, const JobId &id)
    {
        return fake.run(lookUp(Cluster(fake[0], fake.layout), id));
    }
};

QTEST_GUILESS_MAIN(StalledHistoryTest)
#include "stalled_history_test.moc"
