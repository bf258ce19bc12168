#include "gui/launch/launch_dialog.h"
#include "gui/models/worker_model.h"
#include "gui/pages/queues_page.h"
#include "gui/pages/workers_page.h"
#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "gui/widgets/change_dialog.h"
#include "gui/widgets/submit_dialog.h"
#include "gui/widgets/table_view.h"
#include "gui/window_fixture.h"
#include "gui/workspace/launch_links.h"
#include "jobs/cluster/cordon.h"

#include <QAction>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QSpinBox>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;
using jobs::JobState;

namespace {

struct Fixture : test::WindowFixture {
    JobPane &pane() { return *window.findChild<JobPane *>(); }
    QAction *action(const char *name)
    {
        return window.shown().findChild<ActionRegistry *>()->find(QLatin1String(name));
    }
    ChangeDialog *dialog() { return window.findChild<ChangeDialog *>(); }

    jobs::JobId add(const QString &name, const QByteArray &queue = "default")
    {
        jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs}, queue);
        spec.name = name;
        const jobs::JobId id = run(cluster.addJob(spec));
        world.runFor(2s);
        return id;
    }
    void select(const QList<jobs::JobId> &ids)
    {
        TableView &table = pane().table();
        table.clearSelection();
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            const QModelIndex index = table.model()->index(row, 0);
            if (ids.contains(models.jobs.row(table.sourceRow(index)).id))
                table.selectionModel()->select(index, QItemSelectionModel::Select | QItemSelectionModel::Rows);
        }
    }
    void selectRow(TableView &table, const QString &text)
    {
        for (int row = 0; row < table.model()->rowCount(); ++row) {
            if (table.model()->index(row, 0).data().toString().startsWith(text))
                table.setCurrentIndex(table.model()->index(row, 0));
        }
    }
    // What the dialog says, all of it.
    QString asked()
    {
        QStringList texts;
        const QList<QLabel *> labels = dialog() ? dialog()->findChildren<QLabel *>() : QList<QLabel *>();
        for (const QLabel *const label : labels)
            texts << label->text();
        return texts.join(u'\n');
    }
    void answer(bool yes)
    {
        QVERIFY(dialog());
        if (yes)
            dialog()->accept();
        else
            dialog()->reject();
        world.runFor(3s);
        QCoreApplication::sendPostedEvents(nullptr, QEvent::DeferredDelete);
    }
    JobState state(const jobs::JobId &id) { return models.jobs.find(id)->state; }
};

} // namespace

// The verbs of the command line, in the window, on a cluster in memory.
class VerbsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The answer to the first press is no answer to the second.
    void twoPressesOfRepeatFailedStillAsk()
    {
        Fixture f;
        f.window.showPage(u"jobs"_qs);
        f.pane().table().selectAll();
        f.action("job.repeat-failed")->trigger();
        f.action("job.repeat-failed")->trigger();
        f.world.runFor(3s);
        const bool isAsked = f.window.findChild<QMessageBox *>() || f.window.findChild<SubmitDialog *>();
        QVERIFY(isAsked);
    }

    // It names the cluster of the window, and asks the gateway for each verb.
    void workersAreLaunchedForTheClusterOfTheWindow()
    {
        Fixture f;
        f.window.showPage(u"workers"_qs);
        gui::Target asked;
        f.window.shown().launch().setPrograms([&asked](const gui::Target &target) {
            asked = target;
            return LaunchProgram{};
        });
        f.action("worker.launch")->trigger();
        auto *const dialog = f.window.findChild<LaunchDialog *>();
        QVERIFY(dialog && dialog->isVisible() && dialog->windowTitle().contains(u"default on "_qs + test::Nowhere));
        dialog->check();
        QCOMPARE(asked, (gui::Target{test::Nowhere, "default"}));

        QCOMPARE(LaunchLinks::needOf(u"start"_qs).role, trust::Role::Viewer);
        QCOMPARE(LaunchLinks::needOf(u"upgrade"_qs).role, trust::Role::Operate);
        f.window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(false);
        QVERIFY(!f.action("worker.launch")->isEnabled());
        const QList<QLabel *> labels = dialog->findChildren<QLabel *>();
        QVERIFY(std::any_of(labels.begin(), labels.end(), [](const QLabel *label) {
            return label->text().contains(u"read-only", Qt::CaseInsensitive) || label->text().contains(u"diting");
        }));
    }

    void holdsAndReleasesTheSelection()
    {
        Fixture f;
        const QList<jobs::JobId> jobs{f.add(u"one"_qs), f.add(u"two"_qs)};
        f.select(jobs);
        QVERIFY(!f.action("job.release")->isEnabled());
        QVERIFY(!f.action("job.requeue")->isEnabled());
        QCOMPARE(f.action("job.hold")->text(), u"Hold 2 jobs…"_qs);
        f.action("job.hold")->trigger();
        QVERIFY2(f.asked().contains(u"Hold 2 jobs?"_qs), qPrintable(f.asked()));
        test::pictureOf(*f.dialog(), u"hold"_qs);
        f.answer(false);
        QCOMPARE(f.state(jobs[0]), JobState::Ready);
        f.action("job.hold")->trigger();
        f.answer(true);
        QCOMPARE(f.state(jobs[0]), JobState::Held);
        QCOMPARE(f.state(jobs[1]), JobState::Held);
        QVERIFY(f.says(u"Held: 2 of 2 jobs."_qs));
        f.select({jobs[1]});
        f.action("job.release")->trigger(); // of one job: done at once
        QVERIFY(!f.dialog());
        f.world.runFor(3s);
        QCOMPARE(f.state(jobs[1]), JobState::Ready);
    }

    void aPriorityAndAQueueAreAskedFor()
    {
        Fixture f;
        const jobs::JobId id = f.add(u"mover"_qs);
        f.select({id});
        f.action("job.priority")->trigger();
        f.dialog()->findChild<QSpinBox *>()->setValue(2);
        f.answer(true);
        QCOMPARE(f.models.jobs.find(id)->priority, 2);
        f.select({id});
        f.action("job.move")->trigger();
        auto *const queues = f.dialog()->findChild<QComboBox *>();
        queues->setCurrentIndex(queues->findData(QByteArray("nightly")));
        test::pictureOf(*f.dialog(), u"move"_qs);
        f.answer(true);
        QVERIFY(f.models.jobs.find(id)->state == JobState::Cancelled);
        int moved = 0;
        for (int i = 0; i < f.models.jobs.rowCount(); ++i) {
            const JobRow &job = f.models.jobs.row(i);
            moved += job.id.queue == "nightly" && job.name == u"mover"_qs ? 1 : 0;
        }
        QCOMPARE(moved, 1);
    }

    void anActionThatKillsIsNotTheDefaultButton()
    {
        Fixture f;
        const jobs::JobId runs = [&] {
            for (int i = 0; i < f.models.jobs.rowCount(); ++i) {
                if (f.models.jobs.row(i).state == JobState::Running)
                    return f.models.jobs.row(i).id;
            }
            return jobs::JobId();
        }();
        f.select({runs});
        QVERIFY(f.action("job.signal")->isEnabled());
        QVERIFY(!f.action("job.hold")->isEnabled());
        f.action("job.requeue")->trigger();
        QVERIFY(f.asked().contains(u"Requeue %1?"_qs.arg(runs.toString())));
        const QList<QPushButton *> buttons = f.dialog()->findChildren<QPushButton *>();
        for (const QPushButton *const button : buttons)
            QCOMPARE(button->isDefault(), button->text().startsWith(u"Leave"_qs));
        f.answer(false);
    }

    // By the way of all verbs: the same question as for all that fit the filter.
    void cancelsTheSelection()
    {
        Fixture f;
        const QList<jobs::JobId> jobs{f.add(u"one"_qs), f.add(u"two"_qs)};
        f.select(jobs);
        f.action("job.cancel")->trigger();
        QVERIFY2(f.asked().contains(u"Cancel 2 jobs?"_qs), qPrintable(f.asked()));
        f.answer(true);
        QCOMPARE(f.state(jobs[0]), JobState::Cancelled);
        QVERIFY(f.says(u"Cancelled: 2 of 2 jobs."_qs));
        const jobs::JobId third = f.add(u"three"_qs);
        f.select({third});
        f.action("job.cancel")->trigger();
        f.answer(true);
        QVERIFY(f.says(u"Cancelled %1."_qs.arg(third.toString()))); // one alone says what a cancel came to
    }

    // The filter chooses more jobs than the table shows; all of them are counted, named and changed.
    void actsOnAllThatFitTheFilter()
    {
        Fixture f;
        constexpr int Many = 2200;
        for (int i = 0; i < Many; ++i) {
            jobs::JobSpec spec = test::SampleCluster::spec({u"true"_qs}, "nightly");
            spec.name = u"bulk-%1"_qs.arg(i);
            f.run(f.cluster.addJob(spec));
        }
        f.world.runFor(5s);
        f.pane().findChild<QLineEdit *>()->setText(u"bulk"_qs);
        f.action("job.hold-all")->trigger();
        f.world.runFor(5s);
        QVERIFY2(f.asked().contains(u"Hold 2,200 jobs?"_qs), qPrintable(f.asked()));
        QVERIFY2(f.asked().contains(u"All jobs that fit “bulk”, as far as"_qs), qPrintable(f.asked()));
        test::pictureOf(*f.dialog(), u"hold-all"_qs);
        f.answer(true);
        f.world.runFor(10s);
        QVERIFY(f.says(u"Held: 2,200 of 2,200 jobs."_qs));
        QCOMPARE(f.models.jobs.snapshot().held, qint64(Many));
    }

    // By the time that it is carried out there may be more.
    void oneJobThatFitsTheFilterIsSpokenOfAsMany()
    {
        Fixture f;
        f.add(u"lonely"_qs);
        f.pane().findChild<QLineEdit *>()->setText(u"lonely"_qs);
        f.action("job.hold-all")->trigger();
        f.world.runFor(5s);
        QVERIFY2(f.asked().contains(u"All jobs that fit “lonely”"_qs), qPrintable(f.asked()));
        QVERIFY2(!f.asked().contains(u"It does not run"_qs), qPrintable(f.asked()));
    }

    void saysThatNoJobFitsTheFilter()
    {
        Fixture f;
        f.pane().findChild<QLineEdit *>()->setText(u"no-such-job"_qs);
        f.action("job.cancel-all")->trigger();
        f.world.runFor(3s);
        QVERIFY(!f.dialog());
        QVERIFY(f.says(u"No job that fit “no-such-job” is in a state for that."_qs));
    }

    void pausesAQueueWithAReasonAndResumesIt()
    {
        Fixture f;
        f.window.showPage(u"queues"_qs);
        TableView &table = f.window.findChild<QueuesPage *>()->table();
        table.selectAll();
        QCOMPARE(f.action("queue.pause")->text(), u"&Pause %1 queues…"_qs.arg(table.model()->rowCount()));
        QVERIFY(!f.action("queue.resume")->isEnabled());
        QCOMPARE(f.action("queue.resume")->text(), u"&Resume"_qs);
        f.selectRow(table, u"gpu"_qs);
        QCOMPARE(f.action("queue.pause")->text(), u"&Pause…"_qs);
        f.action("queue.pause")->trigger();
        f.dialog()->findChild<QLineEdit *>()->setText(u"new driver"_qs);
        test::pictureOf(*f.dialog(), u"pause"_qs);
        f.answer(true);
        QVERIFY(f.models.queues.now("gpu").paused.endsWith(u": new driver"_qs));
        test::pictureOf(f.window, u"queues"_qs);
        QVERIFY(!f.action("queue.pause")->isEnabled());
        f.action("queue.resume")->trigger();
        f.world.runFor(3s);
        QCOMPARE(f.models.queues.now("gpu").paused, QString());
    }

    void limitsAQueueAsTheCommandDoes()
    {
        Fixture f;
        f.window.showPage(u"queues"_qs);
        QVERIFY(!f.action("queue.limit")->isEnabled()); // nothing is selected
        f.selectRow(f.window.findChild<QueuesPage *>()->table(), u"gpu"_qs);
        const auto choose = [&f](int limit) {
            f.action("queue.limit")->trigger();
            f.dialog()->findChild<QSpinBox *>()->setValue(limit);
            test::pictureOf(*f.dialog(), u"limit"_qs);
            f.answer(true);
        };
        choose(3);
        QCOMPARE(f.models.queues.now("gpu").limit, 3);
        QVERIFY(f.says(u"At most 3 jobs of the queue gpu run at a time."_qs));
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        f.run(jobs::pauseQueue(cluster, "gpu", u"new driver"_qs));
        choose(0);
        QCOMPARE(f.run(jobs::queueSettings(cluster, "gpu")).limit, 0);
        QVERIFY(f.run(jobs::queueSettings(cluster, "gpu")).paused); // that stays
        QVERIFY(f.says(u"The queue gpu has no limit any more."_qs));
    }

    // The dialog was open while another one changed the limit.
    void aLimitThatHasChangedMeanwhileIsNotOverwritten()
    {
        Fixture f;
        f.window.showPage(u"queues"_qs);
        f.selectRow(f.window.findChild<QueuesPage *>()->table(), u"gpu"_qs);
        f.action("queue.limit")->trigger();
        f.dialog()->findChild<QSpinBox *>()->setValue(8);
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        f.run(jobs::limitQueue(cluster, "gpu", 2));
        f.answer(true);
        QCOMPARE(f.run(jobs::queueSettings(cluster, "gpu")).limit, 2);
        QVERIFY(f.says(u"another client has set the limit of the queue gpu to 2 meanwhile: nothing was changed"_qs));
    }

    void aLimitNeedsEditing()
    {
        Fixture f;
        f.window.showPage(u"queues"_qs);
        f.selectRow(f.window.findChild<QueuesPage *>()->table(), u"gpu"_qs);
        f.action("queue.limit")->trigger();
        f.dialog()->findChild<QSpinBox *>()->setValue(8);
        f.window.findChild<QAction *>(u"connection.edit"_qs)->setChecked(false);
        QVERIFY(!f.action("queue.limit")->isEnabled());
        f.answer(true); // it was opened before
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        QCOMPARE(f.run(jobs::queueSettings(cluster, "gpu")).limit, 0);
    }

    void cordonsAWorkerWithAReasonAndUncordonsIt()
    {
        Fixture f;
        f.window.showPage(u"workers"_qs);
        TableView &table = f.window.findChild<WorkersPage *>()->table();
        f.selectRow(table, u"worker-2"_qs);
        f.action("worker.cordon")->trigger();
        f.dialog()->findChild<QLineEdit *>()->setText(u"disk"_qs);
        f.answer(true);
        const auto state = [&] { return table.currentIndex().siblingAtColumn(WorkerModel::State).data().toString(); };
        QVERIFY2(state().startsWith(u"Cordoned, "_qs), qPrintable(state())); // with how much is left
        test::pictureOf(f.window, u"workers"_qs);
        QVERIFY(!f.action("worker.cordon")->isEnabled());
        f.action("worker.uncordon")->trigger();
        f.world.runFor(3s);
        QCOMPARE(state(), u"Busy"_qs);
    }

    // One that is cordoned already keeps its reason.
    void drainsAllSelectedWorkers()
    {
        Fixture f;
        f.window.showPage(u"workers"_qs);
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        const auto reasonOf = [&](const char *worker) {
            const std::optional<jobs::Cordon> cordon = f.run(jobs::cordonOf(cluster, worker));
            return cordon ? cordon->why : QString();
        };
        f.run(jobs::cordon(cluster, "worker-1", {.by = u"ann@up-1"_qs, .why = u"disk"_qs, .at = {}}));
        f.world.runFor(3s);
        f.window.findChild<WorkersPage *>()->table().selectAll();
        QCOMPARE(f.action("worker.cordon")->text(), u"&Cordon 3 workers…"_qs);
        QCOMPARE(f.action("worker.drain")->text(), u"&Drain 4 workers…"_qs);
        QCOMPARE(f.action("worker.uncordon")->text(), u"&Uncordon"_qs);
        test::pictureOf(f.window, u"workers-all"_qs);
        f.action("worker.drain")->trigger();
        QVERIFY2(f.asked().contains(u"Drain 4 workers?"_qs), qPrintable(f.asked()));
        QVERIFY2(f.asked().contains(u", and 1 more\n"_qs), qPrintable(f.asked()));
        test::pictureOf(*f.dialog(), u"drain-all"_qs);
        f.answer(false);
        QCOMPARE(reasonOf("worker-2"), QString());
        f.action("worker.drain")->trigger();
        f.dialog()->findChild<QLineEdit *>()->setText(u"new kernel"_qs);
        f.answer(true);
        QVERIFY(f.says(u"4 workers claim no more jobs."_qs));
        QCOMPARE(reasonOf("worker-1"), u"disk"_qs);
        for (const char *const worker : {"worker-2", "worker-3", "stranger"})
            QCOMPARE(reasonOf(worker), u"new kernel"_qs);
        f.action("worker.uncordon")->trigger();
        f.world.runFor(3s);
        QVERIFY(f.says(u"4 workers claim jobs again."_qs));
        for (const char *const worker : {"worker-1", "worker-2", "worker-3", "stranger"})
            QVERIFY2(!f.run(jobs::cordonOf(cluster, worker)), worker);
    }

    void oneOfSeveralThatFailsIsNamed()
    {
        Fixture f;
        Q_EMIT f.window.findChild<WorkersPage *>()->cordonWanted({"worker-2", "gone", "worker-3"}, false);
        f.answer(true);
        QVERIFY(f.says(u"But 1 of 3 failed: there is no worker gone any more."_qs));
        const jobs::Cluster cluster(*f.writer, f.cluster.layout());
        QVERIFY(f.run(jobs::cordonOf(cluster, "worker-3")));
    }

    void theLongestQuestionFitsASmallWindow()
    {
        Fixture f;
        f.select({f.add(u"<b>bold</b>"_qs)});
        f.action("job.signal")->setEnabled(true);
        for (const JobVerb::Kind kind : {JobVerb::Kind::Requeue, JobVerb::Kind::Signal, JobVerb::Kind::Move}) {
            Q_EMIT f.pane().verbWanted(kind, {jobs::JobId{"default", 1}, jobs::JobId{"default", 2}});
            QVERIFY(f.dialog()->minimumSizeHint().width() < 760);
            f.answer(false);
        }
    }
};

QTEST_MAIN(VerbsTest)
#include "verbs_test.moc"
