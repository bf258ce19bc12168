#include "gui/pages/znodes_page.h"
#include "gui/pictures.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/znode_tree.h"
#include "gui/window_fixture.h"
#include "gui/znodes/finding_model.h"
#include "gui/znodes/name_model.h"
#include "gui/znodes/path_bar.h"
#include "gui/znodes/search_panel.h"

#include <QAbstractItemModelTester>
#include <QAbstractItemView>
#include <QCompleter>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>
#include <QScrollBar>
#include <QSettings>
#include <QSignalSpy>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

constexpr int Patience = 60'000; // ms
constexpr auto Fatal = QAbstractItemModelTester::FailureReportingMode::Fatal;

async::Task<void> create(zk::Client &zk, zk::Path path, QByteArray data)
{
    const auto made = co_await zk.create(path, data);
    made.require();
}

async::Task<void> createMany(zk::Client &zk, zk::Path parent, int count)
{
    const QByteArray empty;
    co_await create(zk, parent, empty);
    std::vector<zk::Reply<zk::Created>> replies;
    for (int i = 0; i < count; ++i)
        replies.push_back(zk.create(parent / ("n-" + QByteArray::number(i).rightJustified(6, '0')), {}));
    for (const auto &reply : replies) {
        const auto made = co_await reply;
        made.require();
    }
}

// The window with its page of znodes on a cluster in memory, in which there is a tree of our own.
struct Fixture : test::WindowFixture {
    ZnodesPage *page = window.findChild<ZnodesPage *>();
    ZnodeTree *tree = page->findChild<ZnodeTree *>();
    QLineEdit *path = page->path().findChild<QLineEdit *>();
    QLineEdit *wanted = page->search().findChild<QLineEdit *>();
    TableView *found = page->search().findChild<TableView *>();
    QAbstractItemModelTester names{page->findChild<NameModel *>(), Fatal};
    QAbstractItemModelTester findings{page->findChild<FindingModel *>(), Fatal};
    QAbstractItemModelTester foundRows{found->model(), Fatal};

    Fixture()
    {
        window.showPage(u"znodes"_qs);
        window.activateWindow();
        for (const char *const name :
             {"/app", "/app/settings", "/app/settings/color", "/app/settings/colour", "/app/zeta"})
            run(create(*writer, zk::Path(name), {}));
        run(create(*writer, zk::Path("/app/settings/size"), "in pixels, never in COLORS"));
        world.runFor(2s);
    }
    void press(const QKeySequence &keys)
    {
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::keySequence(&window, keys);
    }
    void type(const QString &text)
    {
        QTest::keyClicks(QApplication::focusWidget(), text);
        world.runFor(100ms);
        QCoreApplication::processEvents();
    }
    void enter(QWidget *field)
    {
        QTest::keyClick(field, Qt::Key_Return);
        world.runFor(2s);
        QCoreApplication::processEvents();
    }
    void goTo(const char *node)
    {
        page->goTo(zk::Path(node));
        world.runFor(2s);
    }
    QByteArray current() const { return tree->current().value_or(zk::Path()).bytes(); }
    QStringList foundPaths() const
    {
        QStringList paths;
        for (int row = 0; row < found->model()->rowCount(); ++row)
            paths << found->model()->index(row, 0).data().toString();
        paths.sort();
        return paths;
    }
};

} // namespace

// The page of znodes, by keyboard.
class ZnodesPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void goesToATypedPath()
    {
        Fixture f;
        f.press(Qt::CTRL | Qt::Key_L);
        QVERIFY(f.path->hasFocus());
        f.type(u"/app/settings/colour"_qs);
        f.enter(f.path);
        QCOMPARE(f.current(), QByteArray("/app/settings/colour"));
        QVERIFY(f.tree->hasFocus());
        QCOMPARE(f.path->text(), u"/app/settings/colour"_qs);
    }

    void offersTheChildrenWhileOneTypes()
    {
        Fixture f;
        f.press(Qt::CTRL | Qt::Key_L);
        f.type(u"/app/settings/co"_qs);
        const QCompleter *const completer = f.path->completer();
        QCOMPARE(completer->completionCount(), 2);
        QVERIFY(completer->popup()->isVisible());
        QCOMPARE(completer->currentCompletion(), u"/app/settings/color"_qs);
        f.type(u"lou"_qs);
        QCOMPARE(completer->completionCount(), 1);
        f.type(u"x"_qs);
        QCOMPARE(completer->completionCount(), 0);
    }

    void saysWhichNodeIsMissing()
    {
        Fixture f;
        f.goTo("/app/settings/none/below");
        QCOMPARE(f.current(), QByteArray("/app/settings"));
        QVERIFY(f.says(u"There is no node none/below below /app/settings."_qs));
        f.press(Qt::CTRL | Qt::Key_L);
        f.type(u"/app//x"_qs);
        f.enter(f.path);
        QVERIFY(f.says(u"/app//x"_qs));
        QCOMPARE(f.current(), QByteArray("/app/settings"));
    }

    void findsAmongTheSiblings()
    {
        Fixture f;
        f.goTo("/app/settings/color");
        f.press(QKeySequence::Find);
        QVERIFY(f.wanted->hasFocus());
        f.type(u"COLO"_qs);
        f.enter(f.wanted);
        QCOMPARE(f.current(), QByteArray("/app/settings/colour"));
        QVERIFY(f.says(u"2 of 2"_qs));
        f.enter(f.wanted);
        QCOMPARE(f.current(), QByteArray("/app/settings/color")); // around the end
        f.wanted->clear();
        f.type(u"nothing like it"_qs);
        f.enter(f.wanted);
        QVERIFY(f.says(u"None of 3 siblings"_qs));
        QTest::keyClick(f.wanted, Qt::Key_Escape);
        QVERIFY(!f.page->search().isVisible());
    }

    void searchesNamesAndDataOfASubtree()
    {
        Fixture f;
        f.goTo("/app");
        f.press(Qt::CTRL | Qt::SHIFT | Qt::Key_F);
        f.type(u"colo"_qs);
        f.enter(f.wanted);
        QCOMPARE(f.foundPaths(), (QStringList{u"/app/settings/color"_qs, u"/app/settings/colour"_qs}));
        QVERIFY(f.says(u"2 found in 6 nodes below /app."_qs));
        test::pictureOf(f.window, u"znodes-search"_qs);
        f.press(Qt::CTRL | Qt::SHIFT | Qt::Key_D);
        f.enter(f.wanted);
        QCOMPARE(f.foundPaths(), QStringList{u"/app/settings/size"_qs});
        QVERIFY(f.found->model()->index(0, 1).data().toString().contains(u"never in COLORS"_qs));
        Q_EMIT f.found->activated(f.found->model()->index(0, 0));
        f.world.runFor(2s);
        QCOMPARE(f.current(), QByteArray("/app/settings/size"));
    }

    // The server takes a second for each request, so those in flight are counted one by one.
    void asksForFewNodesAtATimeAndStops()
    {
        Fixture f;
        f.run(createMany(*f.writer, zk::Path("/app/many"), 500));
        f.world.runFor(2s);
        f.goTo("/app/many");
        QSignalSpy reports(&f.console.znodeSearch(), &ZnodeSearch::reported);
        f.press(Qt::CTRL | Qt::SHIFT | Qt::Key_F);
        f.type(u"n-0004"_qs);
        f.server.setServiceTime(1s);
        QTest::keyClick(f.wanted, Qt::Key_Return);
        f.world.runFor(100s); // other feeds read meanwhile
        const auto report = [&] { return reports.last().first().value<ZnodeSearchReport>(); };
        QVERIFY(report().running);
        QVERIFY2(report().visited > 1 && report().visited <= 100, qPrintable(QString::number(report().visited)));
        auto *const stop = f.page->search().findChildren<QPushButton *>().last();
        QVERIFY(stop->isVisible() && stop->text() == u"Cancel"_qs);
        stop->click();
        QVERIFY(!report().running);
        QVERIFY(f.says(u"Cancelled."_qs));
        const qint64 visited = report().visited;
        f.world.runFor(100s);
        QCOMPARE(report().visited, visited);
    }

    void aSearchOutlivesALostConnection()
    {
        Fixture f;
        f.run(createMany(*f.writer, zk::Path("/app/many"), 300));
        f.world.runFor(2s);
        f.goTo("/app/many");
        f.press(Qt::CTRL | Qt::SHIFT | Qt::Key_F);
        f.type(u"n-"_qs);
        f.server.setServiceTime(10ms);
        QTest::keyClick(f.wanted, Qt::Key_Return);
        f.world.runFor(1s);
        f.server.stop();
        f.world.runFor(2s);
        f.server.start();
        f.server.setServiceTime(0s);
        f.world.runFor(20s);
        QVERIFY(f.says(u"300 found in 301 nodes below /app/many."_qs));
    }

    // The tree showed 1,000 of them, and "99,000 more…" one activation at a time.
    void theEndKeyReachesTheLastOfAHundredThousand()
    {
        Fixture f;
        f.run(create(*f.writer, zk::Path("/zzz"), {}));
        f.world.runFor(2s);
        f.goTo("/zzz");
        f.tree->expand(f.tree->currentIndex());
        f.world.runFor(1s);
        ZnodeListing listing{zk::Path("/zzz"), NodeCondition::Ok, {}, {}};
        for (int i = 0; i < 100'000; ++i)
            listing.names.append("n-" + QByteArray::number(i).rightJustified(10, '0'));
        f.models.znodes.showListing(listing);
        f.page->goTo(zk::Path("/zzz/n-0000073111")); // not yet a row
        QCOMPARE(f.current(), QByteArray("/zzz/n-0000073111"));
        const QModelIndex parent = f.models.znodes.indexOf(zk::Path("/zzz"));
        QTRY_COMPARE_WITH_TIMEOUT(f.models.znodes.rowCount(parent), 100'000, Patience);
        f.tree->verticalScrollBar()->setValue(f.tree->verticalScrollBar()->maximum());
        const QModelIndex last = f.models.znodes.index(99'999, 0, parent);
        QVERIFY(f.tree->viewport()->rect().intersects(f.tree->visualRect(last)));
        f.goTo("/app");
        QTest::keyClick(f.tree, Qt::Key_End);
        QCOMPARE(f.current(), QByteArray("/zzz/n-0000099999"));
    }

    void remembersBookmarksOfEachConnection()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        {
            Fixture f;
            f.goTo("/app/settings");
            f.press(Qt::CTRL | Qt::Key_D);
            f.window.saveTo(settings);
        }
        Fixture f;
        f.window.restoreFrom(settings);
        f.window.showPage(u"znodes"_qs);
        QMenu *const menu = f.page->path().findChild<QToolButton *>()->menu();
        Q_EMIT menu->aboutToShow();
        QCOMPARE(menu->actions().last()->text(), u"/app/settings"_qs);
        menu->actions().last()->trigger();
        f.world.runFor(2s);
        QCOMPARE(f.current(), QByteArray("/app/settings"));
        f.page->path().setConnection(u"another"_qs);
        Q_EMIT menu->aboutToShow();
        QCOMPARE(menu->actions().size(), 1);
    }
};

QTEST_MAIN(ZnodesPageTest)
#include "znodes_page_test.moc"
