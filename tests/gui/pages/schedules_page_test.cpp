#include "app/submission/submit_texts.h"
#include "gui/models/schedules/schedule_model.h"
#include "gui/pages/schedules/run_timeline.h"
#include "gui/pages/schedules/schedule_dialog.h"
#include "gui/pages/schedules/schedules_page.h"
#include "gui/pages/schedules/week_calendar.h"
#include "gui/pictures.h"
#include "gui/shell/action_registry.h"
#include "gui/shell/shell.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/code_edit.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"
#include "gui/window_fixture.h"

#include <QComboBox>
#include <QLineEdit>
#include <QMessageBox>
#include <QPushButton>
#include <QTest>
#include <QToolButton>

using namespace drover;
using namespace drover::gui;
using namespace std::chrono_literals;

namespace {

struct Fixture : test::WindowFixture {
    SchedulesPage *page = static_cast<SchedulesPage *>(window.findChild<Shell *>()->find(u"schedules"_qs));

    explicit Fixture(bool editing = true) : WindowFixture(editing)
    {
        window.resize(1100, 720);
        window.showPage(u"schedules"_qs);
    }
    QAction *action(const QString &name) const { return window.shown().findChild<ActionRegistry *>()->find(name); }

    static jobs::JobSpec jobOf(const QByteArray &name)
    {
        return test::SampleCluster::spec({u"pg_dump"_qs, u"-t"_qs, QString::fromUtf8(name)});
    }
    void add(const QByteArray &name, const QString &when, bool paused = false, const jobs::JobSpec &job = {})
    {
        jobs::ScheduleEntry entry{.when = jobs::CronSchedule::parse(when), .job = {}};
        entry.job = job.command.isEmpty() ? jobOf(name) : job;
        entry.lastTick = std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch());
        entry.paused = paused;
        const jobs::Cluster written(*writer, cluster.layout());
        run(jobs::addSchedule(written, name, entry));
        world.runFor(1s);
    }
    std::optional<jobs::StoredSchedule> stored(const QByteArray &name)
    {
        const jobs::Cluster read(*writer, cluster.layout());
        const std::vector<jobs::StoredSchedule> all = run(jobs::listSchedules(read));
        for (const jobs::StoredSchedule &one : all) {
            if (one.name == name)
                return one;
        }
        return std::nullopt;
    }
    void choose(const QString &name) { QVERIFY(page->selectRow(name)); }
    // What a cell of the chosen row says.
    QString chosen(ScheduleModel::Column column) const
    {
        return page->table().currentIndex().siblingAtColumn(column).data().toString();
    }
    // The field below that label.
    template <typename Field>
    static Field *field(ScheduleDialog *dialog, const QString &label)
    {
        for (const QLabel *const title : dialog->findChildren<QLabel *>()) {
            if (title->text().remove(u'&') == label)
                return qobject_cast<Field *>(title->buddy());
        }
        return nullptr;
    }
    static QPushButton *button(QDialog *dialog, const QString &text)
    {
        for (QPushButton *const one : dialog->findChildren<QPushButton *>()) {
            if (one->text().remove(u'&') == text)
                return one;
        }
        return nullptr;
    }
};

} // namespace

// The page of the recurring jobs, in the window.
class SchedulesPageTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // A week as a calendar: rare runs are where their hour is, frequent ones are a line, and none covers another.
    void theWeekIsACalendar()
    {
        Fixture f;
        f.add("nightly-backup", u"0 3 * * *"_qs);
        f.add("report", u"0 3 * * *"_qs);
        const int weekday = QDateTime::currentDateTimeUtc().date().addDays(1).dayOfWeek() % 7; // its run is to come
        f.add("weekly", u"30 17 * * %1"_qs.arg(weekday));
        f.add("often", u"*/5 * * * *"_qs);
        auto *const calendar = f.page->findChild<WeekCalendar *>();
        QComboBox *const span = f.page->findChild<QComboBox *>();
        QVERIFY(calendar && span);
        QVERIFY(calendar->accessibleDescription().isEmpty()); // it is hidden
        span->setCurrentIndex(span->count() - 1);
        QVERIFY(calendar->isVisible());
        QVERIFY(calendar->accessibleDescription().contains(u"weekly: "_qs));
        for (const ThemeChoice theme : {ThemeChoice::Light, ThemeChoice::Dark}) {
            applyTheme(theme);
            test::pictureOf(f.window, theme == ThemeChoice::Light ? u"calendar-light"_qs : u"calendar-dark"_qs);
        }
        const std::vector<WeekCalendar::Entry> all = calendar->entries();
        std::map<QString, int> counts;
        for (const WeekCalendar::Entry &entry : all) {
            ++counts[f.models.schedules.index(entry.row, 0).data().toString()];
            QVERIFY(QRectF(calendar->rect()).contains(entry.place.center()));
        }
        QCOMPARE(counts[u"often"_qs], 1);
        QCOMPARE(counts[u"weekly"_qs], 1);
        QVERIFY2(counts[u"report"_qs] >= 6 && counts[u"report"_qs] <= 7,
                 qPrintable(QString::number(counts[u"report"_qs])));
        for (std::size_t i = 0; i < all.size(); ++i) {
            for (std::size_t j = 0; j < i; ++j)
                QVERIFY(!all[i].place.adjusted(1, 1, -1, -1).intersects(all[j].place.adjusted(1, 1, -1, -1)));
        }
        QTest::mouseClick(calendar, Qt::LeftButton, {}, all.back().place.center().toPoint());
        QCOMPARE(f.page->table().sourceRow(f.page->table().currentIndex()), all.back().row);
    }

    void showsTheNextRuns()
    {
        Fixture f;
        QVERIFY(f.page->badge().text.isEmpty());
        f.add("nightly", u"0 3 * * *"_qs);
        f.add("hourly", u"@hourly"_qs);
        f.add("check", u"*/5 * * * *"_qs);
        f.add("monthly", u"0 0 1 * *"_qs);
        f.add("stopped", u"@daily"_qs, true);
        QCOMPARE(f.models.schedules.rowCount(), 5);
        QCOMPARE(f.page->badge().words, u"5 schedules"_qs);
        auto *const timeline = f.page->findChild<RunTimeline *>();
        test::pictureOf(f.window, u"schedules"_qs); // layouts settle
        const std::vector<int> shown = timeline->rowsShown();
        QCOMPARE(shown.size(), std::size_t(4)); // not the paused one
        QCOMPARE(f.models.schedules.row(shown[0]).stored.name, "check"); // which runs next
        QVERIFY2(timeline->accessibleDescription().startsWith(u"check: "_qs),
                 qPrintable(timeline->accessibleDescription()));
        const QColor bar = toneColor(Tone::Busy, timeline->palette());
        const int ofADay = test::pixelsOf(timeline->grab().toImage(), bar);
        QVERIFY(ofADay > 3000); // the five minutes are a bar across
        auto *const span = f.page->findChild<QComboBox *>();
        span->setCurrentIndex(2);
        test::pictureOf(f.window, u"schedules-month"_qs);
        QVERIFY(test::pixelsOf(timeline->grab().toImage(), bar) > ofADay); // more hours, more of the nightly runs
        applyTheme(ThemeChoice::Dark);
        test::pictureOf(f.window, u"schedules-dark"_qs);
        f.window.resize(800, 600);
        test::pictureOf(f.window, u"schedules-small"_qs);
    }

    void aClickOnALineChoosesItsSchedule()
    {
        Fixture f;
        f.add("nightly", u"0 3 * * *"_qs);
        f.add("check", u"*/5 * * * *"_qs);
        test::pictureOf(f.window, u"schedules-two"_qs);
        auto *const timeline = f.page->findChild<RunTimeline *>();
        QTest::mouseClick(timeline, Qt::LeftButton, {}, {60, 10 + int(1.5 * timeline->lineHeight(2))});
        QCOMPARE(f.chosen(ScheduleModel::Name), u"nightly"_qs);
    }

    void addsASchedule()
    {
        Fixture f;
        f.action(u"schedule.add"_qs)->trigger();
        auto *const dialog = f.window.findChild<ScheduleDialog *>();
        QVERIFY(dialog);
        QPushButton *const add = f.button(dialog, u"Add"_qs);
        QVERIFY(!add->isEnabled());
        Fixture::field<QLineEdit>(dialog, u"Schedule"_qs)->setText(u"nightly"_qs);
        Fixture::field<QLineEdit>(dialog, u"When"_qs)->setText(u"0 25 * * *"_qs);
        Fixture::field<QLineEdit>(dialog, u"Command"_qs)->setText(u"backup '/srv/a b'"_qs);
        QVERIFY(!add->isEnabled());
        QVERIFY(f.says(u"hour"_qs));
        Fixture::field<QLineEdit>(dialog, u"When"_qs)->setText(u"0 3 * * *"_qs);
        Fixture::field<QComboBox>(dialog, u"Zone"_qs)->setCurrentText(u"Europe/Berlin"_qs);
        QVERIFY(f.says(u" 03:00:00 "_qs));
        test::pictureOf(*dialog, u"schedule-dialog"_qs);
        QVERIFY(add->isEnabled());
        add->click();
        f.world.runFor(2s);
        const std::optional<jobs::StoredSchedule> made = f.stored("nightly");
        QVERIFY(made && made->entry);
        QCOMPARE(made->entry->when.zone(), u"Europe/Berlin"_qs);
        QCOMPARE(made->entry->job.command, (QStringList{u"backup"_qs, u"/srv/a b"_qs}));
        QVERIFY(!made->entry->job.submitter.isEmpty());
        QVERIFY(f.says(u"Added nightly."_qs));
        QCOMPARE(f.models.schedules.rowCount(), 1);
        f.action(u"schedule.add"_qs)->trigger(); // a name that is taken: the dialog stays
        ScheduleDialog *second = nullptr;
        for (ScheduleDialog *const one : f.window.findChildren<ScheduleDialog *>())
            second = one->isVisible() ? one : second;
        QVERIFY(second);
        Fixture::field<QLineEdit>(second, u"Schedule"_qs)->setText(u"nightly"_qs);
        Fixture::field<QLineEdit>(second, u"When"_qs)->setText(u"@daily"_qs);
        Fixture::field<QLineEdit>(second, u"Command"_qs)->setText(u"true"_qs);
        f.button(second, u"Add"_qs)->click();
        f.world.runFor(2s);
        QVERIFY(second->isVisible());
        QVERIFY(f.says(u"there is a schedule nightly already"_qs));
    }

    void changesASchedule()
    {
        Fixture f;
        f.add("nightly", u"0 3 * * *"_qs);
        f.choose(u"nightly"_qs);
        f.action(u"schedule.edit"_qs)->trigger();
        auto *const dialog = f.window.findChild<ScheduleDialog *>();
        QVERIFY(dialog);
        QCOMPARE(Fixture::field<QLineEdit>(dialog, u"Command"_qs)->text(), u"pg_dump -t nightly"_qs);
        Fixture::field<QLineEdit>(dialog, u"When"_qs)->setText(u"0 4 * * *"_qs);
        f.button(dialog, u"Change"_qs)->click();
        f.world.runFor(8s);
        QCOMPARE(f.stored("nightly")->entry->when.expression().text(), u"0 4 * * *"_qs);
        QCOMPARE(f.chosen(ScheduleModel::When), u"0 4 * * *"_qs);
    }

    // All that a job can be given, as for `drover cron add`.
    void aScheduleHasAllOptionsOfAJob()
    {
        const app::SubmitTexts known;
        Fixture f;
        f.window.shown().setJobOptions(known);
        f.action(u"schedule.add"_qs)->trigger();
        auto *const dialog = f.window.findChild<ScheduleDialog *>();
        QVERIFY(dialog);
        Fixture::field<QLineEdit>(dialog, u"Schedule"_qs)->setText(u"render"_qs);
        Fixture::field<QLineEdit>(dialog, u"When"_qs)->setText(u"@daily"_qs);
        Fixture::field<QLineEdit>(dialog, u"Command"_qs)->setText(u"render all"_qs);
        Fixture::field<CodeEdit>(dialog, u"Environment"_qs)->setPlainText(u"LANG=C"_qs);
        for (const char *const refused : {"start-at", "delay", "dedupe", "after-ok", "priority"})
            QVERIFY2(!dialog->findChild<QWidget *>(QLatin1String(refused)), refused);
        auto *const slots = dialog->findChild<QLineEdit *>(u"slots"_qs);
        auto *const label = dialog->findChild<QLineEdit *>(u"label"_qs);
        QVERIFY(slots && label);
        QPushButton *const add = f.button(dialog, u"Add"_qs);
        slots->setText(u"many"_qs);
        QVERIFY(!add->isEnabled());
        QVERIFY(f.says(u"The option slots is not right yet."_qs));
        slots->setText(u"2"_qs);
        label->setText(u"gpu ssd"_qs);
        dialog->findChild<QLineEdit *>(u"array"_qs)->setText(u"1-5"_qs);
        dialog->findChild<QLineEdit *>(u"gang"_qs)->setText(u"3"_qs);
        QVERIFY(!add->isEnabled());
        QVERIFY(f.says(u"array and gang do not go together"_qs));
        dialog->findChild<QLineEdit *>(u"gang"_qs)->clear();
        for (QToolButton *const head : dialog->findChildren<QToolButton *>()) {
            if (head->text().startsWith(u"What its worker must have"))
                head->setChecked(true);
        }
        test::pictureOf(*dialog, u"schedule-options"_qs);
        QVERIFY2(dialog->minimumSizeHint().width() <= 800 && dialog->minimumSizeHint().height() <= 600, "800x600");
        QVERIFY(add->isEnabled());
        add->click();
        f.world.runFor(2s);
        const std::optional<jobs::StoredSchedule> made = f.stored("render");
        QVERIFY(made && made->entry);
        QCOMPARE(made->entry->job.needs.slots, 2);
        QCOMPARE(made->entry->job.needs.labels, (QStringList{u"gpu"_qs, u"ssd"_qs}));
        QCOMPARE(made->entry->job.array->count(), 5);
        QCOMPARE(made->entry->job.environment.at(u"LANG"_qs), u"C"_qs);
    }

    // Also what has no field.
    void aChangeKeepsTheOptions()
    {
        const app::SubmitTexts known;
        Fixture f;
        f.window.shown().setJobOptions(known);
        jobs::JobSpec job = f.jobOf("render");
        job.needs.slots = 3;
        job.after = {{.kind = jobs::Dependency::Kind::Ok, .on = jobs::JobId{"default", 1}}};
        f.add("render", u"@daily"_qs, false, job);
        f.choose(u"render"_qs);
        f.action(u"schedule.edit"_qs)->trigger();
        auto *const dialog = f.window.findChild<ScheduleDialog *>();
        QVERIFY(dialog);
        QCOMPARE(dialog->findChild<QLineEdit *>(u"slots"_qs)->text(), u"3"_qs);
        QCOMPARE(Fixture::field<QLabel>(dialog, u"As before"_qs)->text(), u"after-ok default-1"_qs);
        dialog->findChild<QLineEdit *>(u"slots"_qs)->clear();
        dialog->findChild<QLineEdit *>(u"lock"_qs)->setText(u"db"_qs);
        f.button(dialog, u"Change"_qs)->click();
        f.world.runFor(8s);
        const jobs::JobSpec changed = f.stored("render")->entry->job;
        QCOMPARE(changed.needs.slots, 1);
        QCOMPARE(changed.locks, QStringList{u"db"_qs});
        QCOMPARE(changed.after.size(), std::size_t(1));
        QCOMPARE(changed.after.front().on, (jobs::JobId{"default", 1}));
    }

    // They say what they lack.
    void theVerbsStandInTheBar()
    {
        Fixture f;
        const auto verb = [&f](const QString &text) -> ActionButton * {
            for (ActionButton *const one : f.page->findChildren<ActionButton *>()) {
                if (one->text() == text && one->isVisible())
                    return one;
            }
            return nullptr;
        };
        f.add("nightly", u"0 3 * * *"_qs);
        test::pictureOf(f.window, u"schedules-bar"_qs);
        for (const char *const text : {"Run now", "Change…", "Pause", "Resume", "Remove…"})
            QVERIFY2(verb(QString::fromUtf8(text)), text);
        f.choose(u"nightly"_qs);
        QVERIFY(verb(u"Pause"_qs)->isEnabled());
        QVERIFY(!verb(u"Resume"_qs)->isEnabled());
        QCOMPARE(verb(u"Resume"_qs)->toolTip(), u"Select a paused schedule"_qs);
        QTest::mouseClick(verb(u"Pause"_qs), Qt::LeftButton);
        f.world.runFor(2s);
        QVERIFY(f.stored("nightly")->entry->paused);
        QVERIFY(verb(u"Resume"_qs)->isEnabled());
    }

    // When that one has gone, the current row is another one, which the user has not selected.
    void theVerbsActOnTheOnlySelectedSchedule()
    {
        Fixture f;
        f.add("hourly", u"@hourly"_qs);
        f.add("nightly", u"0 3 * * *"_qs);
        const auto offers = [&f] {
            QByteArrayList names;
            for (const char *const name : {"edit", "run", "pause", "remove"}) {
                if (f.action(u"schedule."_qs + QLatin1String(name))->isEnabled())
                    names << name;
            }
            return names;
        };
        const QByteArrayList all{"edit", "run", "pause", "remove"};
        f.choose(u"hourly"_qs);
        QCOMPARE(offers(), all);
        f.page->table().selectAll();
        QCOMPARE(offers(), QByteArrayList());
        f.choose(u"hourly"_qs);
        QCOMPARE(offers(), all);
        f.run(jobs::removeSchedule({*f.writer, f.cluster.layout()}, "hourly"));
        f.world.runFor(2s);
        QCOMPARE(f.chosen(ScheduleModel::Name), u"nightly"_qs);
        QCOMPARE(offers(), QByteArrayList());
    }

    void pausesResumesRunsAndRemoves()
    {
        Fixture f;
        f.add("nightly", u"0 3 * * *"_qs);
        f.choose(u"nightly"_qs);
        QVERIFY(!f.action(u"schedule.resume"_qs)->isEnabled());
        f.action(u"schedule.pause"_qs)->trigger();
        f.world.runFor(2s);
        QVERIFY(f.stored("nightly")->entry->paused);
        QCOMPARE(f.chosen(ScheduleModel::State), u"Paused"_qs);
        QVERIFY(!f.action(u"schedule.pause"_qs)->isEnabled());
        f.action(u"schedule.resume"_qs)->trigger();
        f.world.runFor(2s);
        QVERIFY(!f.stored("nightly")->entry->paused);
        const int before = f.models.jobs.rowCount();
        f.action(u"schedule.run"_qs)->trigger();
        f.world.runFor(3s);
        QVERIFY(f.says(u"Submitted default-"_qs));
        QCOMPARE(f.models.jobs.rowCount(), before + 1);
        f.action(u"schedule.remove"_qs)->trigger();
        auto *box = f.window.findChild<QMessageBox *>();
        QVERIFY(box);
        box->defaultButton()->click(); // keeps it
        f.world.runFor(2s);
        QVERIFY(f.stored("nightly"));
        f.action(u"schedule.remove"_qs)->trigger();
        for (QMessageBox *const one : f.window.findChildren<QMessageBox *>())
            box = one->isVisible() ? one : box;
        f.button(box, u"Remove"_qs)->click();
        f.world.runFor(2s);
        QVERIFY(!f.stored("nightly"));
        QCOMPARE(f.models.schedules.rowCount(), 0);
    }

    void changesNothingWhileEditingIsOff()
    {
        Fixture f(false);
        f.add("nightly", u"0 3 * * *"_qs);
        f.choose(u"nightly"_qs);
        for (const char *const name : {"add", "edit", "run", "pause", "resume", "remove"})
            QVERIFY2(!f.action(u"schedule."_qs + QLatin1String(name))->isEnabled(), name);
        Q_EMIT f.page->pauseWanted("nightly"); // as a dialog that was opened before
        f.world.runFor(2s);
        QVERIFY(!f.stored("nightly")->entry->paused);
    }
};

QTEST_MAIN(SchedulesPageTest)
#include "schedules_page_test.moc"
