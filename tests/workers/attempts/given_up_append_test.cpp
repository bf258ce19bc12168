#include "jobs/client/job_control.h"
#include "support/fake/fake_acl.h"
#include "workers/attempts/appending_jobs.h"
#include "workers/claims/work_finder.h"

#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// Jobs whose last attempt was lost after its command had succeeded: no worker runs them again, and the file has their
// output or gets it yet.
class GivenUpAppendTest : public QObject
{
    Q_OBJECT

    const QTemporaryDir m_folder;
    WorkerCluster *m_fake = nullptr; // of the present function

    // Its only worker is killed once its record is reserved, or before that.
    JobId lose(const QString &path, bool reserved, bool committed)
    {
        const JobId id = m_fake->submit(lastAttempts(1, path));
        const workers::ClaimedJob job = m_fake->claimReady(2).jobs.at(0);
        if (reserved)
            reserve(*m_fake, job, committed);
        m_fake->commit(zk::Transaction().remove(m_fake->layout.claim(id)));
        return id;
    }

private Q_SLOTS:
    void aGivenUpJobIsNotInTheFile_data()
    {
        QTest::addColumn<bool>("reserved");
        QTest::addColumn<bool>("committed");
        QTest::newRow("nothing") << false << false;
        QTest::newRow("reserved") << true << false;
        QTest::newRow("committed") << true << true;
    }
    void aGivenUpJobIsNotInTheFile()
    {
        QFETCH(bool, reserved);
        QFETCH(bool, committed);
        WorkerCluster fake(3);
        m_fake = &fake;
        const QString path = m_folder.filePath(QString::fromUtf8(QTest::currentDataTag()));
        const JobId id = lose(path, reserved, committed);
        const Working working(fake, 1);
        fake.settle(1min);
        QCOMPARE(working.begun(), 0u);
        QVERIFY(fake.exists(fake.layout.done(id)));
        const FinalRecord record = fake.recordOf(id);
        QCOMPARE(record.state(), reserved ? JobState::Succeeded : JobState::Failed);
        QCOMPARE(record.reason.contains(u"an earlier attempt has succeeded"), reserved);
        QVERIFY2(record.reason.contains(u"attempts ended with their workers"), qPrintable(record.reason));
        QVERIFY(!record.reason.contains(u"may have the output"));
        QFile file(path);
        QCOMPARE(file.open(QIODevice::ReadOnly), reserved);
        QCOMPARE(file.readAll(), reserved ? "five\n" : "");
        QVERIFY(fake.childrenOf(fake.layout.claims()).isEmpty());
    }

    // Its file hangs for this worker. Others run meanwhile, and it ends in doubt after ten minutes.
    void itsFileDelaysNoOther()
    {
        WorkerCluster fake(3);
        m_fake = &fake;
        const QString path = m_folder.filePath(QStringLiteral("hangs"));
        const JobId id = lose(path, true, true);
        hangFilesOf(fake, 1);
        const Working working(fake, 1);
        const JobId other = fake.submit();
        fake.settle(8min);
        QCOMPARE(fake.recordOf(other).state(), JobState::Succeeded);
        QVERIFY(!fake.exists(fake.layout.done(id)));
        fake.settle(5min);
        verifyIsInDoubt(fake, id, path);
    }

    // A file server that is away holds a thread for each. The rest wait for their turn.
    void manyAreAskedAboutFewAtATime()
    {
        WorkerCluster fake(3);
        std::vector<JobId> ids;
        for (int i = 0; i < 40; ++i)
            ids.push_back(fake.submit(lastAttempts(1, m_folder.filePath(QStringLiteral("many%1").arg(i)))));
        QCOMPARE(fake.claimReady(2).jobs.size(), ids.size());
        for (const JobId &id : ids)
            fake.commit(zk::Transaction().remove(fake.layout.claim(id)));
        std::vector<std::function<void()>> hanging;
        fake.process(1).setPool([&](const std::function<void()> &work) { hanging.push_back(work); });
        const Working working(fake, 1);
        const JobId other = fake.submit();
        fake.settle(1min);
        QCOMPARE(fake.recordOf(other).state(), JobState::Succeeded);
        QVERIFY(!hanging.empty());
        QVERIFY2(hanging.size() <= 20, qPrintable(QString::number(hanging.size())));
        fake.process(1).setPool({});
        for (const std::function<void()> &work : hanging)
            work();
        fake.settle(2min);
        for (const JobId &id : ids)
            QVERIFY2(fake.exists(fake.layout.done(id)), qPrintable(id.toString()));
    }

    // While its file is asked, another program makes a znode below it, or an ACL refuses its end.
    void whatIsBlockedMeanwhileEndsLater_data()
    {
        QTest::addColumn<bool>("byAcl");
        QTest::newRow("znode") << false;
        QTest::newRow("acl") << true;
    }
    void whatIsBlockedMeanwhileEndsLater()
    {
        QFETCH(const bool, byAcl);
        constexpr auto Create = static_cast<qint32>(Permission::Create);
        WorkerCluster fake(3);
        m_fake = &fake;
        const JobId id = lose(m_folder.filePath(QString::fromUtf8(QTest::currentDataTag())), true, true);
        std::vector<std::function<void()>> hanging;
        fake.process(1).setPool([&](const std::function<void()> &work) { hanging.push_back(work); });
        const Working working(fake, 1);
        fake.settle(5s);
        QVERIFY(!hanging.empty());
        const zk::Path child = fake.pathOf(id) / "child";
        if (byAcl)
            fake.setRights(fake.layout.done(), zk::AllPermissions - Create);
        else
            fake.write(child, {});
        fake.process(1).setPool({});
        for (const std::function<void()> &work : hanging)
            work();
        fake.settle(1min);
        QVERIFY(!fake.exists(fake.layout.done(id)));
        if (byAcl)
            fake.setRights(fake.layout.done(), zk::AllPermissions);
        else
            fake.commit(zk::Transaction().remove(child));
        fake.settle(workers::WorkFinder::AsideFor + 2min);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // Meanwhile it is held, so that its worker is asked no more, and then released.
    void whoseNodeChangesIsJudgedAgain()
    {
        WorkerCluster fake(3);
        m_fake = &fake;
        const QString path = m_folder.filePath(QStringLiteral("held"));
        const JobId id = lose(path, true, true);
        hangFilesOf(fake, 1);
        const Working working(fake, 1);
        fake.settle(1min);
        fake.run(hold(fake.cluster(), id, QStringLiteral("me@here")));
        fake.settle(20min);
        QVERIFY(!fake.exists(fake.layout.done(id)));
        fake.process(1).setPool({});
        fake.run(release(fake.cluster(), id));
        fake.settle(1min);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }

    // The worker stops while it asks, and the next one asks as well.
    void theNextWorkerEndsIt()
    {
        WorkerCluster fake(4);
        m_fake = &fake;
        const QString path = m_folder.filePath(QStringLiteral("next"));
        const JobId id = lose(path, true, false);
        hangFilesOf(fake, 1);
        {
            Working working(fake, 1);
            fake.settle(1min);
            working.worker.stop();
            fake.settle(10s);
            QVERIFY(working.ended());
        }
        QVERIFY(!fake.exists(fake.layout.done(id)));
        const Working next(fake, 3);
        fake.settle(1min);
        QVERIFY(fake.exists(fake.layout.done(id)));
        QCOMPARE(fake.recordOf(id).state(), JobState::Succeeded);
    }
};

QTEST_GUILESS_MAIN(GivenUpAppendTest)
#include "given_up_append_test.moc"
