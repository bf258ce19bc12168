#include "gui/pictures.h"
#include "gui/widgets/job_pane.h"
#include "gui/widgets/submit_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window/look/theme_menu.h"
#include "gui/window_fixture.h"

#include <QLineEdit>
#include <QSettings>
#include <QTemporaryDir>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

using Fixture = test::WindowFixture;

// What the window shows of jobs follows them, and stays when the cluster is out of reach.
class JobDetailsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void detailsFollowTheJob()
    {
        Fixture f;
        const jobs::JobId id{"default", 12};
        QVERIFY(f.openDetails(id));
        QVERIFY(f.says(u"default-12 — Ready"_qs));
        f.run(f.cluster.claim(id, u"worker-3"_qs));
        f.world.runFor(2s);
        QVERIFY(f.says(u"default-12 — Running"_qs));
        f.run(f.cluster.finish(id, jobs::FinalRecord::Outcome::Exited, 4, "no such file\n"));
        const auto unclaimed = f.writer->remove(f.cluster.layout().claim(id));
        f.world.runFor(2s);
        QVERIFY(f.says(u"default-12 — Failed"_qs));
        QVERIFY(f.says(u"exited with code 4"_qs));
    }

    void detailsSayWhyAJobDoesNotRun()
    {
        Fixture f;
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        f.run(jobs::changeQueue(cluster, "gpu", [](jobs::QueueSettings &settings) {
            settings.paused = true;
            settings.pausedBy = u"root@vm"_qs;
            settings.why = u"maintenance"_qs;
        }));
        const Inspector *const details = f.openDetails({"gpu", 5});
        QVERIFY(details);
        test::pictureOf(f.window, u"job-waits"_qs);
        QVERIFY(f.says(u"queue gpu was paused by root@vm"_qs));
        QVERIFY(f.says(u"drover queue resume gpu"_qs));
    }

    void anOutageLeavesWhatWasKnown()
    {
        Fixture f;
        const Inspector *const details = f.openDetails({"default", 8});
        QVERIFY(details);
        const int rows = f.models.jobs.rowCount();
        QVERIFY(rows > 0);
        f.server.stop();
        f.world.runFor(30s);
        QVERIFY(f.phase() != SessionStatus::Phase::Connected);
        QCOMPARE(f.models.jobs.rowCount(), rows);
        QVERIFY(f.models.workers.rowCount() > 0);
        QVERIFY(f.says(u"All that is shown is as of "_qs));
        QVERIFY(!f.says(u"Watches:"_qs));
        QVERIFY(f.says(u"default-8 — Running"_qs)); // in its details, too
        test::pictureOf(f.window, u"console-outage"_qs);
        f.server.start();
        f.world.runFor(30s);
        QVERIFY(!f.says(u"All that is shown is as of "_qs));
        QCOMPARE(f.models.jobs.rowCount(), rows);
    }

    // It waited unseen, and submitted later even if its window was closed.
    void aSubmitWithoutAConnectionIsRefused()
    {
        Fixture f;
        f.server.stop();
        f.world.runFor(1s);
        f.window.findChild<QAction *>(u"job.submit"_qs)->trigger();
        auto *const dialog = f.window.findChild<SubmitDialog *>();
        QVERIFY(dialog);
        Q_EMIT dialog->submitWanted(test::SampleCluster::spec({u"true"_qs}));
        QVERIFY(f.says(u"Not submitted: there is no connection to ZooKeeper now."_qs));
        f.server.start();
        f.world.runFor(5s);
        QVERIFY(!f.says(u"Submitted as default-"_qs));
        Q_EMIT dialog->submitWanted(test::SampleCluster::spec({u"true"_qs}));
        f.world.runFor(2s);
        QVERIFY(f.says(u"Submitted as default-"_qs));
    }

    void remembersWhereOneWorked()
    {
        const QTemporaryDir directory;
        QSettings settings(directory.filePath(u"settings.ini"_qs), QSettings::IniFormat);
        {
            Fixture f;
            QVERIFY(f.window.windowTitle().contains(u"default on "_qs + test::Nowhere));
            f.window.theme().choose(ThemeChoice::Light);
            f.window.theme().chooseOnce(ThemeChoice::Dark); // --theme is for this time
            f.window.findChild<JobPane *>()->findChild<QLineEdit *>()->setText(u"train"_qs);
            f.window.saveTo(settings);
        }
        Fixture f;
        f.window.restoreFrom(settings);
        QTRY_VERIFY(!isDark(f.window.palette()));
        const auto *const pane = f.window.findChild<JobPane *>();
        QCOMPARE(pane->findChild<QLineEdit *>()->text(), u"train"_qs);
        const auto *const table = pane->findChild<TableView *>();
        QVERIFY(table->model()->rowCount() > 0 && table->model()->rowCount() < f.models.jobs.rowCount());
        test::FeedsFixture other; // which nothing has connected
        MainWindow window(other.models, other.console);
        QVERIFY(window.restoreTabs(settings));
        QCOMPARE(window.shown().target(), (Target{test::Nowhere, "default"}));
    }
};

QTEST_MAIN(JobDetailsTest)
#include "job_details_test.moc"
