#include "jobs/cancel.h"
#include "workers/candidate.h"

#include <QDir>
#include <QLoggingCategory>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// A cluster whose master keeps a history that does not answer while it is stalled. Session 0 is the client.
class StalledParty : public WorkerParty
{
public:
    StalledParty() : StalledParty(QStringLiteral("h.sqlite")) { }
    explicit StalledParty(const QString &file)
        : WorkerParty(2),
          history(process(1), history::Location::parse(m_directory.filePath(file)), history::Access::Write)
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
        history::Batch batch;
        batch.cluster = layout.cluster();
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
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false")); }

    void whatWaitsForItWaitsAndTheOthersGoOn()
    {
        StalledParty party;
        const JobId good = party.submitted(0);
        const JobId bad = party.submitted(1);
        const Leading master(party, 1, &party.history);
        party.stall();
        const JobId first = party.submitAfter(Dependency::Kind::Ok, good);
        const JobId second = party.submitAfter(Dependency::Kind::Ok, bad);
        const JobId before = party.submit();
        const JobId third = party.submitAfter(Dependency::Kind::Ok, before);
        party.settle(15s);
        QVERIFY2(party.trouble().contains(QStringLiteral("has not answered for 10 s")), qPrintable(party.trouble()));
        party.end(before, 0);
        QCOMPARE(party.stateOf(third), JobState::Ready);
        party.settle(5min);
        QCOMPARE(party.stateOf(first), JobState::Waiting);
        QCOMPARE(party.stateOf(second), JobState::Waiting);
        QVERIFY(master.leads());
        QCOMPARE(party.mostCalls, 1u);
        party.goOn();
        party.settle(40s);
        QCOMPARE(party.stateOf(first), JobState::Ready);
        QCOMPARE(party.stateOf(second), JobState::Cancelled);
        QCOMPARE(party.trouble(), QString());
    }

    void whoWritesHasMorePatience()
    {
        StalledParty party;
        const Leading master(party, 1, &party.history);
        party.stall();
        const JobId id = party.submit();
        party.end(id, 0);
        party.settle(50s);
        QCOMPARE(party.trouble(), QString());
        party.settle(20s);
        QVERIFY2(party.trouble().contains(QStringLiteral("has not answered for 60 s")), qPrintable(party.trouble()));
        party.settle(5min);
        QCOMPARE(party.mostCalls, 1u);
        party.goOn();
        party.settle(1min);
        QCOMPARE(party.trouble(), QString());
        QCOMPARE(party.run(party.history.count({})), 1);
    }

    // The trouble is not told for ever when nobody waits for the history any more.
    void whoeverNoLongerWaitsHasNoTrouble()
    {
        StalledParty party;
        const JobId good = party.submitted(0);
        const Leading master(party, 1, &party.history);
        party.stall();
        const JobId id = party.submitAfter(Dependency::Kind::Ok, good);
        party.settle(15s);
        QVERIFY(!party.trouble().isEmpty());
        party.commit(zk::Transaction()
                         .remove(party.layout.job("default", *view(party, id).entry))
                         .set(party.layout.waiting("default"), {}));
        party.settle(30s);
        QCOMPARE(party.trouble(), QString());
    }

    // It was taken for one that knows nothing, and the job was cancelled.
    void aHistoryThatFailsIsAskedAgain()
    {
        StalledParty party(QStringLiteral("none/h.sqlite"));
        const JobId gone = party.submit();
        party.commit(zk::Transaction().remove(party.pathOf(gone)));
        const Leading master(party, 1, &party.history);
        const JobId id = party.submitAfter(Dependency::Kind::Ok, gone);
        party.settle(1min);
        QCOMPARE(party.stateOf(id), JobState::Waiting);
        QVERIFY2(party.trouble().contains(QStringLiteral("waits for jobs")), qPrintable(party.trouble()));
        QVERIFY(QDir().mkpath(party.path(QStringLiteral("none"))));
        party.settle(10s);
        QCOMPARE(party.trouble(), QString());
        QCOMPARE(party.stateOf(id), JobState::Waiting); // it knows nothing of it
        QCOMPARE(party.troubles(), QStringList{QStringLiteral("what waits for job default-0")});
        party.run(cancel(party[0], party.layout, id));
        party.settle(3min);
        QCOMPARE(party.troubles(), QStringList());
    }

    // The history knew a job of that id, which the cluster did not: it had been removed and made again.
    void theJobsOfAnEarlierClusterAreOthers()
    {
        StalledParty party;
        const std::chrono::milliseconds made(party.node(party.layout.root()).stat.ctime);
        const JobId older = party.submitted(0, made - 1ms);
        const JobId own = party.submitted(0, made);
        const Leading master(party, 1, &party.history);
        const JobId first = party.submitAfter(Dependency::Kind::Ok, older);
        const JobId second = party.submitAfter(Dependency::Kind::Ok, own);
        party.settle(10s);
        QCOMPARE(party.stateOf(first), JobState::Waiting);
        QCOMPARE(party.stateOf(second), JobState::Ready);
    }

    // Of two masters with a file each one had archived it. The job was cancelled while the other one led.
    void whatTheHistoryDoesNotKnowMayYetBeKnown()
    {
        StalledParty party;
        const JobId gone = party.submit();
        party.commit(zk::Transaction().remove(party.pathOf(gone)));
        const Leading master(party, 1, &party.history);
        const JobId ok = party.submitAfter(Dependency::Kind::Ok, gone);
        const JobId failed = party.submitAfter(Dependency::Kind::Failed, gone);
        const JobId any = party.submitAfter(Dependency::Kind::Any, gone);
        party.settle(10min);
        QCOMPARE(party.stateOf(ok), JobState::Waiting);
        QCOMPARE(party.stateOf(failed), JobState::Waiting);
        QCOMPARE(party.stateOf(any), JobState::Ready); // however that has ended
        party.archive(gone, 0, party.world.wallClock());
        party.settle(10min);
        QCOMPARE(party.stateOf(ok), JobState::Ready);
        QVERIFY(!party.exists(party.pathOf(failed))); // cancelled, and archived
        QCOMPARE(party.troubles(), QStringList());
    }

    // A task that nobody finds is looked for in the history.
    void theOtherArraysOfItsQueueGoOn()
    {
        StalledParty party;
        const Leading master(party, 1, &party.history);
        JobSpec spec = JobParty::spec();
        spec.array = ArrayIndices{1, 2, 1, 0};
        const JobId missing = party.submit(spec);
        party.settle(1s);
        party.stall();
        const auto task = [&](const JobId &array, int index) {
            return party.layout.job("default", {QueueEntry::Class::Ready, 5, array.number, index});
        };
        party.commit(zk::Transaction().remove(task(missing, 1)));
        party.settle(1s);
        const JobId other = party.submit(spec);
        party.settle(15s);
        for (int index = 1; index <= 2; ++index) {
            const JobId id{"default", other.number, index};
            party.commit(zk::Transaction()
                             .remove(task(other, index))
                             .create(party.layout.done(id), FinalRecord::of(id, spec).encode()));
        }
        party.settle(1s);
        QCOMPARE(party.recordOf(other).state(), JobState::Succeeded);
        const quint64 before = party[1].counters().requests;
        party.settle(1min);
        QVERIFY(party[1].counters().requests - before < 500); // it is not looked for all the time
        party.commit(zk::Transaction().remove(task(missing, 2)));
        party.settle(1min);
        QVERIFY(!party.exists(party.layout.done(missing)));
        party.goOn();
        party.settle(40s);
        QCOMPARE(party.recordOf(missing).reason, QStringLiteral("2 tasks: 0 ok, 2 cancelled"));
    }

private:
    static JobView view(WorkerParty &party, const JobId &id) { return party.run(lookUp(party[0], party.layout, id)); }
};

QTEST_GUILESS_MAIN(StalledHistoryTest)
#include "stalled_history_test.moc"
