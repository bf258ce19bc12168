#include "gui/feeds_fixture.h"

#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::JobState;
using Phase = SessionStatus::Phase;
using Fixture = test::FeedsFixture;

// The feeds and the models together on an in-memory ZooKeeper in virtual time.
class FeedsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void showsAWholeCluster();
    void showsMalformedNodesAndGoesOn();
    void saysThatThereIsNoClusterUntilThereIsOne();
    void followsAJobThroughItsLife();
    void noticesAClaimReplacedByAnother();
    void showsTheNextHolderOfALock();
    void showsReadersThatShareALock();
    void aFloodOfJobsIsShownInSteps();
    void showsTheNewestOfTooMany();
    void followsOpenNodesAlone();
    void survivesALostConnection();
    void makesANewSessionWhenOneIsLost();
    void closingLeavesNothing();
    void answersEachRequestOnce();
};

void FeedsTest::showsAWholeCluster()
{
    Fixture f;
    f.fillAndOpen();
    QCOMPARE(f.phase(), Phase::Connected);
    QVERIFY(f.models.jobs.snapshot().clusterExists);
    QCOMPARE(f.count(JobState::Running), 5);
    QCOMPARE(f.count(JobState::Succeeded), 6);
    QCOMPARE(f.count(JobState::Cancelled), 1);
    const JobRow *failed = f.job("default-6");
    QVERIFY(failed);
    QCOMPARE(failed->state, JobState::Failed);
    QCOMPARE(failed->exitCode.value_or(-1), 2);
    QCOMPARE(f.job("gpu-1")->worker, u"worker-2"_qs);
    QCOMPARE(f.job("gpu-1")->name, u"train fold 2"_qs);

    QCOMPARE(f.models.workers.rowCount(), 4);
    QVERIFY(f.models.workers.row(1).master);
    QCOMPARE(f.models.workers.index(2, WorkerModel::Running).data().toString(), u"3 of 8"_qs);
    f.models.queues.sample();
    QCOMPARE(f.models.queues.series().at("gpu").latest(), 6);
}

void FeedsTest::showsMalformedNodesAndGoesOn()
{
    Fixture f;
    f.fillAndOpen();
    QVERIFY(!f.job("default-9999")->note.isEmpty()); // no specification
    QCOMPARE(f.job("default-7777")->state, JobState::Failed); // no final record
    QVERIFY(!f.job("default-7777")->note.isEmpty());
    QCOMPARE(f.models.workers.row(0).id, QByteArray("stranger"));
    QVERIFY(!f.models.workers.row(0).malformed.isEmpty());
    QCOMPARE(f.models.locks.rowCount(), 5); // the node without a number stands in no line
    const jobs::JobId id = f.run(f.cluster.addJob(test::SampleCluster::spec({u"true"_qs})));
    f.world.runFor(1s);
    QVERIFY(f.job(id.bytes()));
}

void FeedsTest::saysThatThereIsNoClusterUntilThereIsOne()
{
    Fixture f;
    f.open();
    QCOMPARE(f.phase(), Phase::Connected);
    QVERIFY(!f.models.jobs.snapshot().clusterExists);
    f.run(f.cluster.fill());
    f.world.runFor(3s);
    QVERIFY(f.models.jobs.snapshot().clusterExists);
    QCOMPARE(f.count(JobState::Running), 5);
}

void FeedsTest::followsAJobThroughItsLife()
{
    Fixture f;
    f.fillAndOpen();
    const jobs::JobId id = f.run(f.cluster.addJob(test::SampleCluster::spec({u"make"_qs}, "nightly")));
    f.world.runFor(1s);
    QCOMPARE(f.job(id.bytes())->state, JobState::Ready);
    f.run(f.cluster.claim(id, u"worker-3"_qs));
    f.world.runFor(1s);
    QCOMPARE(f.job(id.bytes())->state, JobState::Running);
    QCOMPARE(f.job(id.bytes())->worker, u"worker-3"_qs);
    QCOMPARE(f.job(id.bytes())->attempt, 1);

    // The worker dies: its claim goes, the job stays, with one attempt behind it.
    const auto removed = f.writer->remove(f.cluster.layout().claim(id));
    f.world.runFor(1s);
    QCOMPARE(f.job(id.bytes())->state, JobState::Ready);
    QCOMPARE(f.job(id.bytes())->attempt, 1);
    QVERIFY(f.job(id.bytes())->worker.isEmpty());
}

void FeedsTest::noticesAClaimReplacedByAnother()
{
    Fixture f;
    f.fillAndOpen();
    const jobs::JobId id{"default", 8};
    QCOMPARE(f.job("default-8")->worker, u"worker-3"_qs);
    jobs::Claim claim;
    claim.worker = u"worker-1"_qs;
    claim.attempts.claimVersion = 2;
    zk::Transaction transaction; // both between two looks: the listing is the same as before
    transaction.remove(f.cluster.layout().claim(id)).create(f.cluster.layout().claim(id), claim.encode());
    const auto committed = f.writer->commit(transaction);
    f.world.runFor(1s);
    QCOMPARE(f.job("default-8")->worker, u"worker-1"_qs);
    QCOMPARE(f.job("default-8")->attempt, 2);
}

void FeedsTest::showsTheNextHolderOfALock()
{
    Fixture f;
    f.fillAndOpen();
    const auto place = [&](const QByteArray &about) {
        for (int i = 0; i < f.models.locks.rowCount(); ++i) {
            if (f.models.locks.row(i).about.startsWith(about))
                return f.models.locks.row(i).place;
        }
        return -1;
    };
    QCOMPARE(place("worker-1"), 0);
    QCOMPARE(place("worker-3"), 1);
    QCOMPARE(place("worker-2"), 2);
    const LockRow holder = f.models.locks.row(2);
    QCOMPARE(holder.place, 0);
    const auto released = f.writer->remove(f.cluster.layout().lock(holder.lock) / holder.ticket);
    f.world.runFor(1s);
    QCOMPARE(place("worker-1"), -1);
    QCOMPARE(place("worker-3"), 0);
    QCOMPARE(place("worker-2"), 1);
}

void FeedsTest::showsReadersThatShareALock()
{
    Fixture f;
    const zk::Path lock = f.cluster.layout().lock("shared");
    f.run(f.writer->ensurePath(lock));
    for (const char *kind : {"__READ__", "__READ__", "__WRIT__", "__READ__"})
        const auto created = f.writer->create(lock / kind, "x", zk::CreateMode::EphemeralSequential);
    f.run(f.cluster.fill());
    f.open();
    QStringList places;
    for (int i = 0; i < f.models.locks.rowCount(); ++i) {
        if (f.models.locks.row(i).lock == "shared")
            places.append(f.models.locks.index(i, LockModel::Place).data().toString());
    }
    QCOMPARE(places, (QStringList{u"Shares"_qs, u"Shares"_qs, u"Waits, 1"_qs, u"Waits, 2"_qs}));
}

void FeedsTest::aFloodOfJobsIsShownInSteps()
{
    Fixture f;
    f.fillAndOpen();
    QSignalSpy shown(&f.models.jobs, &JobModel::shown);
    const zk::Path queue = f.cluster.layout().queue("default");
    const QByteArray spec = test::SampleCluster::spec({u"true"_qs}).encode();
    for (int i = 0; i < 2000; ++i) { // a thousand a second
        const auto created = f.writer->create(queue / "q5-", spec, zk::CreateMode::PersistentSequential);
        f.world.runFor(1ms);
    }
    QVERIFY2(shown.count() >= 3 && shown.count() <= 9, qPrintable(QString::number(shown.count())));
    f.world.runFor(3s);
    QVERIFY(f.models.jobs.snapshot().ready > 2000);
    const int settled = int(shown.count());
    f.world.runFor(60s);
    QCOMPARE(shown.count(), settled); // nothing happens, nothing is asked
}

void FeedsTest::showsTheNewestOfTooMany()
{
    Fixture f;
    f.fillAndOpen();
    const QByteArray spec = test::SampleCluster::spec({u"true"_qs}).encode();
    const QByteArray record = jobs::FinalRecord().encode();
    for (int i = 0; i < 3000; ++i) {
        const auto job =
            f.writer->create(f.cluster.layout().queue("default") / "q7-", spec, zk::CreateMode::PersistentSequential);
        const auto ended = f.writer->create(f.cluster.layout().done({"nightly", 50'000 + i}), record);
    }
    f.world.runFor(10s);
    QCOMPARE(f.models.jobs.rowCount(), int(JobTable::MaxRows));
    QCOMPARE(f.models.jobs.notShown(), f.models.jobs.snapshot().total() - int(JobTable::MaxRows));
    QVERIFY(f.models.jobs.notShown() > 4000);
    QCOMPARE(f.count(JobState::Running), 5);
    QVERIFY(f.job("nightly-52999"));
    QVERIFY(!f.job("nightly-50000"));
    for (int i = 0; i < f.models.jobs.rowCount(); ++i)
        QVERIFY(f.models.jobs.row(i).loaded);
}

void FeedsTest::followsOpenNodesAlone()
{
    Fixture f;
    f.fillAndOpen();
    const auto watches = [&] { return f.server.watches().size(); };
    const std::size_t before = watches();
    ZnodeModel &tree = f.models.znodes;
    tree.open(tree.index(0, 0));
    f.world.runFor(1s);
    tree.open(tree.indexOf(zk::Path("/drover")));
    f.world.runFor(1s);
    QVERIFY(tree.indexOf(zk::Path("/drover/default")).isValid());
    QCOMPARE(watches(), before + 2);
    const auto created = f.writer->create(zk::Path("/drover/other"), {});
    f.world.runFor(1s);
    QVERIFY(tree.indexOf(zk::Path("/drover/other")).isValid());
    f.console.znodes().readStats({zk::Path("/drover/default"), zk::Path("/drover/gone")});
    f.world.runFor(1s);
    QCOMPARE(tree.indexOf(zk::Path("/drover/default")).siblingAtColumn(ZnodeModel::ChildCount).data().toString(),
             QString::number(f.server.tree().find(zk::Path("/drover/default"))->children.size()));

    QSignalSpy contents(&f.console.znodes(), &ZnodeFeed::contentsRead);
    f.console.znodes().select(zk::Path("/drover/other"));
    f.world.runFor(1s);
    const auto set = f.writer->set(zk::Path("/drover/other"), "news");
    f.world.runFor(1s);
    const auto removed = f.writer->remove(zk::Path("/drover/other"));
    f.world.runFor(1s);
    QCOMPARE(contents.count(), 3);
    QCOMPARE(contents[1][0].value<ZnodeContents>().data, QByteArray("news"));
    QCOMPARE(contents[2][0].value<ZnodeContents>().condition, NodeCondition::Missing);

    tree.clear();
    f.console.znodes().select(zk::Path());
    f.world.runFor(1s);
    QVERIFY(watches() <= before + 2); // the selected node's, and one that the server forgets later
}

void FeedsTest::survivesALostConnection()
{
    Fixture f;
    f.fillAndOpen();
    const zk::SessionId session = f.statuses.last().sessionId;
    f.server.stop();
    f.world.runFor(500ms);
    QCOMPARE(f.phase(), Phase::Suspended);
    QVERIFY(!f.statuses.last().trouble.isEmpty());
    QCOMPARE(f.count(JobState::Running), 5); // still shown
    f.server.start();
    f.world.runFor(3s);
    QCOMPARE(f.phase(), Phase::Connected);
    QCOMPARE(f.statuses.last().sessionId, session);
    const jobs::JobId id = f.run(f.cluster.addJob(test::SampleCluster::spec({u"true"_qs})));
    f.world.runFor(2s);
    QVERIFY(f.job(id.bytes()));
}

void FeedsTest::makesANewSessionWhenOneIsLost()
{
    Fixture f;
    f.fillAndOpen();
    ZnodeModel &tree = f.models.znodes;
    tree.open(tree.index(0, 0));
    f.world.runFor(1s);
    const zk::SessionId session = f.statuses.last().sessionId;
    f.server.expire(session);
    f.world.runFor(500ms);
    QCOMPARE(f.phase(), Phase::Lost);
    QCOMPARE(f.count(JobState::Running), 5); // the last that was known stays, when it is needed most
    QCOMPARE(f.models.workers.rowCount(), 4);
    QCOMPARE(f.models.locks.rowCount(), 5);
    f.world.runFor(5s);
    QCOMPARE(f.phase(), Phase::Connected);
    QVERIFY(f.statuses.last().sessionId != session);
    QCOMPARE(f.count(JobState::Running), 5);
    const auto created = f.writer->create(zk::Path("/appeared"), {});
    f.world.runFor(1s);
    QVERIFY(tree.indexOf(zk::Path("/appeared")).isValid()); // what was open is followed again
}

void FeedsTest::closingLeavesNothing()
{
    Fixture f;
    f.fillAndOpen();
    QVERIFY(f.server.watches().size() > 5);
    f.console.close();
    f.world.runFor(2s);
    QCOMPARE(f.phase(), Phase::Disconnected);
    QCOMPARE(f.server.watches().size(), std::size_t(0));
    QCOMPARE(f.server.sessions().size(), std::size_t(1)); // the writer's
    QCOMPARE(f.models.jobs.rowCount() + f.models.workers.rowCount() + f.models.locks.rowCount(), 0);
    f.open();
    QCOMPARE(f.count(JobState::Running), 5);
}

void FeedsTest::answersEachRequestOnce()
{
    Fixture f;
    JobActions &actions = f.console.actions();
    QSignalSpy failed(&actions, &JobActions::failed);
    QSignalSpy submitted(&actions, &JobActions::submitted);
    QSignalSpy acted(&f.console.changes(), &ClusterChanges::acted);
    QSignalSpy found(&actions, &JobActions::found);
    actions.submit(1, test::SampleCluster::spec({u"true"_qs}));
    QCOMPARE(failed.count(), 1); // not connected
    f.fillAndOpen();
    actions.submit(2, test::SampleCluster::spec({u"true"_qs}));
    actions.submit(3, test::SampleCluster::spec({u"true"_qs}, "nowhere"));
    const QList<jobs::JobId> unequal{{"default", 8}, {"default", 12}, {"default", 0}}; // the last has ended
    f.console.changes().act(4, {JobVerb::Kind::Cancel}, unequal);
    actions.lookUp(7, {"default", 6});
    actions.lookUp(8, {"default", 4711});
    f.world.runFor(2s);
    QCOMPARE(submitted.count(), 1);
    QVERIFY(f.job(submitted[0][1].value<jobs::JobId>().bytes()));
    QCOMPARE(acted.count(), 1);
    const auto outcomes = acted[0][1].value<QList<ActedOn>>();
    for (const ActedOn &outcome : outcomes)
        QCOMPARE(outcome.why.isEmpty(), outcome.id != unequal.back());
    QCOMPARE(outcomes.size(), unequal.size());
    QCOMPARE(found.count(), 1);
    QCOMPARE(found[0][1].value<jobs::JobView>().record->exitCode(), 2);
    QList<int> failures;
    for (const QList<QVariant> &failure : failed)
        failures.append(failure[0].toInt());
    std::sort(failures.begin(), failures.end());
    QCOMPARE(failures, (QList<int>{1, 3, 8}));

    f.server.stop();
    f.world.runFor(500ms);
    actions.lookUp(9, {"default", 6}); // waits for the connection
    f.console.close();
    QCOMPARE(failed.last()[0].toInt(), 9);
}

QTEST_GUILESS_MAIN(FeedsTest)
#include "feeds_test.moc"
