#include "gui/pictures.h"
#include "gui/shell/connection_bar.h"
#include "gui/shell/shell.h"
#include "gui/shell/start_view.h"
#include "gui/window/look/theme_menu.h"
#include "gui/window_fixture.h"

#include <QCommandLinkButton>
#include <QLineEdit>
#include <QPushButton>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

QList<QCommandLinkButton *> choices(const MainWindow &window)
{
    return window.findChild<StartView *>()->findChildren<QCommandLinkButton *>();
}

QStringList titles(const MainWindow &window)
{
    QStringList all;
    for (const QCommandLinkButton *const choice : choices(window))
        all << choice->accessibleName();
    return all;
}

} // namespace

// What the window shows before it is connected.
class StartTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void offersTheClustersThatWereUsedLast()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        const QStringList fixed{u"A cluster on this machine"_qs, u"Another cluster"_qs, u"The lab"_qs};
        {
            test::WindowFixture f;
            f.window.findChild<QAction *>(u"connection.color.red"_qs)->trigger();
            QVERIFY(f.window.findChild<Shell *>()->isVisible());
            f.window.connectTo({test::Nowhere, "other"});
            f.world.runFor(3s);
            Q_EMIT f.window.shown().closeWanted();
            f.world.runFor(1s);
            QVERIFY(f.window.findChild<StartView *>()->isVisible());
            QVERIFY(!f.window.findChild<Shell *>()->isVisible());
            QCOMPARE(titles(f.window), (QStringList{u"other"_qs, u"default"_qs} + fixed));
            f.window.saveTo(settings);
        }
        test::FeedsFixture f;
        MainWindow window(f.models, f.console);
        window.restoreFrom(settings);
        window.shown().setLocalTarget({u"127.0.0.1:4711"_qs, "default"});
        for (const ThemeChoice theme : {ThemeChoice::Dark, ThemeChoice::Light}) {
            window.theme().choose(theme);
            window.resize(1000, 700);
            window.show();
            test::pictureOf(window, u"start-%1"_qs.arg(int(theme)));
        }
        QCOMPARE(titles(window), (QStringList{u"other"_qs, u"default"_qs} + fixed));
        QCOMPARE(choices(window)[1]->description(), test::Nowhere + u" — editing is on"_qs);
        QCOMPARE(choices(window)[2]->description(), u"127.0.0.1:4711 — “drover up” starts one"_qs);

        QTest::mouseClick(choices(window)[1], Qt::LeftButton);
        f.world.runFor(3s);
        QVERIFY(window.isConnected() && window.findChild<Shell *>()->isVisible());
        QVERIFY(window.windowTitle().startsWith(u"default on "_qs + test::Nowhere));
    }

    void anotherClusterIsTyped()
    {
        test::FeedsFixture f;
        MainWindow window(f.models, f.console);
        window.resize(800, 600);
        window.show();
        window.activateWindow();
        QVERIFY(QTest::qWaitForWindowActive(&window));
        QTest::mouseClick(choices(window)[1], Qt::LeftButton);
        auto *const servers = window.findChild<ConnectionBar *>()->findChild<QLineEdit *>();
        QVERIFY(servers->hasFocus());
        servers->setText(test::Nowhere);
        QTest::keyClick(servers, Qt::Key_Return);
        f.world.runFor(3s);
        QVERIFY(window.isConnected());
        QCOMPARE(window.size(), QSize(800, 600));
    }
};

QTEST_MAIN(StartTest)
#include "start_test.moc"
