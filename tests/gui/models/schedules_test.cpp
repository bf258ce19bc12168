#include "gui/models/schedules/schedule_form.h"
#include "gui/models/schedules/schedule_model.h"

#include <QAbstractItemModelTester>
#include <QDateTime>
#include <QTest>

using namespace drover;
using namespace drover::gui;
using std::chrono::milliseconds;
using namespace std::chrono_literals;
using Condition = ScheduleModel::Condition;
using Field = ScheduleForm::Field;

namespace {

// Knows a size, which must be a number, and a colour, which does not go with a size.
struct TwoOptions final : jobs::JobOptions {
    QList<jobs::JobOption> all() const override { return {{u"size"_qs, {}, {}}, {u"colour"_qs, {}, {}}}; }
    QString apply(jobs::JobSpec &spec, const QString &name, const QStringList &values) const override
    {
        spec.tags << name;
        return name == u"colour" || values.front() == u"5" ? QString() : u"no size"_qs;
    }
    QStringList valuesOf(const jobs::JobSpec &, const QString &) const override { return {}; }
    QString complete(jobs::JobSpec &spec) const override
    {
        return spec.tags.size() > 1 ? u"not together"_qs : QString();
    }
    QString read(const QByteArray &, const QString &, jobs::JobSpec &) const override { return {}; }
    QByteArray write(const jobs::JobSpec &) const override { return {}; }
};

milliseconds now()
{
    return milliseconds(QDateTime::currentMSecsSinceEpoch());
}

ScheduleRow row(const char *name, const QString &when, milliseconds lastTick, bool paused = false, int version = 0)
{
    jobs::ScheduleEntry entry{.when = jobs::CronSchedule::parse(when), .job = {}};
    entry.job.command = {u"backup"_qs, u"--to=/srv/a b"_qs};
    entry.paused = paused;
    entry.lastTick = lastTick;
    ScheduleRow row;
    row.stored.name = name;
    row.stored.entry = entry;
    row.stored.version = version;
    row.data = QByteArray::number(version);
    return row;
}

QString cell(const ScheduleModel &model, int row, ScheduleModel::Column column)
{
    return model.index(row, column).data().toString();
}

ScheduleForm form()
{
    ScheduleForm form;
    form.name = u"nightly"_qs;
    form.when = u"0 3 * * *"_qs;
    form.job.command = u"backup --to=/srv"_qs;
    return form;
}

} // namespace

// The recurring jobs as the console shows them, and the form that adds one.
class SchedulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // Runs that submitted no job, since the last that did.
    void countsMissedRuns()
    {
        const milliseconds noon(1'800'014'400'000); // a full hour
        ScheduleRow hourly = row("hourly", u"0 * * * *"_qs, noon + 3h);
        hourly.stored.entry->job.submittedAt = noon - 30min;
        ScheduleModel model;
        model.show({hourly});
        QCOMPARE(model.missed(0).size(), 4); // it has never run
        hourly.stored.entry->lastRun = noon + 1h;
        hourly.stored.version = 2;
        model.show({hourly});
        QCOMPARE(model.missed(0), (std::vector<qint64>{(noon + 2h).count(), (noon + 3h).count()}));
        QCOMPARE(cell(model, 0, ScheduleModel::Missed), u"2"_qs);
        hourly.stored.entry->lastRun = noon + 3h;
        hourly.stored.version = 3;
        model.show({hourly});
        QCOMPARE(cell(model, 0, ScheduleModel::Missed), QString());
        ScheduleRow often = row("often", u"* * * * *"_qs, noon + 24h);
        often.stored.entry->lastRun = noon;
        model.show({often});
        QCOMPARE(cell(model, 0, ScheduleModel::Missed), u"100+"_qs);
    }

    // The runs of a pause are not missed, nor those that new times would have had before.
    void aPauseMissesNothing()
    {
        const milliseconds noon(1'800'014'400'000); // a full hour
        ScheduleRow hourly = row("hourly", u"0 * * * *"_qs, noon + 1h);
        hourly.stored.entry->lastRun = noon;
        ScheduleModel model;
        const auto showNext = [&] {
            ++hourly.stored.version;
            model.show({hourly});
        };
        showNext();
        QCOMPARE(model.missed(0).size(), std::size_t(1));
        hourly.stored.entry->paused = true;
        showNext();
        QCOMPARE(cell(model, 0, ScheduleModel::Missed), QString());
        hourly.stored.entry->paused = false;
        hourly.stored.entry->lastTick = noon + 50h + 10min; // when it was resumed
        hourly.stored.entry->since = noon + 50h + 10min;
        showNext();
        QVERIFY(model.missed(0).empty());
        QCOMPARE(cell(model, 0, ScheduleModel::Missed), QString());
        hourly.stored.entry->lastTick = noon + 52h; // two runs that submitted nothing
        showNext();
        QCOMPARE(model.missed(0), (std::vector<qint64>{(noon + 51h).count(), (noon + 52h).count()}));
        QCOMPARE(cell(model, 0, ScheduleModel::Missed), u"2"_qs);
        jobs::ScheduleEntry often = *row("hourly", u"* * * * *"_qs, noon + 60h + 10s).stored.entry;
        hourly.stored.entry = often.inPlaceOf(*hourly.stored.entry);
        showNext();
        QCOMPARE(cell(model, 0, ScheduleModel::Missed), QString());
        hourly.stored.entry->lastRun = noon + 60h + 1min;
        hourly.stored.entry->lastTick = noon + 60h + 3min;
        showNext();
        QCOMPARE(cell(model, 0, ScheduleModel::Missed), u"2"_qs);
    }

    void showsWhenEachRuns()
    {
        ScheduleModel model;
        const QAbstractItemModelTester tester(&model);
        ScheduleRow malformed;
        malformed.stored.name = "broken";
        malformed.stored.malformed = u"\"cron\" is missing"_qs;
        model.show({malformed, row("idle", u"* * * * *"_qs, now(), true), row("late", u"* * * * *"_qs, now() - 5min),
                    row("yearly", u"0 0 1 1 *"_qs, now())});
        QCOMPARE(model.condition(0), Condition::Malformed);
        QCOMPARE(model.condition(1), Condition::Paused);
        QCOMPARE(model.condition(2), Condition::Late);
        QCOMPARE(model.condition(3), Condition::Active);
        QVERIFY(cell(model, 2, ScheduleModel::State).startsWith(u"Due since "_qs));
        QCOMPARE(cell(model, 1, ScheduleModel::Next), QString());
        QCOMPARE(model.next(0), 0);
        QVERIFY(model.next(2) > now().count() && model.next(2) <= (now() + 61s).count());
        QCOMPARE(QDateTime::fromMSecsSinceEpoch(model.next(3), Qt::UTC).time(), QTime(0, 0));
        QCOMPARE(cell(model, 3, ScheduleModel::Command), u"backup '--to=/srv/a b'"_qs);
        QCOMPARE(cell(model, 0, ScheduleModel::Command), u"\"cron\" is missing"_qs);
        QCOMPARE(model.runsUntil(2, (now() + 10min).count(), 400).size(), std::size_t(10));
        QVERIFY(model.runsUntil(3, now().count(), 400).empty());
        QVERIFY(model.runsUntil(1, (now() + 10min).count(), 400).empty());
        model.show({row("idle", u"* * * * *"_qs, now(), false, 1)}); // resumed
        QCOMPARE(model.rowCount(), 1);
        QCOMPARE(model.condition(0), Condition::Active);
    }

    void aFormMakesTheEntry()
    {
        ScheduleForm asked = form();
        asked.zone = u"Europe/Berlin"_qs;
        asked.overlap = jobs::ScheduleEntry::Overlap::Skip;
        const ScheduleForm::Checked checked = asked.check(now());
        QVERIFY(checked.entry.has_value());
        QCOMPARE(checked.entry->when.zone(), u"Europe/Berlin"_qs);
        QCOMPARE(checked.entry->job.command, (QStringList{u"backup"_qs, u"--to=/srv"_qs}));
        QVERIFY(checked.entry->overlap == jobs::ScheduleEntry::Overlap::Skip);
        QCOMPARE(checked.next.size(), 4);
        for (const QString &run : checked.next)
            QVERIFY2(run.contains(u" 03:00:00 "_qs), qPrintable(run));
    }

    void aFormNamesTheFault_data()
    {
        QTest::addColumn<int>("field");
        QTest::addColumn<QString>("part");
        QTest::newRow("name") << int(Field::Name) << u"64"_qs;
        QTest::newRow("when") << int(Field::When) << u"hour"_qs;
        QTest::newRow("zone") << int(Field::Zone) << u"Mars"_qs;
        QTest::newRow("overlap") << int(Field::Overlap) << u"all"_qs;
        QTest::newRow("job") << int(Field::Job) << u"what to run"_qs;
    }
    void aFormNamesTheFault()
    {
        QFETCH(int, field);
        QFETCH(QString, part);
        ScheduleForm asked = form();
        if (Field(field) == Field::Name)
            asked.name = u"a b"_qs;
        if (Field(field) == Field::When)
            asked.when = u"0 25 * * *"_qs;
        if (Field(field) == Field::Zone)
            asked.zone = u"Mars/North"_qs;
        if (Field(field) == Field::Job)
            asked.job.command.clear();
        if (Field(field) == Field::Overlap) {
            asked.catchUp = jobs::ScheduleEntry::CatchUp::All;
            asked.overlap = jobs::ScheduleEntry::Overlap::Skip;
        }
        const ScheduleForm::Checked checked = asked.check(now());
        QVERIFY(!checked.entry);
        QCOMPARE(checked.errors.size(), std::size_t(1));
        QVERIFY(checked.errors.contains(Field(field)));
        QVERIFY2(checked.errors.begin()->second.contains(part), qPrintable(checked.errors.begin()->second));
    }

    // Each alone, while all other fields are right.
    void anOptionOfTheJobMayBeWrong()
    {
        const TwoOptions known;
        ScheduleForm asked = form();
        asked.job.known = &known;
        asked.job.options = {{u"size"_qs, u"big"_qs}};
        const ScheduleForm::Checked wrong = asked.check(now());
        QVERIFY(!wrong.entry && wrong.errors.empty());
        QCOMPARE(wrong.optionErrors.at(u"size"_qs), u"no size"_qs);
        asked.job.options = {{u"size"_qs, u"5"_qs}, {u"colour"_qs, u"red"_qs}};
        const ScheduleForm::Checked together = asked.check(now());
        QVERIFY(!together.entry && together.errors.empty() && together.optionErrors.empty());
        QCOMPARE(together.objection, u"not together"_qs);
        asked.job.options = {{u"size"_qs, u"5"_qs}};
        QCOMPARE(asked.check(now()).entry.value().job.tags, QStringList{u"size"_qs});
    }

    // What has no field stays as it was.
    void aFormOfAScheduleGivesItBack()
    {
        ScheduleRow stored = row("nightly", u"@every 10m"_qs, now());
        stored.stored.entry->job.tags = {u"db"_qs};
        stored.stored.entry->job.environment[u"A"_qs] = u"1"_qs;
        const ScheduleForm::Checked checked = ScheduleForm::of(stored.stored).check(now());
        QVERIFY(checked.entry.has_value());
        QCOMPARE(checked.entry->job.encode(), stored.stored.entry->job.encode());
        QVERIFY(checked.entry->hasTimesOf(*stored.stored.entry));
    }
};

QTEST_GUILESS_MAIN(SchedulesTest)
#include "schedules_test.moc"
