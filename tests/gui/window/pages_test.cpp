#include "gui/pictures.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/page.h"
#include "gui/shell/page_window.h"
#include "gui/shell/shell.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/tile.h"
#include "gui/window_fixture.h"

#include <QAction>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>
#include <QTreeWidget>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Fixture = test::WindowFixture;

namespace {

QString pageOf(const MainWindow &window)
{
    return window.findChild<Shell *>()->current()->name();
}

QStringList menusOf(const MainWindow &window)
{
    QStringList titles;
    const QList<QAction *> menus = window.menuBar()->actions();
    for (const QAction *const menu : menus) {
        if (menu->isVisible())
            titles << menu->text().remove(u'&');
    }
    return titles;
}

// Its data is the name of its program.
async::Task<void> created(zk::Client &zk, zk::Path path)
{
    const QByteArray about = "build@host process 7";
    const auto made = co_await zk.create(path, about, zk::CreateMode::EphemeralSequential);
    made.require();
}

} // namespace

// The window and its pages on a cluster in memory.
class PagesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // At 800x600 five panes left three rows of jobs.
    void aSmallWindowShowsOnePage()
    {
        Fixture f;
        f.window.resize(800, 600);
        test::pictureOf(f.window, u"small"_qs); // layouts settle
        QCOMPARE(f.window.size(), QSize(800, 600)); // no page needs more
        const QStringList pages = f.window.pageNames();
        for (const QString &page : pages) {
            QVERIFY(f.window.showPage(page));
            test::pictureOf(f.window, u"small-"_qs + page);
            QCOMPARE(f.window.size(), QSize(800, 600));
            const Page *const shown = f.window.findChild<Shell *>()->current();
            QVERIFY2(shown->width() > 740 && shown->height() > 470, qPrintable(page));
        }
    }

    void controlAndANumberGoToAPage()
    {
        Fixture f;
        f.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        int number = 0;
        const QStringList pages = f.window.pageNames().mid(0, 10); // there are ten digits
        for (const QString &page : pages) {
            QTest::keyClick(&f.window, Qt::Key(Qt::Key_0 + ++number % 10), Qt::ControlModifier);
            QCOMPARE(pageOf(f.window), page);
            const Page *const shown = f.window.findChild<Shell *>()->current();
            QVERIFY2(shown->isAncestorOf(QApplication::focusWidget()), qPrintable(page));
        }
    }

    void everyPageHasAMenuOfItsOwnActions()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        QCOMPARE(menusOf(f.window), (QStringList{u"Console"_qs, u"View"_qs, u"Jobs"_qs, u"Help"_qs}));
        f.window.showPage(u"workers"_qs);
        QVERIFY(!menusOf(f.window).contains(u"Jobs"_qs));
    }

    // The keys of a page that is not seen would act on a selection that is not seen.
    void theKeysOfAPageActWhileItIsSeen()
    {
        Fixture f;
        f.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        const auto *const filter = f.window.findChild<JobPane *>()->findChild<QLineEdit *>();
        f.window.showPage(u"locks"_qs);
        QTest::keyClick(&f.window, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(!filter->hasFocus());
        f.window.showPage(u"jobs"_qs);
        QTest::keyClick(&f.window, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(filter->hasFocus());
    }

    // A table that is not seen does not sort what changes; it is in order when it is seen.
    void aTableIsInOrderWhenItsPageIsChosen()
    {
        Fixture f;
        f.window.showPage(u"locks"_qs);
        const auto *const table = f.window.findChild<JobPane *>()->findChild<TableView *>();
        auto *const filter = f.window.findChild<JobPane *>()->findChild<QLineEdit *>();
        filter->setText(u"sleepy"_qs);
        QCOMPARE(table->model()->rowCount(), 0);
        f.run(f.cluster.addJob(test::SampleCluster::spec({u"sleepy"_qs})));
        f.world.runFor(3s);
        f.window.showPage(u"jobs"_qs);
        QCOMPARE(table->model()->rowCount(), 1);
    }

    void pagesSayHowMuchTheyHold()
    {
        Fixture f;
        f.world.runFor(3s);
        const auto badge = [&](const QString &page) {
            return f.window.findChild<Shell *>()->find(page)->badge().words;
        };
        QCOMPARE(badge(u"workers"_qs), u"1 in trouble"_qs); // whose node is malformed
        QVERIFY2(badge(u"jobs"_qs).endsWith(u" unfinished"_qs), qPrintable(badge(u"jobs"_qs)));
        QVERIFY2(badge(u"locks"_qs).endsWith(u" locks"_qs), qPrintable(badge(u"locks"_qs)));
    }

    void theStatusLineSaysHowFastTheServerAnswers()
    {
        Fixture f;
        QVERIFY(f.says(u"Connected"_qs));
        QVERIFY(f.says(u" ms"_qs));
        QVERIFY(f.says(u"Watches: "_qs));
        f.server.stop();
        f.world.runFor(30s);
        QVERIFY(!f.says(u"Watches: "_qs));
        QVERIFY(f.says(u"as of "_qs));
    }

    // Whatever page is shown: each action of a menu is one of the palette, too.
    void thePaletteHasAllThatTheMenusHave()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        f.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        QTest::keyClick(&f.window, Qt::Key_K, Qt::ControlModifier);
        const auto *const palette = f.window.findChild<CommandPalette *>();
        QVERIFY(palette->isVisible());
        test::pictureOf(f.window, u"console-palette"_qs);
        QSet<QAction *> offered;
        const auto *const list = palette->findChild<QTreeWidget *>();
        for (int i = 0; i < list->topLevelItemCount(); ++i)
            offered.insert(list->topLevelItem(i)->data(0, Qt::UserRole).value<QAction *>());
        int actions = 0;
        const QList<QAction *> menus = f.window.menuBar()->actions();
        for (const QAction *const menu : menus) {
            const QList<QAction *> entries = menu->isVisible() ? menu->menu()->actions() : QList<QAction *>();
            for (QAction *const action : entries) {
                if (action->menu() || action->isSeparator())
                    continue;
                ++actions;
                QVERIFY2(offered.contains(action), qPrintable(action->text()));
            }
        }
        QVERIFY(actions > 12);
    }

    // Also in the smallest window.
    void aButtonOpensThePalette()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        for (const QSize size : {QSize(1000, 640), QSize(800, 600)}) {
            f.window.resize(size);
            test::pictureOf(f.window, u"palette-button-%1"_qs.arg(size.width()));
            const auto *const filter = f.window.findChild<JobPane *>()->findChild<QLineEdit *>();
            QVERIFY2(filter->width() >= filter->fontMetrics().averageCharWidth() * 26,
                     qPrintable(QString::number(filter->width())));
            auto *const button = qobject_cast<QToolButton *>(f.window.menuBar()->cornerWidget());
            QVERIFY(button && button->isVisible() && button->text().contains(u"Ctrl+K"));
            const auto *const before = f.window.focusWidget();
            QTest::mouseClick(button, Qt::LeftButton);
            auto *const palette = f.window.findChild<CommandPalette *>();
            QVERIFY(palette->isVisible());
            palette->close();
            QCOMPARE(f.window.focusWidget(), before);
        }
    }

    void theOverviewCountsWhatThePagesShow()
    {
        Fixture f;
        f.window.showPage(u"overview"_qs);
        f.world.runFor(3s);
        const auto tile = [&](const QString &title) {
            const QList<Tile *> tiles = f.window.findChildren<Tile *>();
            const auto found =
                std::find_if(tiles.begin(), tiles.end(), [&](const Tile *one) { return one->text() == title; });
            return found == tiles.end() ? nullptr : *found;
        };
        for (int i = 0; i < 300; ++i)
            f.models.queues.sample();
        test::pictureOf(f.window, u"overview"_qs);
        QCOMPARE(tile(u"Running"_qs)->value(), u"5"_qs);
        QCOMPARE(tile(u"Running"_qs)->accessibleName(), u"Running: 5, jobs"_qs);
        QCOMPARE(tile(u"Ended"_qs)->value(), u"10"_qs);
        const qint64 failed = f.count(jobs::JobState::Failed);
        QVERIFY(failed > 0);
        QCOMPARE(tile(u"Failed"_qs)->value(), QString::number(failed)); // all of them a moment ago
        QCOMPARE(tile(u"Queues"_qs)->value(), u"3 queues"_qs);
        QCOMPARE(tile(u"Slots in use"_qs)->value(), u"5 of 16"_qs);
        QCOMPARE(tile(u"Master"_qs)->value(), u"worker-1"_qs);
        const zk::Zxid token = f.models.workers.row(1).masterToken;
        QVERIFY(f.models.workers.row(1).master && token > 0);
        QVERIFY(tile(u"Master"_qs)->remark().startsWith(u"token %1\nsince "_qs.arg(token)));
        QCOMPARE(tile(u"Locks"_qs)->value(), u"3"_qs);

        tile(u"Locks"_qs)->click();
        QCOMPARE(pageOf(f.window), u"locks"_qs);
        f.window.showPage(u"overview"_qs);
        tile(u"Running"_qs)->click();
        QCOMPARE(pageOf(f.window), u"jobs"_qs);
        QCOMPARE(f.window.findChild<JobPane *>()->search().states, std::set{jobs::JobState::Running});
        f.window.showPage(u"overview"_qs);
        tile(u"Failed"_qs)->click();
        QCOMPARE(f.window.findChild<JobPane *>()->search().states, std::set{jobs::JobState::Failed});
        QCOMPARE(f.window.findChild<JobPane *>()->search().text, u"since:24h"_qs);
        f.window.showPage(u"overview"_qs);
        f.run(f.cluster.addJob(test::SampleCluster::spec({u"true"_qs})));
        f.world.runFor(3s);
        QCOMPARE(tile(u"Ready"_qs)->value(), u"12"_qs);
    }

    // Four rows like any others.
    void everyPageShowsADeadlock()
    {
        Fixture f;
        f.window.showPage(u"overview"_qs);
        for (const char *const lock : {"alpha", "beta"})
            f.run(f.cluster.addLock(lock, {}));
        const std::unique_ptr<zk::Client> one = f.server.connect(f.clusterLoop);
        const std::unique_ptr<zk::Client> other = f.server.connect(f.clusterLoop);
        const auto take = [&](zk::Client &zk, const QByteArray &lock) {
            const zk::Path path = f.cluster.layout().lock(lock) / "lock-";
            return f.run(created(zk, path));
        };
        for (const QByteArray lock : {"alpha", "beta"}) {
            take(lock == "alpha" ? *one : *other, lock);
            take(lock == "alpha" ? *other : *one, lock);
        }
        f.world.runFor(3s);
        const Shell *const shell = f.window.findChild<Shell *>();
        QCOMPARE(shell->find(u"locks"_qs)->badge().words, u"1 deadlock"_qs);
        f.window.showPage(u"locks"_qs);
        QVERIFY(f.says(u"Deadlock: "_qs));
        test::pictureOf(f.window, u"deadlock"_qs);
    }

    void aPageInAWindowOfItsOwnHasItsKeys()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        f.window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&f.window));
        QTest::keyClick(&f.window, Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
        auto *const own = f.window.findChild<PageWindow *>();
        QVERIFY(own && QTest::qWaitForWindowActive(own));
        QVERIFY(own->windowTitle().startsWith(u"Jobs — default on "_qs + test::Nowhere));
        test::pictureOf(f.window, u"console-while-a-page-is-out"_qs);
        QTest::keyClick(own, Qt::Key_F, Qt::ControlModifier);
        QVERIFY(own->findChild<QLineEdit *>()->hasFocus());
        QTest::keyClick(own, Qt::Key_K, Qt::ControlModifier);
        QVERIFY(own->findChild<CommandPalette *>()->isVisible());
        test::pictureOf(*own, u"page-window"_qs);
        QTest::keyClick(own, Qt::Key_W, Qt::ControlModifier | Qt::ShiftModifier);
        QTRY_VERIFY_WITH_TIMEOUT(!f.window.findChild<PageWindow *>(), 30'000);
        QVERIFY(f.window.findChild<JobPane *>()->isVisible());
    }

    void remembersThePage()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        {
            Fixture f;
            QVERIFY(!f.window.showPage(u"nowhere"_qs));
            QVERIFY(f.window.showPage(u"locks"_qs));
            f.window.saveTo(settings);
        }
        Fixture f;
        f.window.restoreFrom(settings);
        QCOMPARE(pageOf(f.window), u"locks"_qs);
    }
};

QTEST_MAIN(PagesTest)
#include "pages_test.moc"
