#include "gui/feeds/locks/lock_lines.h"
#include "gui/pages/locks_page.h"
#include "gui/pictures.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"

#include <QSignalSpy>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr auto Ephemeral = zk::CreateMode::EphemeralSequential;

async::Task<zk::Path> create(zk::Client &zk, zk::Path path, QByteArray data, zk::CreateMode mode)
{
    co_await zk.ensurePath(path.parent());
    const auto made = co_await zk.create(path, data, mode);
    co_return made.value().path;
}

async::Task<void> close(zk::Client &zk, zk::Path path)
{
    const zk::AclList stranger(1, {zk::AllPermissions, "digest", "stranger:x"});
    const auto set = co_await zk.setAcl(path, stranger);
    set.require();
}

struct Fixture : test::WindowFixture {
    LocksPage *page = window.findChild<LocksPage *>();
    std::unique_ptr<zk::Client> other = server.connect(clusterLoop);

    Fixture() { window.showPage(u"locks"_qs); }
    zk::Path put(const char *path, const char *about, zk::CreateMode mode = Ephemeral, zk::Client *by = nullptr)
    {
        return run(create(by ? *by : *writer, zk::Path(path), about, mode));
    }
    void search(std::chrono::seconds duration = 3s)
    {
        action("lock.search")->trigger();
        world.runFor(duration);
    }
    QAction *action(const char *name) { return window.findChild<QAction *>(QLatin1String(name)); }
    void select(const char *about)
    {
        const QAbstractItemModel &shown = *page->table().model();
        for (int row = 0; row < shown.rowCount(); ++row) {
            if (shown.index(row, LockModel::Who).data().toString() == QLatin1String(about))
                page->table().setCurrentIndex(shown.index(row, LockModel::Who));
        }
    }
    // "/app/lock: a Holds, b Waits, 1", for each lock that was found.
    QStringList found()
    {
        QMap<QString, QStringList> lines;
        for (int row = 0; row < models.locks.rowCount(); ++row) {
            const LockRow &contender = models.locks.row(row);
            if (contender.lock.startsWith('/'))
                lines[QString::fromUtf8(contender.lock)] << QString::fromUtf8(contender.about) + u' '
                        + models.locks.index(row, LockModel::Place).data().toString();
        }
        QStringList all;
        for (auto line = lines.begin(); line != lines.end(); ++line)
            all << line.key() + u": "_qs + line->join(u", "_qs);
        return all;
    }

    // "/app/lock Lock", for each lock that was found: the kinds of all its rows.
    QStringList kinds()
    {
        QStringList kinds;
        for (int row = 0; row < models.locks.rowCount(); ++row) {
            const QByteArray &lock = models.locks.row(row).lock;
            if (lock.startsWith('/'))
                kinds << QString::fromUtf8(lock) + u' ' + models.locks.index(row, LockModel::Kind).data().toString();
        }
        kinds.removeDuplicates();
        kinds.sort();
        return kinds;
    }
};

} // namespace

// The locks of other programs, found in the tree.
class FoundLocksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void knowsTheLayoutsOfCuratorKazooAndZooKeeper()
    {
        Fixture f;
        const char *const hex = "0123456789abcdef0123456789abcdef";
        f.put("/app/mutex/_c_a-lock-", "a");
        f.put("/app/mutex/_c_b-lock-", "b");
        f.put("/app/rw/_c_a-__READ__", "a");
        f.put("/app/rw/_c_b-__READ__", "b");
        f.put("/app/rw/_c_c-__WRIT__", "c");
        f.put("/app/latch/_c_a-latch-", "a");
        f.put("/kazoo/lock/a__lock__", "a");
        f.put("/kazoo/rw/a__rlock__", "a");
        f.put("/kazoo/rw/b__rlock__", "b");
        f.put("/kazoo/rw/c__lock__", "c");
        f.put((QByteArray("/kazoo/semaphore/") + hex).constData(), "a", zk::CreateMode::Ephemeral);
        f.put("/zk/lock/x-77-", "a");
        f.put("/app/semaphore/leases/_c_a-lease-", "a");
        f.put("/app/semaphore/locks/_c_b-lock-", "b", Ephemeral, f.other.get());
        f.put("/app/semaphore/leases/_c_b-lease-", "b", Ephemeral, f.other.get());
        f.put("/app/entered/one", "a", zk::CreateMode::Ephemeral);
        f.put("/app/entered/ready", "", zk::CreateMode::Persistent);
        f.put("/app/leaked/_c_a-lock-", "dead", zk::CreateMode::PersistentSequential);
        f.put("/drover/other/locks/db/_c_a-__WRIT__", "of another cluster");
        // What is none of that:
        f.put("/app/queue/qn-", "item", zk::CreateMode::PersistentSequential);
        f.put((QByteArray("/app/records/") + hex).constData(), "record", zk::CreateMode::Persistent);
        f.put((QByteArray("/drover/other/audit/") + hex).constData(), "entry", zk::CreateMode::Ephemeral);
        f.search();
        QCOMPARE(f.found().join(u'\n'),
                 QStringList({u"/app/entered: a Inside"_qs, u"/app/latch: a Holds"_qs, u"/app/leaked: dead Leaked"_qs,
                              u"/app/mutex: a Holds, b Waits, 1"_qs, u"/app/rw: a Shares, b Shares, c Waits, 1"_qs,
                              u"/app/semaphore: a Holds, b Waits, 1"_qs,
                              u"/drover/other/locks/db: of another cluster Holds"_qs, u"/kazoo/lock: a Holds"_qs,
                              u"/kazoo/rw: a Shares, b Shares, c Waits, 1"_qs, u"/kazoo/semaphore: a Holds"_qs,
                              u"/zk/lock: a Holds"_qs})
                     .join(u'\n'));
        QCOMPARE(f.kinds(),
                 QStringList({u"/app/entered Double barrier"_qs, u"/app/latch Election"_qs, u"/app/leaked Lock"_qs,
                              u"/app/mutex Lock"_qs, u"/app/rw Read-write lock"_qs, u"/app/semaphore Semaphore"_qs,
                              u"/drover/other/locks/db Read-write lock"_qs, u"/kazoo/lock Lock"_qs,
                              u"/kazoo/rw Read-write lock"_qs, u"/kazoo/semaphore Semaphore"_qs, u"/zk/lock Lock"_qs}));
        test::pictureOf(f.window, u"locks-found"_qs);
        QVERIFY(f.says(u"11 locks in the tree, of "_qs));
    }

    // Without a search, as its locks are.
    void followsTheBarriersOfItsCluster()
    {
        Fixture f;
        const jobs::Layout &layout = f.cluster.layout();
        const auto put = [&](const zk::Path &path, const char *about, zk::CreateMode mode, zk::Client &by) {
            f.run(create(by, path, about, mode));
            f.world.runFor(2s);
        };
        const auto rows = [&] {
            QStringList all;
            for (int row = 0; row < f.models.locks.rowCount(); ++row) {
                const LockRow &contender = f.models.locks.row(row);
                if (contender.lock.contains("barrier "))
                    all << QStringList{QString::fromUtf8(contender.lock),
                                       f.models.locks.index(row, LockModel::Kind).data().toString(),
                                       QString::fromUtf8(contender.about),
                                       f.models.locks.index(row, LockModel::Place).data().toString()}
                               .join(u'|');
            }
            all.sort();
            return all.join(u'\n');
        };
        const zk::Path stage = layout.doubleBarrier("stage");
        put(stage / "f00d", "first", zk::CreateMode::Ephemeral, *f.writer);
        put(stage / "1234", "second", zk::CreateMode::Ephemeral, *f.other);
        const QString member = u"double barrier stage|Double barrier|"_qs;
        QCOMPARE(rows(), member + u"first|Waits, 1\n"_qs + member + u"second|Waits, 2"_qs);
        QCOMPARE(f.models.waits.deadlocks().size(), 0);
        put(stage / "ready", "", zk::CreateMode::Persistent, *f.writer);
        QCOMPARE(rows(), member + u"first|Inside\n"_qs + member + u"second|Inside"_qs);
        const zk::Path gate = layout.barrier("gate");
        put(gate, "", zk::CreateMode::Persistent, *f.writer);
        QVERIFY2(rows().startsWith(u"barrier gate|Barrier||Closed\n"), qPrintable(rows()));
        f.search();
        QCOMPARE(f.found(), QStringList()); // nothing twice
        const auto opened = f.writer->remove(gate);
        f.world.runFor(2s);
        QVERIFY(opened.ready());
        QVERIFY2(!rows().contains(u"gate"), qPrintable(rows()));
    }

    // A double barrier has a member with a session. Other directories with a child "ready" are searched.
    void aDirectoryWithAChildNamedReadyIsSearched()
    {
        Fixture f;
        f.put("/svc/ready", "", zk::CreateMode::Persistent);
        f.put("/svc/config", "settings", zk::CreateMode::Persistent);
        f.put("/svc/port", "80", zk::CreateMode::Persistent);
        f.put("/svc/inner/_c_a-lock-", "a");
        f.put("/half/ready", "", zk::CreateMode::Persistent);
        f.put("/half/config", "settings", zk::CreateMode::Persistent);
        f.put("/half/member", "m", zk::CreateMode::Ephemeral);
        f.search();
        const QStringList found = f.found();
        QCOMPARE(found.size(), 2);
        QVERIFY(found.front().startsWith(u"/half: "_qs) && found.front().contains(u"settings Leaked"_qs));
        QCOMPARE(found.back(), u"/svc/inner: a Holds"_qs);
        f.select("settings");
        QVERIFY(!f.action("lock.break")->isEnabled()); // it may be anything
        f.select("m");
        QVERIFY(f.action("lock.break")->isEnabled());
    }

    void anUnreadableLockStopsNoOther()
    {
        Fixture f;
        f.put("/app/a/_c_a-lock-", "a");
        f.put("/app/closed/_c_b-lock-", "b");
        f.put("/app/z/_c_c-lock-", "c");
        f.run(close(*f.writer, zk::Path("/app/closed")));
        const zk::Path half = f.put("/app/half/_c_d-lock-", "d"); // listed, but its place is closed
        f.run(close(*f.writer, half));
        f.search();
        QCOMPARE(f.found(), (QStringList{u"/app/a: a Holds"_qs, u"/app/z: c Holds"_qs}));
        QVERIFY(f.says(u"2 cannot be read"_qs));
    }

    // It sets no watch.
    void looksAgainAtWhatItHasFound()
    {
        Fixture f;
        const zk::Path first = f.put("/app/mutex/_c_a-lock-", "a");
        f.search(1s);
        const int watches = f.console.locks().watches();
        f.put("/app/mutex/_c_b-lock-", "b");
        f.world.runFor(6s);
        QCOMPARE(f.found(), QStringList(u"/app/mutex: a Holds, b Waits, 1"_qs));
        f.writer->discard(first);
        f.world.runFor(6s);
        QCOMPARE(f.found(), QStringList(u"/app/mutex: b Holds"_qs));
        QCOMPARE(f.console.locks().watches(), watches);
        f.server.stop(); // and comes back
        f.world.runFor(2s);
        f.server.start();
        f.put("/app/mutex/_c_c-lock-", "c");
        f.world.runFor(12s);
        QCOMPARE(f.found(), QStringList(u"/app/mutex: b Holds, c Waits, 1"_qs));
    }

    // A report without news costs the window nothing.
    void looksNoMoreWhileTheFeedSleeps()
    {
        Fixture f;
        f.put("/app/mutex/_c_a-lock-", "a");
        f.search();
        LockFeed &feed = f.console.locks();
        QSignalSpy reports(&feed, &LockFeed::searched);
        f.world.runFor(12s);
        QVERIFY(!reports.isEmpty());
        for (const QList<QVariant> &report : reports)
            QVERIFY(!report.front().value<LockSearchReport>().rows);
        feed.setAwake(false);
        f.world.runFor(6s); // a look may have begun
        f.put("/app/mutex/_c_b-lock-", "b");
        f.world.runFor(20s);
        QCOMPARE(f.found(), QStringList(u"/app/mutex: a Holds"_qs));
        feed.setAwake(true);
        f.world.runFor(6s);
        QCOMPARE(f.found(), QStringList(u"/app/mutex: a Holds, b Waits, 1"_qs));
    }

    void aSearchIsStopped()
    {
        Fixture f;
        for (int i = 0; i < 300; ++i)
            f.put(("/many/" + QByteArray::number(i)).constData(), "", zk::CreateMode::Persistent);
        f.put("/a/_c_a-lock-", "a");
        f.server.setServiceTime(50ms);
        f.search(2s);
        const QAction *const action = f.window.findChild<QAction *>(u"lock.search"_qs);
        QCOMPARE(action->text().remove(u'&'), u"Stop the search"_qs);
        f.search(8s);
        QVERIFY(f.says(u"Stopped."_qs));
        QCOMPARE(action->text().remove(u'&'), u"Search the tree"_qs);
        f.server.setServiceTime(0ms);
        f.search(10s);
        QCOMPARE(f.found(), QStringList(u"/a: a Holds"_qs));
    }

    // A holds one lock of the cluster and waits for one of another program, and B the other way round.
    void aDeadlockWithALockOfAnotherProgramIsFound()
    {
        Fixture f;
        const QByteArray ours = (f.cluster.layout().lock("db") / "_c_x-lock-").bytes();
        f.put(ours.constData(), "A");
        f.put("/app/mutex/_c_b-lock-", "B", Ephemeral, f.other.get());
        f.put("/app/mutex/_c_a-lock-", "A");
        f.put(ours.constData(), "B", Ephemeral, f.other.get());
        f.world.runFor(3s);
        QVERIFY(f.models.waits.deadlocks().isEmpty());
        f.search();
        QCOMPARE(f.models.waits.deadlocks().size(), 1);
        const QString path = f.models.waits.deadlocks().front().path();
        QVERIFY2(path.contains(u"/app/mutex"_qs) && path.contains(u"db"_qs), qPrintable(path));
        f.window.showPage(u"waits"_qs);
        QVERIFY(f.says(u"Deadlock: "_qs));
        test::pictureOf(f.window, u"waits-found"_qs);
    }
};

QTEST_MAIN(FoundLocksTest)
#include "found_locks_test.moc"
