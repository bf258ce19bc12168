#include "jobs/client/job_control.h"
#include "support/closed_cluster.h"
#include "support/run_task.h"
#include "workers/full_mount.h"
#include "workers/spool_health.h"
#include "workers/working.h"

#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

int claimsStopped = 0; // lines of the log that say so
int claimsResumed = 0;

void countLines(QtMsgType, const QMessageLogContext &context, const QString &text)
{
    if (QLatin1StringView(context.category) != QLatin1StringView("drover.workers.spool_health"))
        return;
    claimsStopped += text.startsWith(QStringLiteral("claims no jobs: ")) ? 1 : 0;
    claimsResumed += text.startsWith(QStringLiteral("claims jobs again")) ? 1 : 0;
}

// A spool whose replay journal can be opened or not, as the test wants: root may open all but a folder.
class Spool
{
public:
    void setSick(bool isSick) const
    {
        const QString journal = path() + QStringLiteral("/replay-journal");
        const bool isDone = isSick ? (QFile::remove(journal) || !QFile::exists(journal)) && QDir().mkdir(journal)
                                   : QDir().rmdir(journal);
        if (!isDone)
            throw std::runtime_error("the journal cannot be replaced");
    }
    QString path() const { return m_folder.path(); }

private:
    QTemporaryDir m_folder;
};

} // namespace

// Workers that cannot write to their spools, or to the replay journals there.
class SickSpoolTest : public QObject
{
    Q_OBJECT

    static workers::WorkerOptions options(const QString &spool, int slotCount = 2)
    {
        workers::WorkerOptions options = Working::options(slotCount);
        options.spool = spool;
        options.spoolLimits.reserve = 0;
        return options;
    }

    JobId submit(WorkerCluster &fake, const JobSpec &spec = JobCluster::spec())
    {
        Submitter submitter(Cluster(fake[0], fake.layout, m_alice), {});
        return fake.run(submitter.submit(spec));
    }

    // A list that revokes no certificate. Without a list no signed job may run.
    void publish(WorkerCluster &fake) const
    {
        fake.write(fake.layout.revocations(), trust::Revocations{1, {}}.signedBy(m_closed.root, m_closed.clusterId));
    }

    static WorkerInfo infoIn(WorkerCluster &fake, int who)
    {
        return WorkerInfo::decode(fake.node(fake.layout.members() / WorkerCluster::nameOf(who)).data);
    }

    ClosedCluster m_closed;
    std::shared_ptr<trust::Credentials> m_alice = m_closed.person(QStringLiteral("alice"));
    std::shared_ptr<trust::Credentials> m_worker =
        m_closed.person(QStringLiteral("w1"), [](trust::Certificate &paper) { paper.roles = {trust::Role::Worker}; });

private Q_SLOTS:
    void init()
    {
        claimsStopped = claimsResumed = 0;
        m_before = qInstallMessageHandler(countLines);
    }
    void cleanup() { qInstallMessageHandler(m_before); }

    // It was claimed and given back as fast as ZooKeeper allows, until it had been claimed thousands of times.
    void aSickJournalFailsNoJob_data()
    {
        QTest::addColumn<bool>("fromTheBeginning");
        QTest::newRow("from the beginning") << true;
        QTest::newRow("later") << false;
    }
    void aSickJournalFailsNoJob()
    {
        QFETCH(bool, fromTheBeginning);
        WorkerCluster fake(2);
        publish(fake);
        const Spool spool;
        if (fromTheBeginning)
            spool.setSick(true);
        JobSpec spec = JobCluster::spec();
        spec.maxAttempts = 1;
        const Working working(fake, 1, options(spool.path()), 1s, {}, {}, m_worker);
        if (!fromTheBeginning) {
            const JobId before = submit(fake);
            fake.settle(1min);
            QCOMPARE(fake.recordOf(before).state(), JobState::Succeeded);
            spool.setSick(true);
        }
        std::vector<JobId> jobs;
        for (int i = 0; i < 5; ++i)
            jobs.push_back(submit(fake, i % 2 == 0 ? JobCluster::spec() : spec));
        const std::size_t begun = working.begun();
        fake.settle(1h);
        QCOMPARE(working.begun(), begun);
        for (const JobId &id : jobs) {
            QVERIFY2(fake.exists(fake.pathOf(id)), qPrintable(id.toString()));
            QCOMPARE_LE(fake.node(fake.pathOf(id)).stat.version, 3); // a claim that was given back
            QVERIFY(!fake.exists(fake.layout.claim(id)));
        }
        const WorkerInfo sick = infoIn(fake, 1);
        QVERIFY2(sick.trouble.contains(u"replay-journal: Is a directory"), qPrintable(sick.trouble));
        QVERIFY(sick.holdsBack);
        QCOMPARE(claimsStopped, 1);

        spool.setSick(false);
        fake.settle(2min);
        for (const JobId &id : jobs) {
            QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
            QCOMPARE(fake.recordOf(id).attempts.number(), 1);
        }
        QCOMPARE(infoIn(fake, 1).trouble, QString());
        QCOMPARE(claimsResumed, 1);
        QCOMPARE(claimsStopped, 1);
    }

    // Each start was noted before the machine refused it. After a hundred the job was refused for good.
    void aSickMachineUsesUpNoStartOfASignature()
    {
        WorkerCluster fake(2);
        publish(fake);
        const QTemporaryDir spool;
        Working working(fake, 1, options(spool.path()), 1s, {}, {}, m_worker);
        working.setSick(0, 1);
        const JobId id = submit(fake);
        fake.settle(3h);
        QCOMPARE_GE(working.refusals(), 110);
        QVERIFY(fake.exists(fake.pathOf(id)));
        working.setSick(0, 0);
        fake.settle(5min);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).attempts.number(), 1);
    }

    // A person has it begin again, and the worker breaks the run off.
    void brokenOffRunsUseUpNoStartOfASignature()
    {
        WorkerCluster fake(2);
        publish(fake);
        const QTemporaryDir spool;
        const Working working(fake, 1, options(spool.path()), 1s, {}, {}, m_worker);
        JobSpec spec = JobCluster::spec();
        spec.environment = {{QStringLiteral("TAKES"), QStringLiteral("60000")}};
        spec.maxAttempts = 1;
        const JobId id = submit(fake, spec);
        for (std::size_t begun = 1; begun <= 5; ++begun) {
            fake.settle(5s);
            QCOMPARE(working.begun(), begun);
            fake.run(requeue(fake.cluster(), id));
        }
        fake.settle(2min);
        QCOMPARE(working.begun(), 6u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).attempts.number(), 1);
    }

    // The disk hangs while the worker breaks a run off. For a moment it keeps the job; then others may have it.
    void aDiskThatHangsUsesUpNoStartOfASignature()
    {
        WorkerCluster fake(2);
        publish(fake);
        const QTemporaryDir spool;
        const Working working(fake, 1, options(spool.path()), 1s, {}, {}, m_worker);
        JobSpec spec = JobCluster::spec();
        spec.environment = {{QStringLiteral("TAKES"), QStringLiteral("60000")}};
        spec.maxAttempts = 1;
        const JobId id = submit(fake, spec);
        fake.settle(5s);
        QCOMPARE(working.begun(), 1u);
        const zk::Zxid claimed = fake.node(fake.layout.claim(id)).stat.czxid;
        std::vector<std::function<void()>> hanging;
        fake.process(1).setPool([&](const std::function<void()> &work) { hanging.push_back(work); });
        fake.run(requeue(fake.cluster(), id));
        fake.settle(3s);
        QCOMPARE(fake.node(fake.layout.claim(id)).stat.czxid, claimed); // it is not given back before it is forgiven
        fake.settle(20s);
        QVERIFY(!fake.exists(fake.layout.claim(id)) || fake.node(fake.layout.claim(id)).stat.czxid != claimed);
        fake.process(1).setPool({});
        for (const std::function<void()> &work : hanging)
            work();
        fake.settle(2min);
        QVERIFY2(!fake.exists(fake.layout.done(id)) || fake.recordOf(id).reason.isEmpty(),
                 qPrintable(fake.recordOf(id).reason));
        QCOMPARE(working.begun(), 2u);
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        QCOMPARE(fake.recordOf(id).attempts.number(), 1);
    }

    void aSickJournalLeavesTheJobsToOthers()
    {
        constexpr int Count = 40;
        WorkerCluster fake(3);
        publish(fake);
        const Spool sick;
        const Spool sound;
        sick.setSick(true);
        const Working first(fake, 1, options(sick.path()), 100ms, {}, {}, m_worker);
        fake.settle(5s);
        std::vector<JobId> jobs;
        for (int i = 0; i < Count; ++i)
            jobs.push_back(submit(fake));
        const Working second(fake, 2, options(sound.path()), 100ms, {}, {}, m_worker);
        fake.settle(1min);
        QCOMPARE(first.begun(), 0u);
        for (const JobId &id : jobs)
            QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // Its jobs need no journal, and their output would be lost one after the other.
    void aWorkerThatHasLostOutputLooksAtItsSpool()
    {
        WorkerCluster fake(2);
        const QTemporaryDir folder;
        const QString spool = folder.filePath(QStringLiteral("spool"));
        QVERIFY(QFile::link(QStringLiteral("/proc"), spool)); // no file can be made there
        Working working(fake, 1, options(spool, 1), 1s);
        working.setLosesOutput(true);
        const JobId first = fake.submit();
        fake.settle(30s);
        QCOMPARE(fake.recordOf(first).state(), JobState::Succeeded);
        const JobId second = fake.submit();
        fake.settle(10min);
        QVERIFY(fake.exists(fake.pathOf(second)));
        QCOMPARE(fake.node(fake.pathOf(second)).stat.version, 0);
        QVERIFY2(infoIn(fake, 1).trouble.contains(spool), qPrintable(infoIn(fake, 1).trouble));
        QCOMPARE(claimsStopped, 1);

        QVERIFY(QFile::remove(spool)); // it is made anew
        working.setLosesOutput(false);
        fake.settle(2min);
        QCOMPARE(fake.recordOf(second).state(), JobState::Succeeded);
        QCOMPARE(infoIn(fake, 1).trouble, QString());
        QVERIFY(QDir(spool).isEmpty(QDir::Files | QDir::Hidden));
    }

    // A job's own file may be where no file can be made.
    void lostOutputAloneIsNoSickness()
    {
        WorkerCluster fake(2);
        const QTemporaryDir spool;
        Working working(fake, 1, options(spool.path(), 1), 1s);
        working.setLosesOutput(true);
        for (int i = 0; i < 3; ++i) {
            const JobId id = fake.submit();
            fake.settle(30s);
            QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
        }
        QCOMPARE(claimsStopped, 0);
    }

    void theTrialsOfASickSpoolPause()
    {
        VirtualLoop loop;
        QString answer = QStringLiteral("full");
        std::vector<qint64> trials; // seconds
        QStringList changes;
        const auto attempt = [&]() -> async::Task<QString> {
            trials.push_back(std::chrono::round<std::chrono::seconds>(loop.now().time_since_epoch()).count());
            co_return answer;
        };
        workers::SpoolHealth health(loop, attempt, [&](const QString &sickness) { changes.append(sickness); });
        const auto pauses = [&trials](qint64 from) {
            std::vector<qint64> between;
            for (const qint64 at : std::exchange(trials, {}))
                between.push_back(at - std::exchange(from, at));
            return between;
        };
        const auto now = [&loop] {
            return std::chrono::round<std::chrono::seconds>(loop.now().time_since_epoch()).count();
        };
        qint64 from = now();
        health.fail(QStringLiteral("gone"));
        health.fail(QStringLiteral("gone"));
        loop.runFor(200s);
        QCOMPARE(pauses(from), (std::vector<qint64>{1, 2, 4, 8, 16, 32, 60, 60}));
        QCOMPARE(changes, (QStringList{QStringLiteral("gone"), QStringLiteral("full")}));
        answer.clear();
        loop.runFor(60s);
        QCOMPARE(changes.back(), QString());
        QCOMPARE(trials.size(), 1u);
        loop.runFor(1h); // no trial while all is well
        QCOMPARE(std::exchange(trials, {}).size(), 1u);

        from = now();
        health.fail(QStringLiteral("again"));
        loop.runFor(1500ms);
        QCOMPARE(pauses(from), std::vector<qint64>{1});
        from = now();
        health.fail(QStringLiteral("soon again"));
        loop.runFor(3s);
        QCOMPARE(pauses(from), std::vector<qint64>{2}); // it did not last
        QCOMPARE(health.sickness(), QString());
    }

    // No matter what is wrong with it.
    void aTrialNeedsRoomForAPage()
    {
        VirtualLoop loop;
        const QTemporaryDir folder;
        const QString sound = folder.filePath(QStringLiteral("a/b"));
        QCOMPARE(runTask(loop, workers::trySpool(loop, sound)), QString());
        QVERIFY(QDir(sound).exists() && QDir(sound).isEmpty(QDir::Files | QDir::Hidden));
        const QString nowhere = runTask(loop, workers::trySpool(loop, QStringLiteral("/proc")));
        QVERIFY2(nowhere.startsWith(u"its spool /proc cannot be written: "), qPrintable(nowhere));
        const FullMount mount;
        if (!mount.isMounted())
            QSKIP("only root can mount a file system that is full");
        QFile taken(mount.path(QStringLiteral("taken")));
        QVERIFY(taken.open(QIODevice::WriteOnly) && taken.write("x") == 1 && taken.flush());
        const QString full = runTask(loop, workers::trySpool(loop, mount.path(QString()).chopped(1)));
        QVERIFY2(full.endsWith(u"No space left on device"), qPrintable(full));
    }

    // It stays as it was, and takes the next line.
    void aFullJournalIsFoundByATrial()
    {
        VirtualLoop loop;
        const FullMount mount;
        if (!mount.isMounted())
            QSKIP("only root can mount a file system that is full");
        const QString spool = mount.path(QString()).chopped(1);
        workers::ReplayJournal journal(loop, spool);
        runTask(loop, journal.tryToWrite());
        QFile lines(spool + QStringLiteral("/replay-journal"));
        QVERIFY(lines.open(QIODevice::WriteOnly) && lines.write(QByteArray(4096, '\n')) == 4096
                && lines.flush()); // all there is
        const auto fails = [&] {
            try {
                runTask(loop, journal.tryToWrite());
            } catch (const workers::ReplayJournal::Failed &) {
                return true;
            }
            return false;
        };
        QVERIFY(fails());
        QVERIFY(lines.resize(0));
        QVERIFY(!fails());
    }

private:
    QtMessageHandler m_before = nullptr;
};

QTEST_GUILESS_MAIN(SickSpoolTest)
#include "sick_spool_test.moc"
