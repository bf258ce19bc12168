#include "gui/feeds_fixture.h"
#include "gui/subtree/pacing.h"
#include "jobs/cluster/cordon.h"
#include "jobs/model/cluster_stats.h"

#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Fixture = test::FeedsFixture;

// What the feeds report to the console about a cluster in trouble.
class TroubleFeedsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void reportsThatTheHistoryFails();
    void reportsThatTheHistoryHoldsTheClusterBack_data();
    void reportsThatTheHistoryHoldsTheClusterBack();
    void reportsTheOtherFailuresOfTheMaster();
    void workersSayThatTheirMachinesFail();
    void moreLocksThanWatchesAreSaid();
    void aSpentWatchBudgetIsSaidAndTriedAgain();
    void aSlowListingDelaysTheNextForSecondsOnly();
    void workersAreShownAsTheCommandLineLists();
    void whoMayNotReadTheWorkersSeesTheJobs();
};

namespace {

async::Task<void> close(zk::Client &zk, zk::Path path, zk::AclList acl)
{
    const auto set = co_await zk.setAcl(path, acl);
    set.require();
}

} // namespace

void TroubleFeedsTest::reportsThatTheHistoryFails()
{
    Fixture f;
    f.fillAndOpen();
    QSignalSpy told(&f.console.master(), &MasterFeed::troubleChanged);
    jobs::ClusterStats stats;
    stats.archive =
        jobs::ClusterStats::Archive{u"postgresql://db/jobs"_qs, 12, u"cannot open it"_qs, 1'760'000'000s, 3};
    const zk::Path node = f.cluster.layout().stats();
    const auto removed = f.writer->remove(node); // the sample's, if it has any
    const auto created = f.writer->create(node, stats.encode());
    f.world.runFor(1s);
    QCOMPARE(told.size(), 1);
    const QString trouble = told[0][0].toString();
    QVERIFY2(trouble.contains(u"cannot open it. 12 records wait"_qs), qPrintable(trouble));
    QVERIFY2(trouble.contains(u"3 were deleted"_qs), qPrintable(trouble));
    QVERIFY2(!trouble.contains(u"No job is claimed"_qs), qPrintable(trouble));
    stats.archive = jobs::ClusterStats::Archive{u"postgresql://db/jobs"_qs, 0, {}, {}, 0};
    const auto mended = f.writer->set(node, stats.encode());
    f.world.runFor(1s);
    QCOMPARE(told.size(), 2);
    QCOMPARE(told[1][0].toString(), QString());
}

void TroubleFeedsTest::reportsThatTheHistoryHoldsTheClusterBack_data()
{
    QTest::addColumn<QString>("error");
    QTest::addColumn<QString>("sentence");
    QTest::newRow("it fails") << u"cannot open it"_qs << u"cannot open it. 12 records wait in ZooKeeper."_qs;
    QTest::newRow("it is slow") << QString() << u"The history /var/h.sqlite does not keep up."_qs;
}

void TroubleFeedsTest::reportsThatTheHistoryHoldsTheClusterBack()
{
    QFETCH(QString, error);
    QFETCH(QString, sentence);
    Fixture f;
    f.fillAndOpen();
    QSignalSpy told(&f.console.master(), &MasterFeed::troubleChanged);
    jobs::ClusterStats stats;
    stats.archive = jobs::ClusterStats::Archive{u"/var/h.sqlite"_qs, 12, error, 1'760'000'000s, 0};
    stats.archive->pausedSince = 1'760'000'100s;
    const zk::Path node = f.cluster.layout().stats();
    const auto removed = f.writer->remove(node); // the sample's, if it has any
    const auto created = f.writer->create(node, stats.encode());
    f.world.runFor(1s);
    QCOMPARE(told.size(), 1);
    const QString trouble = told[0][0].toString();
    QVERIFY2(trouble.contains(sentence), qPrintable(trouble));
    QVERIFY2(trouble.contains(u"No job is claimed since "_qs), qPrintable(trouble));
}

void TroubleFeedsTest::reportsTheOtherFailuresOfTheMaster()
{
    Fixture f;
    f.fillAndOpen();
    QSignalSpy told(&f.console.master(), &MasterFeed::troubleChanged);
    jobs::ClusterStats stats;
    stats.archive = jobs::ClusterStats::Archive();
    stats.archive->history = u"/var/h.sqlite"_qs;
    stats.archive->aside = 2;
    stats.troubles = {{u"job default-7"_qs, u"it stays where it is"_qs, 1'760'000'000s},
                      {u"queue gpu"_qs, u"no permission"_qs, 1'760'000'000s}};
    const zk::Path node = f.cluster.layout().stats();
    const auto removed = f.writer->remove(node); // the sample's, if it has any
    const auto created = f.writer->create(node, stats.encode());
    f.world.runFor(1s);
    QCOMPARE(told.size(), 1);
    const QString trouble = told[0][0].toString();
    QVERIFY2(trouble.startsWith(u"Final records that the master cannot read, and does not archive: 2. The master fails "
                                "at job default-7 since "_qs),
             qPrintable(trouble));
    QVERIFY2(trouble.endsWith(u": it stays where it is. It fails at 1 more: drover doctor lists them."_qs),
             qPrintable(trouble));
    stats.troubles.clear();
    stats.archive->aside = 0;
    const auto mended = f.writer->set(node, stats.encode());
    f.world.runFor(1s);
    QCOMPARE(told.back()[0].toString(), QString());
}

void TroubleFeedsTest::workersSayThatTheirMachinesFail()
{
    Fixture f;
    f.fillAndOpen();
    const zk::Path path = f.cluster.layout().members() / QByteArrayLiteral("worker-2");
    const auto troubleOf = [&] {
        for (int i = 0; i < f.models.workers.rowCount(); ++i) {
            if (f.models.workers.row(i).id == "worker-2")
                return f.models.workers.row(i).info.trouble;
        }
        return u"gone"_qs;
    };
    QCOMPARE(troubleOf(), QString());
    jobs::WorkerInfo info;
    info.id = u"worker-2"_qs;
    info.slotCount = 8;
    info.trouble = u"no memory"_qs;
    const auto written = f.writer->set(path, info.encode());
    f.world.runFor(2s);
    QCOMPARE(troubleOf(), u"no memory"_qs);
}

// The watches are those of all feeds: the tree stopped without a word when the locks had taken them.
void TroubleFeedsTest::moreLocksThanWatchesAreSaid()
{
    Fixture f;
    f.fillAndOpen();
    QSignalSpy told(&f.console.locks(), &LockFeed::troubled);
    QSignalSpy changed(&f.console.locks(), &LockFeed::changed);
    const zk::Path locks = f.cluster.layout().lock("a").parent();
    for (int i = 0; i < LockFeed::MaxLocks + 10; ++i) {
        const auto created = f.writer->create(locks / ("many-" + QByteArray::number(i)), QByteArray());
    }
    f.world.runFor(30s);
    QCOMPARE(told.size(), 1);
    QVERIFY2(told[0][0].toString().contains(QString::number(LockFeed::MaxLocks)), qPrintable(told[0][0].toString()));
    QVERIFY(f.console.locks().watches() <= LockFeed::MaxLocks + 5); // and of five directories
    QSet<QByteArray> shown;
    for (const LockRow &row : changed.back()[0].value<QList<LockRow>>())
        shown.insert(row.lock);
    QCOMPARE(shown.size(), LockFeed::MaxLocks);
}

// The tree said "Loading…" for ever, also when the watches had been given back.
void TroubleFeedsTest::aSpentWatchBudgetIsSaidAndTriedAgain()
{
    Fixture f;
    f.fillAndOpen();
    ZnodeFeed &tree = f.console.znodes();
    QSignalSpy told(&tree, &ZnodeFeed::troubled);
    QList<zk::Path> paths;
    QHash<zk::Path, NodeCondition> conditions;
    QObject::connect(&tree, &ZnodeFeed::listed,
                     [&](const ZnodeListing &listing) { conditions[listing.path] = listing.condition; });
    for (int i = 0; i < int(ZnodeFeed::MaxOpen); ++i) {
        paths.append(zk::Path('/' + QByteArray(500, 'x') + QByteArray::number(i)));
        tree.open(paths.last());
    }
    f.world.runFor(2s);
    QCOMPARE(conditions.value(paths.first()), NodeCondition::Missing);
    QCOMPARE(conditions.value(paths.last()), NodeCondition::Unfollowed);
    QVERIFY(!told.isEmpty());
    QVERIFY(f.statuses.last().trouble.contains(u"too many"_qs));
    for (const zk::Path &path : paths.first(1000))
        tree.close(path);
    f.world.runFor(10s);
    QCOMPARE(conditions.value(paths.last()), NodeCondition::Missing);
}

// A pause of four times the duration of a listing once hid what came after a slow listing for half a minute.
void TroubleFeedsTest::aSlowListingDelaysTheNextForSecondsOnly()
{
    Fixture f;
    test::ProcessLoop far(f.world);
    const auto slow = f.server.connect(far, {.sessionTimeout = 120s, .latency = 4s});
    const zk::Path directory("/slow");
    f.run(f.writer->ensurePath(directory));
    qsizetype shown = -1;
    int armed = 0;
    async::TaskGroup tasks;
    tasks.spawn(followPaced(*slow, directory, armed,
                            [&](const zk::Answer<zk::Children> &answer) { shown = answer->names.size(); }));
    const auto wait = [&](qsizetype names) { return f.world.runUntil([&] { return shown == names; }, 120s); };
    QVERIFY(wait(0));
    const auto first = f.writer->create(directory / "first", {});
    QVERIFY(wait(1));
    const async::TimePoint then = f.world.now();
    const auto second = f.writer->create(directory / "second", {});
    QVERIFY(wait(2));
    QVERIFY(f.world.now() - then < 20s);
}

// A cordon of a worker that has not obeyed it yet, and a job that takes three slots.
void TroubleFeedsTest::workersAreShownAsTheCommandLineLists()
{
    Fixture f;
    f.fillAndOpen();
    const auto cell = [&](int column, int role) {
        for (int i = 0; i < f.models.workers.rowCount(); ++i) {
            if (f.models.workers.row(i).id == "worker-3")
                return f.models.workers.index(i, column).data(role).toString();
        }
        return QString();
    };
    QCOMPARE(cell(WorkerModel::Running, Qt::DisplayRole), u"1 of 4"_qs);
    jobs::Claim claim;
    claim.worker = u"worker-3"_qs;
    claim.slotCount = 3;
    const auto claimed = f.writer->create(f.cluster.layout().claim({"nightly", 0}), claim.encode());
    const jobs::Cluster cluster(*f.writer, f.cluster.layout());
    f.run(jobs::cordon(cluster, "worker-3", {u"root@vm"_qs, u"disk replaced"_qs, {}}));
    f.world.runFor(2s);
    QCOMPARE(cell(WorkerModel::Running, Qt::DisplayRole), u"4 of 4"_qs);
    QCOMPARE(cell(WorkerModel::State, Qt::DisplayRole), u"Cordoned, 2 jobs left"_qs);
    QVERIFY(cell(WorkerModel::Worker, Qt::ToolTipRole).contains(u"cordoned by root@vm: disk replaced"_qs));
    f.run(jobs::uncordon(cluster, "worker-3"));
    f.world.runFor(2s);
    QCOMPARE(cell(WorkerModel::State, Qt::DisplayRole), u"Busy"_qs);
}

// The reasons come back once the workers can be read.
void TroubleFeedsTest::whoMayNotReadTheWorkersSeesTheJobs()
{
    Fixture f;
    f.run(f.cluster.fill());
    jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs});
    spec.needs.labels = QStringList(u"no-such-label"_qs);
    const jobs::JobId id = f.run(f.cluster.addJob(spec));
    f.open();
    f.world.runFor(30s);
    QVERIFY(f.job(id.bytes()));
    QVERIFY(!f.job(id.bytes())->waits.isEmpty());
    const zk::Path members = f.cluster.layout().members();
    f.run(close(*f.writer, members, {{.permissions = 30, .scheme = "world", .id = "anyone"}}));
    f.world.runFor(90s);
    QVERIFY(f.job(id.bytes()));
    QCOMPARE(f.job(id.bytes())->waits, QString());
    QCOMPARE(f.phase(), SessionStatus::Phase::Connected);
    const jobs::JobId late = f.run(f.cluster.addJob(spec));
    f.world.runFor(5s);
    QVERIFY(f.job(late.bytes()));
    f.run(close(*f.writer, members, zk::openAcl()));
    f.world.runFor(90s);
    QVERIFY(!f.job(late.bytes())->waits.isEmpty());
}

QTEST_GUILESS_MAIN(TroubleFeedsTest)
#include "trouble_feeds_test.moc"
