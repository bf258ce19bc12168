#include "gui/launch/launch_dialog.h"
#include "gui/shell/connection_bar.h"
#include "gui/shell/page_window.h"
#include "gui/widgets/job_pane.h"
#include "gui/window/two_clusters.h"

#include <QLineEdit>
#include <QTemporaryDir>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using test::Elsewhere;
using test::TwoClusters;

namespace {

constexpr int Patience = 30'000; // ms

} // namespace

// What turns to a tab, and what closes one.
class TabTurnsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The jobs are counted first. Meanwhile the user turns to another cluster.
    void aQuestionOpensOverItsOwnTab()
    {
        TwoClusters f;
        f.openBoth();
        f.press(Qt::Key_PageUp);
        f.action(u"connection.edit"_qs)->trigger();
        Q_EMIT f.window.tab(0).findChild<JobPane *>()->verbOnAllWanted(JobVerb::Kind::Cancel, {});
        f.press(Qt::Key_PageDown);
        QCOMPARE(f.window.shown().target().cluster, QByteArray("night"));
        f.world.runFor(3s);
        const auto *const asked = f.window.tab(0).findChild<ChangeDialog *>();
        QVERIFY(asked && asked->isVisible());
        QCOMPARE(f.window.shown().target().cluster, QByteArray("default"));
    }

    // It is slow to end. Meanwhile the other tabs go on.
    void aLaunchOfAClosedTabHoldsUpNothing()
    {
        const QTemporaryDir directory;
        const QString program = directory.filePath(u"launch"_qs);
        QFile file(program);
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write("#!/bin/sh\ntrap 'touch $0.interrupted' TERM\ntouch $0.begun\n"
                   "until test -e $0.flag; do sleep 0.05; done\n");
        file.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        file.close();
        TwoClusters f;
        f.openBoth();
        const QPointer<Workspace> workspace = &f.window.shown();
        const QPointer<LaunchDialog> dialog = workspace->findChild<LaunchDialog *>();
        dialog->show();
        dialog->launch().start({program, {}}, u"hosts"_qs, u"start"_qs);
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(program + u".begun"_qs), Patience);
        f.action(u"tab.close"_qs)->trigger();
        auto *const asked = workspace->findChild<ChangeDialog *>();
        QVERIFY(asked);
        asked->accept();
        QCOMPARE(f.window.tabCount(), 1U);
        QCoreApplication::processEvents();
        QVERIFY(workspace && dialog->launch().isRunning()); // nothing has waited for it
        QVERIFY(!dialog->isVisible());
        QTRY_VERIFY_WITH_TIMEOUT(QFile::exists(program + u".interrupted"_qs), Patience);
        QVERIFY(QFile(program + u".flag"_qs).open(QIODevice::WriteOnly));
        QTRY_VERIFY_WITH_TIMEOUT(workspace.isNull(), Patience);
        QVERIFY(f.last.expired());
    }

    // The bar of the tab from which the user was led away still names its own connection.
    void choosingADisconnectedTabConnectsIt()
    {
        TwoClusters f;
        f.openBoth();
        Q_EMIT f.window.tab(0).closeWanted();
        f.world.runFor(1s);
        QVERIFY(!f.window.tab(0).isConnected());
        auto *const bar = f.window.shown().findChild<ConnectionBar *>();
        const QString before = bar->findChild<QLineEdit *>()->text();
        const Target first{test::Nowhere, "default"};
        bar->setTarget(first);
        Q_EMIT bar->connectWanted(first);
        f.world.runFor(3s);
        QVERIFY(&f.window.shown() == &f.window.tab(0));
        QVERIFY(f.window.isConnected());
        QCOMPARE(f.window.tab(1).target().cluster, QByteArray("night"));
        QCOMPARE(bar->findChild<QLineEdit *>()->text(), before);
    }

    void aTabIsClosedByAPressOfTheWheelOnItAlone()
    {
        TwoClusters f;
        f.openBoth();
        const QPoint first = f.bar().tabRect(0).center();
        const QPoint second = f.bar().tabRect(1).center();
        QTest::mousePress(&f.bar(), Qt::MiddleButton, {}, first);
        QTest::mouseRelease(&f.bar(), Qt::MiddleButton, {}, second);
        QCOMPARE(f.window.tabCount(), 2U);
        QTest::mouseClick(&f.bar(), Qt::MiddleButton, {}, second);
        QCOMPARE(f.window.tabCount(), 1U);
        QCOMPARE(f.window.shown().target().cluster, QByteArray("default"));
    }

    void theArrowKeysLeadThroughTheTabs()
    {
        TwoClusters f;
        f.openBoth();
        f.bar().setFocus(Qt::TabFocusReason);
        QVERIFY(f.bar().hasFocus());
        for (const auto &[key, shown] : {std::pair{Qt::Key_Left, "default"}, std::pair{Qt::Key_Right, "night"}}) {
            f.press(key, Qt::NoModifier);
            QCOMPARE(f.window.shown().target().cluster, QByteArray(shown));
            QVERIFY(f.bar().hasFocus());
        }
        f.action(u"tab.new"_qs)->trigger();
        QVERIFY(f.window.shown().isAncestorOf(QApplication::focusWidget()));
    }

    // The palette of a page in a window of its own acts on the tab of that page.
    void aWindowOfAPageClosesItsOwnTab()
    {
        TwoClusters f;
        f.openBoth();
        f.press(Qt::Key_PageUp);
        f.action(u"page.window"_qs)->trigger();
        const QPointer<PageWindow> own = f.window.tab(0).findChild<PageWindow *>();
        QVERIFY(own);
        f.window.activateWindow();
        QTRY_VERIFY_WITH_TIMEOUT(QApplication::activeWindow() == &f.window, Patience);
        // The tabs leave that window where it is.
        for (const char *const turn : {"tab.next", "tab.previous"}) {
            if (QWidget *const part = QApplication::focusWidget())
                part->clearFocus(); // as where no part of the tab has had the keyboard yet
            f.action(QLatin1String(turn))->trigger();
        }
        QCoreApplication::processEvents();
        QVERIFY(QApplication::activeWindow() == &f.window);
        f.action(u"tab.next"_qs)->trigger();
        QCOMPARE(f.window.shown().target().cluster, QByteArray("night"));
        own->activateWindow();
        QTRY_VERIFY_WITH_TIMEOUT(QApplication::activeWindow() == own, Patience);
        QTest::keyClick(own, Qt::Key_K, Qt::ControlModifier);
        QVERIFY(own->isAncestorOf(QApplication::focusWidget()));
        QTest::keyClicks(QApplication::focusWidget(), u"close tab"_qs);
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_Return);
        QCOMPARE(f.window.tabCount(), 1U);
        QCOMPARE(f.window.shown().target().cluster, QByteArray("night"));
    }

    // As the program does with what the command or the settings of the machine name.
    void aConnectionThatIsNamedHasATabBesideThoseThatComeBack()
    {
        TwoClusters f;
        f.openBoth();
        f.window.open({test::Nowhere, "default"});
        QCOMPARE(f.window.tabCount(), 2U);
        QVERIFY(&f.window.shown() == &f.window.tab(0));
        f.window.open({Elsewhere, "other"});
        QCOMPARE(f.window.tabCount(), 3U);
        QCOMPARE(f.window.shown().target().cluster, QByteArray("other"));
        QCOMPARE(f.window.tab(0).target().cluster, QByteArray("default"));
    }
};

QTEST_MAIN(TabTurnsTest)
#include "tab_turns_test.moc"
