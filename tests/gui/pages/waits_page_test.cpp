#include "gui/kit/graph_view.h"
#include "gui/pages/table_page.h"
#include "gui/pictures.h"
#include "gui/shell/shell.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"

#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

async::Task<void> contend(zk::Client &zk, zk::Path directory, QByteArray kind, QByteArray about)
{
    co_await zk.ensurePath(directory);
    const auto made = co_await zk.create(directory / kind, about, zk::CreateMode::EphemeralSequential);
    made.require();
}

async::Task<void> limitTo(zk::Client &zk, zk::Path limit, QByteArray permits)
{
    co_await zk.ensurePath(limit);
    const auto made = co_await zk.create(limit / "permits", permits);
    made.require();
}

struct Fixture : test::WindowFixture {
    Page *page = window.findChild<Shell *>()->find(u"waits"_qs);
    GraphView *view = page->findChild<GraphView *>();
    std::unique_ptr<zk::Client> one = server.connect(clusterLoop);
    std::unique_ptr<zk::Client> other = server.connect(clusterLoop);

    Fixture()
    {
        window.resize(1100, 720);
        window.showPage(u"waits"_qs);
    }
    void take(zk::Client &zk, const zk::Path &directory, const char *kind, const char *about)
    {
        run(contend(zk, directory, kind, about));
    }
    // default-8 has lock alpha and wants limit gpu, of one permit; a program has that and wants alpha.
    void closeACircle()
    {
        const zk::Path lock = cluster.layout().lock("alpha");
        const zk::Path limit = cluster.layout().limit("gpu");
        run(limitTo(*one, limit, QByteArray("\0\0\0\1", 4)));
        take(*one, lock, "lock-", "default-8");
        take(*other, limit / "leases", "lease-", "ada@host process 7: make");
        take(*one, limit / "locks", "lock-", "default-8");
        take(*one, limit / "leases", "lease-", "default-8");
        take(*other, lock, "lock-", "ada@host process 7: make");
        world.runFor(3s);
    }
    const GraphPicture::Node *node(const QString &title) const
    {
        const std::vector<GraphPicture::Node> &nodes = view->picture().nodes;
        const auto found =
            std::find_if(nodes.begin(), nodes.end(), [&](const auto &each) { return each.title == title; });
        return found == nodes.end() ? nullptr : &*found;
    }
};

} // namespace

// The page that draws waits and holders, in the window.
class WaitsPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void drawsLocksWithTheirWaiters()
    {
        Fixture f; // worker-3 and worker-2 wait for the report's lock
        QVERIFY(f.node(u"lock report"_qs));
        QCOMPARE(f.node(u"lock report"_qs)->remark, u"2 waiters"_qs);
        QVERIFY(!f.node(u"lock migrate-schema"_qs)); // it has no waiters
        QCOMPARE(f.view->picture().nodes.size(), std::size_t(4));
        QCOMPARE(f.page->badge().words, u"2 waiting"_qs);
        QVERIFY2(f.view->accessibleDescription().contains(u"lock report is held by worker-1 job default-8"_qs),
                 qPrintable(f.view->accessibleDescription()));
        f.take(*f.one, f.cluster.layout().election("importer"), "latch-", "leader");
        f.take(*f.other, f.cluster.layout().election("importer"), "latch-", "second");
        f.world.runFor(3s);
        QVERIFY(f.node(u"election importer"_qs) && f.node(u"second"_qs));
        test::pictureOf(f.window, u"waits"_qs);
    }

    void aPermitOfSeveralIsNoWait()
    {
        Fixture f;
        const zk::Path limit = f.cluster.layout().limit("gpu");
        f.run(limitTo(*f.one, limit, QByteArray("\0\0\0\2", 4)));
        f.take(*f.one, limit / "leases", "lease-", "default-8");
        f.take(*f.other, limit / "leases", "lease-", "default-9");
        f.world.runFor(3s);
        QVERIFY(!f.node(u"limit gpu"_qs));
        f.take(*f.other, limit / "locks", "lock-", "default-10");
        f.take(*f.other, limit / "leases", "lease-", "default-10");
        f.world.runFor(3s);
        QVERIFY(f.node(u"limit gpu"_qs));
        QCOMPARE(f.node(u"limit gpu"_qs)->remark, u"1 waiter"_qs); // once, although it has a ticket and a lease
    }

    void aDeadlockIsOutlinedNamedAndReported()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        f.closeACircle();
        QCOMPARE(f.page->badge().words, u"1 deadlock"_qs);
        QCOMPARE(f.page->badge().tone, Tone::Bad);
        QCOMPARE(f.models.events.rowCount(), 1); // also before the page of the events was opened
        QCOMPARE(f.models.events.row(0).event, u"deadlock"_qs);
        f.window.showPage(u"waits"_qs);
        QVERIFY(f.says(u"Deadlock: "_qs));
        QVERIFY(f.says(u"“default-8” waits for limit gpu."_qs));
        for (const char *const title : {"default-8", "lock alpha", "limit gpu", "ada@host process 7: make"})
            QVERIFY2(f.node(QString::fromUtf8(title)) && f.node(QString::fromUtf8(title))->isOutlined, title);
        QVERIFY(!f.node(u"lock report"_qs)->isOutlined);
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            const QImage picture = test::pictureOf(f.window, u"waits-deadlock-%1"_qs.arg(int(theme)));
            QVERIFY(test::pixelsOf(picture, toneColor(Tone::Bad, f.window.palette())) > 200);
        }
        f.window.resize(800, 600);
        test::pictureOf(f.window, u"waits-small"_qs);
        f.one = nullptr; // its session ends
        f.world.runFor(15s);
        QCOMPARE(f.page->badge().tone, Tone::Muted);
        QVERIFY(!f.says(u"Deadlock: "_qs));
    }

    void aNodeLeadsToItsLock()
    {
        Fixture f;
        f.closeACircle();
        f.take(*f.one, f.cluster.layout().election("importer"), "latch-", "leader");
        f.take(*f.other, f.cluster.layout().election("importer"), "latch-", "second");
        f.world.runFor(3s);
        const auto chosenAfter = [&f](const QString &title) {
            f.window.showPage(u"waits"_qs);
            test::pictureOf(f.window, u"waits-open"_qs); // layouts settle
            for (std::size_t i = 0; i < f.view->picture().nodes.size(); ++i) {
                if (f.view->picture().nodes[i].title == title)
                    Q_EMIT f.view->chosen(int(i));
            }
            const auto *const locks = qobject_cast<const TablePage *>(f.window.findChild<Shell *>()->current());
            return locks && locks->name() == u"locks"
                ? locks->table().currentIndex().siblingAtColumn(0).data().toString()
                : QString();
        };
        QCOMPARE(chosenAfter(u"lock report"_qs), u"report"_qs);
        QCOMPARE(chosenAfter(u"limit gpu"_qs), u"limit gpu"_qs);
        QCOMPARE(chosenAfter(u"election importer"_qs), u"election importer"_qs);
    }
};

QTEST_MAIN(WaitsPageTest)
#include "waits_page_test.moc"
