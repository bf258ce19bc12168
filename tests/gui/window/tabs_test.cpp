#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/command_palette.h"
#include "gui/shell/connection_bar.h"
#include "gui/shell/page_window.h"
#include "gui/shell/shell.h"
#include "gui/shell/start_view.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/submit_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window/cluster_tabs.h"
#include "gui/window/two_clusters.h"
#include "gui/workspace/feed_needs.h"
#include "gui/workspace/notifier.h"
#include "gui/znodes/path_bar.h"

#include <QAbstractButton>
#include <QApplication>
#include <QLineEdit>
#include <QMenu>
#include <QMenuBar>
#include <QSettings>
#include <QTabBar>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using test::Elsewhere;
using test::TwoClusters;

namespace {

constexpr int Patience = 30'000; // ms

} // namespace

// Several clusters in one window.
class TabsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void oneClusterHasNoTabs()
    {
        TwoClusters f;
        f.window.connectTo({test::Nowhere, "default"});
        f.world.runFor(3s);
        QCOMPARE(f.window.tabCount(), 1U);
        QVERIFY(!f.bar().isVisible());
        QVERIFY(f.action(u"tab.new"_qs)->isEnabled());
        for (const char *const name : {"tab.close", "tab.next", "tab.previous"})
            QVERIFY2(!f.action(QLatin1String(name))->isEnabled(), name);
        test::FeedsFixture other;
        MainWindow single(other.models, other.console); // which has no source of further sessions
        QVERIFY(!single.shown().findChild<ActionRegistry *>()->find(u"tab.new"_qs)->isEnabled());
    }

    void theKeyboardSuffices()
    {
        TwoClusters f;
        f.window.connectTo({test::Nowhere, "default"});
        f.world.runFor(3s);
        f.press(Qt::Key_T);
        QCOMPARE(f.window.tabCount(), 2U);
        QVERIFY(f.bar().isVisible());
        const auto *const start = f.window.shown().findChild<StartView *>();
        QVERIFY(start->isVisible() && start->isAncestorOf(QApplication::focusWidget()));
        QVERIFY(f.window.windowTitle().startsWith(u"Drover Console"_qs));

        const auto *const servers = f.window.shown().findChild<ConnectionBar *>()->findChild<QLineEdit *>();
        for (int i = 0; i < 40 && !servers->hasFocus(); ++i)
            f.press(Qt::Key_Tab, Qt::NoModifier);
        QVERIFY(servers->hasFocus());
        QTest::keyClicks(QApplication::focusWidget(), Elsewhere);
        f.press(Qt::Key_Tab, Qt::NoModifier);
        QTest::keyClicks(QApplication::focusWidget(), u"night"_qs);
        f.press(Qt::Key_Return, Qt::NoModifier);
        f.world.runFor(3s);
        QVERIFY(f.window.isConnected());
        QCOMPARE(f.window.shown().target(), (Target{Elsewhere, "night"}));
        QVERIFY(f.window.windowTitle().startsWith(u"night on "_qs + Elsewhere));

        const std::pair<Qt::Key, Qt::KeyboardModifiers> moves[] = {
            {Qt::Key_PageUp, Qt::ControlModifier},
            {Qt::Key_PageDown, Qt::ControlModifier},
            {Qt::Key_Tab, Qt::ControlModifier},
            {Qt::Key_Tab, Qt::ControlModifier | Qt::ShiftModifier}};
        const QByteArray shown[] = {"default", "night", "default", "night"};
        for (std::size_t i = 0; i < std::size(moves); ++i) {
            f.press(moves[i].first, moves[i].second);
            QCOMPARE(f.window.shown().target().cluster, shown[i]);
            QVERIFY(f.window.shown().isAncestorOf(QApplication::focusWidget()));
        }
        f.press(Qt::Key_2);
        QCOMPARE(f.page(1), u"jobs"_qs);
        QCOMPARE(f.page(0), u"overview"_qs);
        f.press(Qt::Key_K);
        const auto *const palette = f.window.shown().findChild<CommandPalette *>();
        QVERIFY(palette->isVisible());
        QTest::keyClicks(QApplication::focusWidget(), u"close tab"_qs);
        f.press(Qt::Key_Return, Qt::NoModifier);
        QCOMPARE(f.window.tabCount(), 1U);
        QCOMPARE(f.window.shown().target().cluster, QByteArray("default"));
        QVERIFY(!f.bar().isVisible());
    }

    void aTabSaysWhatItsClusterIs()
    {
        TwoClusters f;
        f.openBoth();
        f.action(u"connection.edit"_qs)->trigger();
        f.action(u"connection.color.red"_qs)->trigger();
        test::pictureOf(f.window, u"tabs"_qs);
        QVERIFY2(f.bar().tabText(0).startsWith(u"default"_qs), qPrintable(f.bar().tabText(0)));
        QVERIFY2(f.bar().tabText(1).startsWith(u"night (1!)"_qs), qPrintable(f.bar().tabText(1)));
        const QString first = f.bar().accessibleTabName(0);
        const QString second = f.bar().accessibleTabName(1);
        QVERIFY2(first.startsWith(u"default on "_qs + test::Nowhere + u": Connected, read-only"_qs), qPrintable(first));
        QVERIFY2(second.startsWith(u"night on "_qs + Elsewhere + u": Connected, editing is on, Red"_qs)
                     && second.contains(u"Workers: 1 in trouble"_qs),
                 qPrintable(second));
        QVERIFY(f.bar().tabToolTip(1).contains(u"in trouble"_qs));
        QCOMPARE(f.bar().accessibleName(), u"Clusters"_qs);
        const QList<QAbstractButton *> buttons = f.window.findChild<ClusterTabs *>()->findChildren<QAbstractButton *>();
        for (const QAbstractButton *const button : buttons)
            QVERIFY2(!button->accessibleName().isEmpty() || !button->isVisible(), button->metaObject()->className());
        const QImage image = f.window.grab().toImage();
        const QRect tab = f.bar().tabRect(1);
        const QColor band = image.pixelColor(f.bar().mapTo(&f.window, QPoint(tab.center().x(), tab.top() + 2)));
        QCOMPARE(band, f.window.shown().look().band(f.window.palette()));
    }

    // Editing is on in one; what the user does there is done there, and the other stays as it was.
    void anActionReachesItsOwnClusterAlone()
    {
        TwoClusters f;
        f.openBoth();
        f.action(u"connection.edit"_qs)->trigger();
        QVERIFY(f.window.tab(1).look().isEditing && !f.window.tab(0).look().isEditing);
        f.pauseQueue(u"gpu"_qs);
        const auto isPaused = [](const Workspace &workspace) {
            return !workspace.models().queues.now("gpu").paused.isEmpty();
        };
        QVERIFY(isPaused(f.window.tab(1)) && !isPaused(f.window.tab(0)));
        f.press(Qt::Key_PageUp);
        QCOMPARE(f.window.shown().target().cluster, QByteArray("default"));
        f.window.showPage(u"queues"_qs);
        QVERIFY(!f.action(u"queue.pause"_qs)->isEnabled());
        QVERIFY(!f.action(u"job.submit"_qs)->isEnabled());
        QVERIFY(f.action(u"job.submit"_qs)->toolTip().contains(u"read-only"_qs, Qt::CaseInsensitive)
                || f.action(u"job.submit"_qs)->toolTip().contains(u"diting"_qs));
        const QString menu = f.window.menuBar()->actions().value(0)->menu()->actions().value(0)->objectName();
        QCOMPARE(menu, u"job.submit"_qs);
        QVERIFY(f.window.menuBar()->actions().value(0)->menu()->actions().value(0) == f.action(u"job.submit"_qs));
    }

    void aLostConnectionLeavesOtherTabsConnected()
    {
        TwoClusters f;
        f.openBoth();
        f.press(Qt::Key_PageUp);
        f.away->disconnect();
        f.world.runFor(1s);
        QVERIFY(f.window.isConnected());
        QVERIFY2(!f.bar().accessibleTabName(1).contains(u": Connected"_qs), qPrintable(f.bar().accessibleTabName(1)));
        QVERIFY(f.bar().accessibleTabName(0).contains(u": Connected"_qs));
        f.press(Qt::Key_PageDown);
        QCOMPARE(f.window.shown().target().cluster, QByteArray("night"));
        QVERIFY(!f.window.isConnected());
        QVERIFY(f.window.shown().models().jobs.rowCount() > 0); // what was known stays
        QVERIFY(f.window.tab(0).isConnected());
        f.away->reconnect();
        f.world.runFor(10s);
        QVERIFY(f.window.isConnected());
        QVERIFY(f.bar().accessibleTabName(1).contains(u": Connected"_qs));
    }

    void closingATabEndsItsSession()
    {
        TwoClusters f;
        f.openBoth();
        QVERIFY(!f.elsewhere.watches().empty() && !f.last.expired());
        const QPointer<Workspace> workspace = &f.window.shown();
        f.press(Qt::Key_W);
        QCOMPARE(f.window.tabCount(), 1U);
        f.run(f.otherCluster.addJob(test::SampleCluster::spec({u"true"_qs}))); // while its feeds end
        QCoreApplication::processEvents();
        f.world.runFor(1s);
        QVERIFY(workspace.isNull() && f.last.expired() && f.away.isNull());
        QVERIFY(f.elsewhere.watches().empty());
        QVERIFY(f.window.isConnected());
        QCOMPARE(f.window.shown().target().cluster, QByteArray("default"));
        QVERIFY(f.window.windowTitle().startsWith(u"default on "_qs));
        f.action(u"tab.new"_qs)->trigger(); // it opens once more
        f.window.connectTo({Elsewhere, "night"});
        f.world.runFor(3s);
        QVERIFY(f.window.isConnected());
        f.press(Qt::Key_PageUp);
        f.press(Qt::Key_W); // the first one
        QCoreApplication::processEvents();
        QCOMPARE(f.window.tabCount(), 1U);
        QVERIFY(f.window.isConnected() && f.window.shown().target().cluster == "night");
        QVERIFY(f.window.menuBar()->actions().size() > 4);
    }

    void closingAsksIfSomethingWouldBeLost()
    {
        TwoClusters f;
        f.openBoth();
        f.action(u"connection.edit"_qs)->trigger();
        f.action(u"job.submit"_qs)->trigger();
        auto *const submit = f.window.shown().findChild<SubmitDialog *>();
        QVERIFY(submit && submit->isVisible() && submit->windowTitle().contains(u"night on "_qs + Elsewhere));
        f.action(u"tab.close"_qs)->trigger();
        QCOMPARE(f.window.tabCount(), 2U);
        QPointer<ChangeDialog> asked = f.window.shown().findChild<ChangeDialog *>();
        QVERIFY(asked && asked->isVisible());
        const QList<QLabel *> labels = asked->findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(),
                            [&](const QLabel *label) { return label->text().contains(submit->windowTitle()); }));
        asked->reject();
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
        QVERIFY(f.window.tabCount() == 2U && submit->isVisible());
        f.action(u"tab.close"_qs)->trigger();
        asked = f.window.shown().findChild<ChangeDialog *>();
        QVERIFY(asked);
        asked->accept();
        QCOMPARE(f.window.tabCount(), 1U);
        QCoreApplication::processEvents();
        QVERIFY(f.last.expired());
    }

    void oneConnectionIsInOneTab()
    {
        TwoClusters f;
        f.openBoth();
        f.action(u"tab.new"_qs)->trigger();
        QCOMPARE(f.window.tabCount(), 3U);
        f.window.connectTo({Elsewhere, "night"});
        QCOMPARE(f.window.shown().target().cluster, QByteArray("night"));
        QVERIFY(&f.window.shown() == &f.window.tab(1));
        QCoreApplication::processEvents();
        QCOMPARE(f.window.tabCount(), 2U); // the one without a cluster does not stay behind
        f.action(u"tab.new"_qs)->trigger();
        f.bar().moveTab(0, 2);
        QVERIFY(&f.window.shown() == &f.window.tab(1));
        QVERIFY(f.window.shown().target().connect.isEmpty());
        QCOMPARE(f.window.tab(2).target().cluster, QByteArray("default"));
        QVERIFY(f.bar().accessibleTabName(2).startsWith(u"default on "_qs));
        f.press(Qt::Key_PageDown);
        f.press(Qt::Key_PageDown);
        f.press(Qt::Key_PageUp); // round to the last
        QCOMPARE(f.window.shown().target().cluster, QByteArray("default"));
        QCOMPARE(f.bar().currentIndex(), 2);
    }

    void aHiddenTabSleepsAsAHiddenPage()
    {
        TwoClusters f;
        f.window.shown().findChild<FeedNeeds *>()->setPatience(1ms);
        f.openBoth();
        QTRY_VERIFY_WITH_TIMEOUT(!f.console.locks().isAwake() && !f.console.workers().isAwake(), Patience);
        QVERIFY(!f.window.tab(0).findChild<Shell *>()->current()->isAwake());
        QVERIFY(f.last.lock()->session.locks().isAwake());
        f.window.tab(0).showPage(u"locks"_qs); // unseen, it sleeps on
        QVERIFY(!f.window.tab(0).findChild<Shell *>()->current()->isAwake());
        f.press(Qt::Key_PageUp);
        QVERIFY(f.window.tab(0).findChild<Shell *>()->current()->isAwake() && f.console.locks().isAwake());
        QVERIFY(!f.window.tab(1).findChild<Shell *>()->current()->isAwake());
    }

    void aNotificationLeadsToItsTab()
    {
        TwoClusters f;
        f.openBoth();
        QList<Notifier::Message> messages;
        f.window.tab(1).setDesktop([&messages](const Notifier::Message &message) { messages.append(message); });
        f.press(Qt::Key_PageUp);
        f.window.tab(1).findChild<Notifier *>()->tell(u"state:failed"_qs, u"default-1 ended"_qs);
        QCOMPARE(messages.size(), 1);
        QVERIFY2(messages[0].title.contains(u"night on "_qs + Elsewhere), qPrintable(messages[0].title));
        QCOMPARE(f.window.shown().target().cluster, QByteArray("default"));
        messages[0].opened();
        QCOMPARE(f.window.shown().target().cluster, QByteArray("night"));
        QCOMPARE(f.page(1), u"events"_qs);
        QCOMPARE(f.page(0), u"overview"_qs);
    }

    void rulesAndBookmarksAreAlikeInAllTabs()
    {
        TwoClusters f;
        f.openBoth();
        f.window.shown().models().subscriptions.add(u"state:failed"_qs);
        QVERIFY(f.models.subscriptions.has(u"state:failed"_qs));
        f.window.showPage(u"znodes"_qs);
        f.world.runFor(2s);
        f.action(u"znode.bookmark"_qs)->trigger();
        QCOMPARE(f.window.tab(0).findChild<PathBar *>()->bookmarks(),
                 f.window.tab(1).findChild<PathBar *>()->bookmarks());
        QVERIFY(!f.window.tab(0).findChild<PathBar *>()->bookmarks()[Elsewhere].isEmpty());
        f.action(u"tab.new"_qs)->trigger();
        QVERIFY(f.window.shown().models().subscriptions.has(u"state:failed"_qs));
        QVERIFY(!f.window.shown().findChild<PathBar *>()->bookmarks()[Elsewhere].isEmpty());
        f.models.subscriptions.remove(u"state:failed"_qs);
        QVERIFY(!f.window.shown().models().subscriptions.has(u"state:failed"_qs));
    }

    void tabsComeBackAtTheNextStart()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        {
            TwoClusters f;
            QVERIFY(!f.window.restoreTabs(settings));
            f.openBoth();
            f.action(u"connection.edit"_qs)->trigger();
            f.window.showPage(u"locks"_qs);
            f.window.shown().findChild<JobPane *>()->findChild<QLineEdit *>()->setText(u"train"_qs);
            f.action(u"tab.new"_qs)->trigger(); // of no cluster: it does not come back
            f.press(Qt::Key_PageUp);
            f.window.saveTo(settings);
        }
        TwoClusters f;
        f.window.restoreFrom(settings);
        QVERIFY(f.window.restoreTabs(settings));
        f.world.runFor(3s);
        QCOMPARE(f.window.tabCount(), 2U);
        QCOMPARE(f.window.tab(0).target(), (Target{test::Nowhere, "default"}));
        QCOMPARE(f.window.tab(1).target(), (Target{Elsewhere, "night"}));
        QVERIFY(&f.window.shown() == &f.window.tab(1));
        QVERIFY(f.window.tab(0).isConnected() && f.window.tab(1).isConnected());
        QVERIFY(!f.window.tab(0).look().isEditing && f.window.tab(1).look().isEditing);
        QCOMPARE(f.page(0), u"overview"_qs);
        QCOMPARE(f.page(1), u"locks"_qs);
        QCOMPARE(f.bar().currentIndex(), 1);
        const auto filterOf = [&f](std::size_t tab) {
            return f.window.tab(tab).findChild<JobPane *>()->findChild<QLineEdit *>()->text();
        };
        QCOMPARE(filterOf(1), u"train"_qs);
        QCOMPARE(filterOf(0), QString()); // whose jobs it would hide
    }

    void theWindowsOfPagesComeBackWithEachTab()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        const auto windowOf = [](const TwoClusters &f, std::size_t tab, const QString &page) {
            const auto &shell = *f.window.tab(tab).findChild<Shell *>();
            return shell.windowOf(shell.find(page));
        };
        {
            TwoClusters f;
            f.openBoth();
            for (const std::size_t tab : {0U, 1U}) {
                auto &shell = *f.window.tab(tab).findChild<Shell *>();
                shell.openInWindow(shell.find(tab == 0 ? u"locks"_qs : u"jobs"_qs));
            }
            windowOf(f, 0, u"locks"_qs)->resize(633, 422);
            f.window.tab(0).showPage(u"events"_qs);
            QVERIFY(&f.window.shown() == &f.window.tab(1));
            f.window.saveTo(settings);
        }
        TwoClusters f;
        f.window.restoreFrom(settings);
        QVERIFY(f.window.restoreTabs(settings));
        f.world.runFor(3s);
        QVERIFY(windowOf(f, 0, u"locks"_qs) && !windowOf(f, 0, u"jobs"_qs)); // of the tab that is not shown
        QCOMPARE(windowOf(f, 0, u"locks"_qs)->size(), QSize(633, 422));
        QCOMPARE(f.page(0), u"events"_qs);
        QVERIFY(windowOf(f, 1, u"jobs"_qs) && !windowOf(f, 1, u"locks"_qs));
    }
};

QTEST_MAIN(TabsTest)
#include "tabs_test.moc"
