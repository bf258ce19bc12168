#include "gui/pages/replay/record_switch.h"
#include "gui/pictures.h"
#include "gui/shell/page.h"
#include "gui/shell/shell.h"
#include "gui/window_fixture.h"
#include "gui/workspace/feed_needs.h"

#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr int Patience = 30'000; // ms

struct Fixture : test::WindowFixture {
    explicit Fixture(std::chrono::milliseconds untilSleep = 1ms)
    {
        window.findChild<FeedNeeds *>()->setPatience(untilSleep);
    }
    QString badge(const QString &page) const { return window.findChild<Shell *>()->find(page)->badge().words; }
    bool areAsleep() { return !console.locks().isAwake() && !console.workers().isAwake(); }
    // How many contenders a lock has.
    int contenders(const QByteArray &lock) const
    {
        int count = 0;
        for (int i = 0; i < models.locks.rowCount(); ++i)
            count += models.locks.row(i).lock == lock && models.locks.row(i).place >= 0 ? 1 : 0;
        return count;
    }
};

async::Task<void> make(zk::Client &zk, zk::Path path, QByteArray data, zk::CreateMode mode)
{
    co_await zk.ensurePath(path.parent());
    const auto made = co_await zk.create(path, data, mode);
    made.require();
}

} // namespace

// Feeds whose pages are hidden.
class SleepingTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // A thousand locks took a thousand watches, seen or not.
    void aFeedGivesItsWatchesBackWhenItsPagesAreHidden()
    {
        Fixture f;
        const std::size_t before = f.server.watches().size();
        const int ofLocks = f.console.locks().watches();
        const int ofWorkers = f.console.workers().watches();
        QVERIFY(ofLocks > 3 && ofWorkers > 5);
        f.window.showPage(u"jobs"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(f.areAsleep(), Patience);
        f.world.runFor(3s);
        QCOMPARE(f.console.locks().watches(), 4);
        QCOMPARE(f.console.workers().watches(), 3);
        QCOMPARE(f.server.watches().size(), before - std::size_t(ofLocks - 4) - std::size_t(ofWorkers - 3));
        QVERIFY(f.says(u" of 5,000"_qs));
    }

    // What it does not report cannot be replayed.
    void noFeedSleepsWhileItIsRecorded()
    {
        const QTemporaryDir state;
        qputenv("XDG_STATE_HOME", state.path().toUtf8());
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(f.areAsleep(), Patience);
        auto *const record = f.window.findChild<RecordSwitch *>();
        QTRY_VERIFY_WITH_TIMEOUT(record->isEnabled(), Patience);
        record->click();
        QTRY_VERIFY_WITH_TIMEOUT(f.console.locks().isAwake() && f.console.workers().isAwake(), Patience);
        record->click();
        QTRY_VERIFY_WITH_TIMEOUT(f.areAsleep(), Patience);
    }

    void aPageThatIsHiddenForAMomentDoesNotSleep()
    {
        Fixture f(1h);
        const int watches = f.console.locks().watches();
        f.window.showPage(u"jobs"_qs);
        f.world.runFor(3s);
        f.window.showPage(u"locks"_qs);
        QVERIFY(f.console.locks().isAwake() && !f.says(u"waking"_qs));
        QCOMPARE(f.console.locks().watches(), watches);
    }

    // The rail and the overview have to know.
    void aHiddenPageStillCountsLocks()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(f.areAsleep(), Patience);
        QCOMPARE(f.badge(u"locks"_qs), u"3 locks"_qs);
        f.run(f.cluster.addLock("new", {"ada"}));
        f.run(f.cluster.addLock("report", {"bob"}));
        const int before = f.contenders("report");
        f.world.runFor(2s);
        QCOMPARE(f.badge(u"locks"_qs), u"4 locks"_qs);
        QCOMPARE(f.contenders("new"), 1);
        QCOMPARE(f.contenders("report"), before); // its watch is gone
        f.world.runFor(1min);
        QCOMPARE(f.contenders("report"), before + 1);

        const zk::Path member = f.cluster.layout().members() / "worker-9";
        jobs::WorkerInfo info;
        info.slotCount = 1;
        const auto made = f.writer->create(member, info.encode(), zk::CreateMode::Ephemeral);
        f.world.runFor(2s);
        QCOMPARE(f.models.workers.row(f.models.workers.rowCount() - 1).id, QByteArray("worker-9"));
        info.trouble = u"no disk"_qs;
        const auto set = f.writer->set(member, info.encode());
        f.world.runFor(1min);
        QCOMPARE(f.badge(u"workers"_qs), u"2 in trouble"_qs);
    }

    void limitsAndElectionsSleepToo()
    {
        Fixture f;
        const zk::Path limit = f.cluster.layout().limit("gpu");
        const zk::Path election = f.cluster.layout().election("importer");
        const auto contend = [&](const zk::Path &path, const QByteArray &about) {
            f.run(make(*f.writer, path, about, zk::CreateMode::EphemeralSequential));
        };
        f.run(make(*f.writer, limit / "permits", QByteArray("\0\0\0\2", 4), zk::CreateMode::Persistent));
        contend(limit / "leases" / "lease-", "a");
        contend(limit / "leases" / "lease-", "b");
        contend(election / "latch-", "a");
        f.world.runFor(3s);
        const int awake = f.console.locks().watches();
        const int waiters = f.models.waits.waiters();
        f.window.showPage(u"jobs"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(f.areAsleep(), Patience);
        f.world.runFor(3s);
        QCOMPARE(f.console.locks().watches(), 4);
        contend(election / "latch-", "b");
        const auto set = f.writer->set(limit / "permits", QByteArray("\0\0\0\1", 4));
        f.world.runFor(3s);
        QCOMPARE(f.models.waits.waiters(), waiters);
        f.world.runFor(1min);
        QCOMPARE(f.models.waits.waiters(), waiters + 2);
        const zk::Path added = f.cluster.layout().limit("tpu"); // whose name is known at once
        contend(added / "leases" / "lease-", "a");
        contend(added / "leases" / "lease-", "b");
        f.world.runFor(1min);
        QCOMPARE(f.models.waits.waiters(), waiters + 3);
        f.window.showPage(u"waits"_qs);
        QVERIFY(f.says(u"is waking"_qs));
        f.world.runFor(3s);
        QVERIFY(!f.says(u"is waking"_qs));
        QCOMPARE(f.console.locks().watches(), awake + 3); // the other limit has three
    }

    void aPageSaysThatItIsWaking()
    {
        Fixture f;
        const int watches = f.console.locks().watches();
        f.window.showPage(u"jobs"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(f.areAsleep(), Patience);
        f.world.runFor(3s);
        f.window.showPage(u"locks"_qs);
        QVERIFY(f.console.locks().isAwake());
        QVERIFY(!f.console.workers().isAwake()); // their pages are hidden
        QVERIFY(f.says(u"is waking"_qs));
        test::pictureOf(f.window, u"waking"_qs);
        f.world.runFor(1s);
        QVERIFY(!f.says(u"is waking"_qs));
        QCOMPARE(f.console.locks().watches(), watches);
        f.run(f.cluster.addLock("report", {"bob"}));
        const int before = f.contenders("report");
        f.world.runFor(1s);
        QCOMPARE(f.contenders("report"), before + 1);
    }

    void aFeedSleepsOnInANewSession()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(f.areAsleep(), Patience);
        f.window.connectTo({test::Nowhere, "default"});
        f.world.runFor(3s);
        QCOMPARE(f.console.locks().watches(), 4);
        QCOMPARE(f.badge(u"locks"_qs), u"3 locks"_qs);
        QVERIFY(f.contenders("report") > 0);
    }
};

QTEST_MAIN(SleepingTest)
#include "sleeping_test.moc"
