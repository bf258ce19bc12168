#include "gui/charts/load_file.h"
#include "gui/window/look/language_menu.h"
#include "gui/window_fixture.h"

#include <QDateTime>
#include <QDialog>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

// What is remembered of the look, what titles say, and what the charts keep.
class LookTest : public QObject
{
    Q_OBJECT

    const QTemporaryDir m_scratch;

private Q_SLOTS:
    void theLanguageIsRemembered()
    {
        QSettings settings(m_scratch.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        QCOMPARE(LanguageMenu::saved(settings), QString()); // as the desktop
        {
            test::WindowFixture f;
            QAction *const chinese = f.window.findChild<QAction *>(u"language.zh_CN"_qs);
            QVERIFY(chinese && !chinese->isChecked());
            QVERIFY(f.window.findChild<QAction *>(u"language.system"_qs)->isChecked());
            chinese->trigger();
            QVERIFY(chinese->isChecked());
            QVERIFY(f.says(u"from the next start"_qs));
            f.window.saveTo(settings);
        }
        QCOMPARE(LanguageMenu::saved(settings), u"zh_CN"_qs);
        test::WindowFixture f;
        f.window.restoreFrom(settings);
        QVERIFY(f.window.findChild<QAction *>(u"language.zh_CN"_qs)->isChecked());
        f.window.findChild<QAction *>(u"language.system"_qs)->trigger();
        f.window.saveTo(settings);
        QCOMPARE(LanguageMenu::saved(settings), QString());
        settings.setValue(u"window/language"_qs, u"xx"_qs); // of another version
        QCOMPARE(LanguageMenu::saved(settings), QString());
    }

    void dialogsNameTheCluster()
    {
        test::WindowFixture f;
        f.window.findChild<QAction *>(u"job.submit"_qs)->trigger();
        auto *const dialog = f.window.findChild<QDialog *>();
        QVERIFY(dialog);
        QVERIFY2(dialog->windowTitle().endsWith(u" — default on "_qs + test::Nowhere),
                 qPrintable(dialog->windowTitle()));
        const QString title = dialog->windowTitle();
        dialog->hide();
        dialog->show();
        QCOMPARE(dialog->windowTitle(), title); // not twice
    }

    // What one console has sampled, the next one shows, and of no other cluster.
    void chartsOutliveTheProgram()
    {
        const QString path = m_scratch.filePath(u"state/charts.sqlite"_qs);
        const qint64 at = QDateTime::currentMSecsSinceEpoch() / 5000 * 5000 - 60'000;
        {
            test::WindowFixture f;
            f.window.shown().keepCharts(path);
            f.window.connectTo({test::Nowhere, "other"});
            Q_EMIT f.models.load.sampled({.at = at, .width = 5000, .ready = 4, .running = 1});
        }
        test::WindowFixture f;
        f.window.shown().keepCharts(path);
        f.window.connectTo({test::Nowhere, "third"});
        f.window.connectTo({test::Nowhere, "other"});
        const auto isThere = [&f] {
            return !f.models.load.samples().empty() && f.models.load.samples().front().ready == 4;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isThere(), 30'000);
        f.window.connectTo({test::Nowhere, "default"});
        QVERIFY(f.models.load.samples().empty());
    }

    void soDoTheChartsOfTheQueues()
    {
        const QString path = m_scratch.filePath(u"state/queues.sqlite"_qs);
        const qint64 at = QDateTime::currentMSecsSinceEpoch() / 5000 * 5000 - 60'000;
        {
            test::WindowFixture f;
            f.window.shown().keepCharts(path);
            f.window.connectTo({test::Nowhere, "other"});
            f.window.connectTo({test::Nowhere, "default"});
            Q_EMIT f.models.queueLoads.sampled("gpu", {.at = at, .width = 5000, .ready = 6, .running = 1});
        }
        test::WindowFixture f;
        f.window.shown().keepCharts(path);
        f.window.connectTo({test::Nowhere, "other"});
        f.window.connectTo({test::Nowhere, "default"});
        f.world.runFor(3s);
        const auto isThere = [&f](const char *queue) {
            const std::vector<ChartPoint> points = f.models.queueLoads.points(queue);
            return !points.empty() && points.front().value == 6;
        };
        QTRY_VERIFY_WITH_TIMEOUT(isThere("gpu"), 30'000);
        QVERIFY(!isThere("default"));
    }
};

QTEST_MAIN(LookTest)
#include "look_test.moc"
