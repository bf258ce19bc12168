#include "gui/pages/lab/code_view.h"
#include "gui/pages/lab/lab_page.h"
#include "gui/pages/lab/lab_picture.h"
#include "gui/pages/lab/lab_words.h"
#include "gui/pictures.h"
#include "gui/shell/shell.h"
#include "gui/widgets/theme.h"
#include "gui/window_fixture.h"

#include <QAbstractItemModelTester>
#include <QComboBox>
#include <QCommandLinkButton>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using Life = LabParticipant::Life;
using Phase = LabParticipant::Phase;

namespace {

constexpr int Patience = 60'000; // ms; other programs run beside this one

struct Lab {
    LabPage page{[] {
        LabSettings settings = LabSettings::ofThisProgram();
        settings.sessionTimeout = 4s;
        return settings;
    }()};

    explicit Lab(const char *lesson)
    {
        page.resize(1100, 700);
        page.setAwake(true);
        page.show();
        page.openLesson(Lesson::find(QLatin1String(lesson)));
    }
    QPushButton *button(const char *name) const { return page.findChild<QPushButton *>(QLatin1String(name)); }
    void press(const char *name) const { QTest::mouseClick(button(name), Qt::LeftButton); }
    int count(int group, Phase phase) const
    {
        const auto &all = page.now().participants;
        return int(std::count_if(all.begin(), all.end(), [&](const LabParticipant &each) {
            return each.group == group && each.phase == phase && each.life == Life::Running;
        }));
    }
    int waiting(int group) const
    {
        const auto &all = page.now().participants;
        return int(std::count_if(all.begin(), all.end(), [&](const LabParticipant &each) {
            return each.group == group && waits(each, Lesson::all()[page.lesson()].groups[group].code);
        }));
    }
    void pictures(const QString &name)
    {
        if (qEnvironmentVariableIsEmpty("DROVER_PICTURES"))
            return;
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            for (const QSize size : {QSize(1110, 700), QSize(744, 490)}) {
                page.resize(size);
                test::pictureOf(page, u"lab-%1-%2-%3"_qs.arg(name).arg(size.width()).arg(int(theme)));
            }
        }
    }
};

} // namespace

// The page of the lab, by its widgets, on a real server.
class LabPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // It says which nodes these are; the server does not.
    void anArrowLeadsToWhatAWaiterLists()
    {
        const Lesson &lesson = Lesson::all()[Lesson::find(u"queue"_qs)];
        LabSnapshot snapshot = lesson.beginning();
        snapshot.lesson = Lesson::find(u"queue"_qs);
        LabParticipant &first = snapshot.participants.front();
        first.life = Life::Running;
        first.phase = Phase::Asking;
        first.isConnected = true;
        snapshot.nodes = {{"/lab/1/0/queue", u"queue"_qs, 0}};
        LabPicture picture;
        picture.resize(900, 500);
        const auto drawn = [&] {
            picture.show(snapshot, lesson);
            return picture.grab().toImage();
        };
        const QImage without = drawn();
        first.listed = {"/lab/1/0/queue"};
        const QImage with = drawn();
        QVERIFY(with != without);
        first.isConnected = false; // then the server has forgotten it
        QVERIFY(drawn() != with);
    }

    void showsEachLessonBeforeAnythingRuns()
    {
        Lab f("herd");
        auto *const list = f.page.findChild<QListWidget *>();
        const QAbstractItemModelTester tester(list->model());
        for (int i = 0; i < Lesson::all().size(); ++i) {
            list->setCurrentRow(i);
            QCOMPARE(f.page.lesson(), i);
            QVERIFY(f.button("startAll")->isEnabled() && f.button("start")->isEnabled());
            for (const char *const name : {"releaseAll", "again", "pause", "kill", "cut", "release"})
                QVERIFY2(!f.button(name)->isEnabled(), name);
            const QString told = f.page.picture().accessibleDescription();
            QVERIFY2(told.contains(u"not started"), qPrintable(told));
            const QImage picture = test::pictureOf(f.page, u"lab-%1-before"_qs.arg(Lesson::all()[i].name));
            QVERIFY(!picture.isNull());
        }
        QTest::keyClick(&f.page.picture(), Qt::Key_Down);
        QCOMPARE(f.page.picture().selected(), 1);
    }

    void aNarrowPageHasAFieldInsteadOfTheList()
    {
        Lab f("herd");
        auto *const list = f.page.findChild<QListWidget *>();
        auto *const choice = f.page.findChild<QComboBox *>();
        auto *const guide = f.page.findChild<QScrollArea *>(u"guide"_qs);
        QVERIFY(list->isVisible() && !choice->isVisible() && guide->isVisible());
        f.page.resize(744, 490);
        QTRY_VERIFY(!list->isVisible() && choice->isVisible() && guide->isVisible());
        choice->setCurrentIndex(2);
        QCOMPARE(f.page.lesson(), 2);
        f.page.resize(1100, 700);
        QTRY_VERIFY(list->isVisible() && guide->isVisible());
        QCOMPARE(list->currentRow(), 2);
    }

    void releasesBothLocksOfTheHerd()
    {
        Lab f("herd");
        f.press("startAll");
        QTRY_VERIFY_WITH_TIMEOUT(f.waiting(0) == 5 && f.waiting(1) == 5 && f.page.now().watches.size() >= 15, Patience);
        f.pictures(u"herd"_qs);
        f.press("releaseAll");
        QTRY_VERIFY_WITH_TIMEOUT(f.page.picture().isLit(7), Patience); // the next holder of the ticket lock
        QTRY_VERIFY_WITH_TIMEOUT(f.waiting(0) == 4 && f.waiting(1) == 4, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(f.page.now().groups[0].wokenByLast >= 5 && f.page.now().groups[1].wokenByLast >= 2,
                                 Patience);
        QCOMPARE(f.page.now().groups[0].wokenByLast, 5);
        QCOMPARE(f.page.now().groups[1].wokenByLast, 2);
        QVERIFY(!f.page.picture().isLit(6)); // who has released
        QTRY_VERIFY_WITH_TIMEOUT(!f.page.picture().isLit(7), Patience);
        f.pictures(u"herd-released"_qs);
        const auto *const code = f.page.findChild<CodeView *>();
        QVERIFY2(code->accessibleDescription().contains(u"release: delete mine (A)"),
                 qPrintable(code->accessibleDescription()));
    }

    void pausesContinuesCutsAndKillsTheSelected()
    {
        Lab f("two-ahead");
        f.press("startAll");
        QTRY_COMPARE_WITH_TIMEOUT(f.waiting(0), 6, Patience);
        f.pictures(u"two-ahead"_qs);
        f.page.picture().select(6);
        f.press("pause");
        QTRY_COMPARE_WITH_TIMEOUT(f.button("pause")->text(), u"&Continue"_qs, Patience);
        f.press("pause");
        QTRY_COMPARE_WITH_TIMEOUT(f.button("pause")->text(), u"&Pause"_qs, Patience);
        f.press("cut");
        QTRY_COMPARE_WITH_TIMEOUT(f.button("cut")->text(), u"&Reconnect"_qs, Patience);
        f.press("cut");
        QTRY_COMPARE_WITH_TIMEOUT(f.button("cut")->text(), u"&Disconnect"_qs, Patience);
        f.press("kill");
        QTRY_VERIFY_WITH_TIMEOUT(f.button("start")->isEnabled() && !f.button("kill")->isEnabled(), Patience);
        f.pictures(u"two-ahead-killed"_qs);
        f.page.picture().select(0);
        f.press("release");
        QTRY_VERIFY_WITH_TIMEOUT(f.button("start")->isEnabled(), Patience);
        f.press("start"); // it joins again, at the end
        QTRY_COMPARE_WITH_TIMEOUT(f.page.now().participants[0].phase, Phase::Asking, Patience);
        f.press("again");
        QTRY_VERIFY_WITH_TIMEOUT(f.page.now().participants[0].phase == Phase::Holding && f.waiting(0) == 6, Patience);
        QCOMPARE(f.page.now().groups[0].releases, 0);
    }

    void aZombieTearsTheRecordsOfTheFileWithoutFence()
    {
        Lab f("zombie");
        f.press("startAll");
        QTRY_VERIFY_WITH_TIMEOUT(f.count(0, Phase::Holding) == 1 && f.count(1, Phase::Holding) == 1, Patience);
        QTRY_VERIFY_WITH_TIMEOUT(f.page.now().groups[1].records.whole > 0, Patience);
        for (const int holder : {0, 3}) {
            f.page.picture().select(holder);
            f.press("pause");
        }
        QTRY_VERIFY_WITH_TIMEOUT(f.count(0, Phase::Holding) == 1 && f.count(1, Phase::Holding) == 1
                                     && f.page.now().participants[3].life == Life::Paused,
                                 Patience);
        const int whole = f.page.now().groups[1].records.whole;
        QTRY_VERIFY_WITH_TIMEOUT(f.page.now().groups[1].records.whole > whole, Patience);
        for (const int zombie : {0, 3}) {
            f.page.picture().select(zombie);
            QTRY_COMPARE_WITH_TIMEOUT(f.button("pause")->text(), u"&Continue"_qs, Patience);
            f.press("pause");
        }
        QTRY_VERIFY_WITH_TIMEOUT(f.page.now().groups[0].records.torn > 0 && f.page.now().groups[1].refused > 0,
                                 Patience);
        QCOMPARE(f.page.now().groups[1].records.torn, 0);
        f.pictures(u"zombie"_qs);
    }

    void drawsTheOtherLessons()
    {
        for (const char *const name : {"slow", "elections", "log", "read-write", "queue"}) {
            Lab f(name);
            f.press("startAll");
            const auto moves = [&f] {
                const auto &all = f.page.now().participants;
                return std::all_of(all.begin(), all.end(), [&](const LabParticipant &each) {
                    return each.phase == Phase::Holding || each.phase == Phase::Idle
                        || waits(each, Lesson::all()[f.page.lesson()].groups[each.group].code);
                });
            };
            QTRY_VERIFY2_WITH_TIMEOUT(moves(), name, Patience);
            QVERIFY2(f.count(0, Phase::Holding) >= 1, name);
            QTRY_VERIFY_WITH_TIMEOUT(!f.page.now().watches.isEmpty(), Patience);
            f.pictures(QLatin1String(name));
        }
    }

    void aClaimOfADeadHolderIsCalledTheSecondAttempt()
    {
        Lab f("queue");
        f.press("startAll");
        QTRY_VERIFY_WITH_TIMEOUT(f.count(1, Phase::Holding) == 2 && f.waiting(1) == 2, Patience);
        const auto &all = f.page.now().participants;
        const auto holder = std::find_if(all.begin(), all.end(), [](const LabParticipant &each) {
            return each.group == 1 && each.phase == Phase::Holding;
        });
        f.page.picture().select(int(holder - all.begin()));
        f.press("kill");
        QTRY_VERIFY_WITH_TIMEOUT(f.page.picture().accessibleDescription().contains(u"holds it: attempt 2"), Patience);
        f.pictures(u"queue-killed"_qs);
    }

    void aNodeHasAShortName_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<QString>("shown");
        const QString id = u"0d1c9c46-8f5e-4d7a-9a53-0123456789ab"_qs;
        QTest::newRow("lock") << u"_c_%1-lock-0000000007"_qs.arg(id) << u"lock-7"_qs;
        QTest::newRow("log") << u"candidates/n-0000000003"_qs << u"candidates/n-3"_qs;
        QTest::newRow("item") << u"queue/qn-0000000012"_qs << u"qn-12"_qs;
        QTest::newRow("entry") << u"entries/entry-100-0000000001"_qs << u"entry-1"_qs;
        QTest::newRow("taken") << u"taken/entry-100-0000000001"_qs << u"taken-1"_qs;
        QTest::newRow("place of a taker") << u"queue.drover/_c_%1-%1-taker-idle-0000000002"_qs.arg(id) << u"idle-2"_qs;
        QTest::newRow("place of one who claims") << u"drover/_c_%1-%1-taker-idle-0000000000"_qs.arg(id) << u"idle-0"_qs;
    }

    void aNodeHasAShortName()
    {
        QFETCH(QString, name);
        QFETCH(QString, shown);
        QCOMPARE(shortNodeName(name), shown);
    }

    void theStartViewOpensItInAWindowOfItsOwn()
    {
        test::WindowFixture f;
        Q_EMIT f.window.shown().closeWanted();
        f.world.runFor(1s);
        Page *const page = f.window.findChild<Shell *>()->find(u"lab"_qs);
        QVERIFY(page);
        QCommandLinkButton *lab = nullptr;
        for (QCommandLinkButton *const each : f.window.findChildren<QCommandLinkButton *>()) {
            if (each->accessibleName() == u"The lab")
                lab = each;
        }
        QVERIFY(lab);
        QTRY_VERIFY(lab->isVisible());
        lab->click();
        QVERIFY(page->isVisible());
        QVERIFY(page->window() != &f.window);
    }

    void saysThatTheServerIsMissing()
    {
        const QByteArray path = qgetenv("PATH");
        const QByteArray java = qgetenv("JAVA_HOME");
        qputenv("PATH", "/nowhere");
        qunsetenv("JAVA_HOME");
        Lab f("herd");
        f.press("startAll");
        const auto says = [&] {
            const auto labels = f.page.findChildren<QLabel *>();
            return std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
                return label->isVisible() && label->text().contains(u"java");
            });
        };
        QTRY_VERIFY_WITH_TIMEOUT(says(), Patience);
        qputenv("PATH", path);
        if (!java.isEmpty())
            qputenv("JAVA_HOME", java);
    }
};

QTEST_MAIN(LabPageTest)
#include "lab_page_test.moc"
