#include "jobs/schedules/schedule_entry.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QTest>

using namespace drover::jobs;
using namespace std::chrono_literals;
using std::chrono::milliseconds;
using CatchUp = ScheduleEntry::CatchUp;
using Overlap = ScheduleEntry::Overlap;

namespace {

milliseconds at(const char *utc)
{
    return milliseconds(QDateTime::fromString(QString::fromUtf8(utc), Qt::ISODate).toMSecsSinceEpoch());
}

QString written(milliseconds instant)
{
    return QDateTime::fromMSecsSinceEpoch(instant.count(), Qt::UTC).toString(Qt::ISODate);
}

// Of a job that ran last at `lastTick`.
ScheduleEntry entry(const char *expression, const char *lastTick, CatchUp catchUp = CatchUp::One)
{
    ScheduleEntry entry{.when = CronSchedule::parse(QString::fromUtf8(expression), QStringLiteral("Europe/Berlin")),
                        .job = {},
                        .catchUp = catchUp};
    entry.job.command.append(QStringLiteral("true"));
    entry.lastTick = at(lastTick);
    return entry;
}

} // namespace

class ScheduleEntryTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void storedAndRead()
    {
        ScheduleEntry stored = entry("*/5 * * * MON-FRI", "2026-11-20T06:25:00Z", CatchUp::None);
        stored.overlap = Overlap::Replace;
        stored.paused = true;
        stored.job.queue = "gpu";
        stored.job.priority = 0;
        stored.job.environment = {{QStringLiteral("A"), QStringLiteral("\"b\"\n")}};
        stored.job.submitter = QStringLiteral("ada@host");
        stored.lastRun = 456ms;
        stored.lastJob = JobId{"gpu", 0};
        const ScheduleEntry read = ScheduleEntry::decode(stored.encode());
        QCOMPARE(read.when.expression().text(), QStringLiteral("*/5 * * * MON-FRI"));
        QCOMPARE(read.when.zone(), QStringLiteral("Europe/Berlin"));
        QCOMPARE(read.catchUp, CatchUp::None);
        QCOMPARE(read.overlap, Overlap::Replace);
        QVERIFY(read.paused);
        QCOMPARE(read.job.queue, QByteArray("gpu"));
        QCOMPARE(read.job.priority, 0);
        QCOMPARE(read.job.encode(), stored.job.encode());
        QCOMPARE(read.lastTick, stored.lastTick);
        QCOMPARE(read.lastRun, 456ms);
        QCOMPARE(*read.lastJob, (JobId{"gpu", 0}));
        QCOMPARE(read.encode(), stored.encode());
        QVERIFY(!ScheduleEntry::decode(entry("@daily", "2026-11-20T06:25:00Z").encode()).lastJob);
    }

    // A program that carries out a tick or pauses the schedule writes all of its fields anew.
    void unknownFieldsAreKept()
    {
        const QByteArray known = entry("@daily", "2026-11-20T06:25:00Z").encode();
        QJsonObject stored = QJsonDocument::fromJson(known).object();
        QJsonObject job = stored.value(QLatin1String("spec")).toObject();
        job.insert(QLatin1String("gpus"), QJsonArray{1, 2});
        stored.insert(QLatin1String("spec"), job);
        stored.insert(QLatin1String("jitter_ms"), 500);
        stored.insert(QLatin1String("paused"), false);
        ScheduleEntry read = ScheduleEntry::decode(QJsonDocument(stored).toJson());
        QCOMPARE(QJsonDocument::fromJson(read.encode()).object(), stored);
        const QByteArray made = read.encodeJob(read.jobAt("nightly", at("2026-11-21T00:00:00Z")));
        QCOMPARE(QJsonDocument::fromJson(JobRecord::parse(made).text).object().value(QLatin1String("gpus")).toArray(),
                 (QJsonArray{1, 2}));
        read.paused = true;
        stored.insert(QLatin1String("paused"), true);
        QCOMPARE(QJsonDocument::fromJson(read.encode()).object(), stored);
    }

    void malformed_data()
    {
        QTest::addColumn<QByteArray>("change");
        QTest::addColumn<QByteArray>("to");
        QTest::newRow("the version") << QByteArray("\"v\":1,\"zone\"") << QByteArray("\"v\":2,\"zone\"");
        QTest::newRow("the expression") << QByteArray("@daily") << QByteArray("@dayly");
        QTest::newRow("no expression") << QByteArray("\"cron\"") << QByteArray("\"corn\"");
        QTest::newRow("the zone") << QByteArray("Europe/Berlin") << QByteArray("Europe/Bielefeld");
        QTest::newRow("a policy") << QByteArray("\"one\"") << QByteArray("\"two\"");
        QTest::newRow("policies that fight")
            << QByteArray("\"overlap\":\"allow\"") << QByteArray("\"overlap\":\"skip\",\"catch_up\":\"all\"");
        QTest::newRow("the queue") << QByteArray("\"queue\":\"default\"") << QByteArray("\"queue\":\"../x\"");
        QTest::newRow("the priority") << QByteArray("\"priority\":5") << QByteArray("\"priority\":10");
        QTest::newRow("the job") << QByteArray("\"cmd\"") << QByteArray("\"cmnd\"");
        QTest::newRow("a text for the job") << QByteArray("\"spec\":{") << QByteArray("\"spec\":\"\",\"x\":{");
        QTest::newRow("a time before 1970") << QByteArray("\"last_ms\":") << QByteArray("\"last_ms\":-");
        QTest::newRow("a time after all") << QByteArray("\"last_ms\":") << QByteArray("\"last_ms\":999");
    }
    void malformed()
    {
        QFETCH(QByteArray, change);
        QFETCH(QByteArray, to);
        QByteArray bytes = entry("@daily", "2026-11-20T06:25:00Z").encode();
        QVERIFY2(bytes.contains(change), bytes);
        bytes.replace(change, to);
        QVERIFY_THROWS_EXCEPTION(Malformed, ScheduleEntry::decode(bytes));
    }

    void theJobOfATick()
    {
        const ScheduleEntry daily = entry("@daily", "2026-11-20T06:25:00Z");
        const JobSpec job = daily.jobAt("nightly", at("2026-11-20T23:00:00Z"));
        QCOMPARE(job.key, QStringLiteral("cron nightly 2026-11-20T23:00:00.000Z"));
        QCOMPARE(job.submittedAt, at("2026-11-20T23:00:00Z"));
        QCOMPARE(job.command, daily.job.command);
    }

    void due_data()
    {
        QTest::addColumn<QByteArray>("expression");
        QTest::addColumn<QByteArray>("lastTick");
        QTest::addColumn<QByteArray>("now");
        QTest::addColumn<CatchUp>("catchUp");
        QTest::addColumn<QString>("run"); // separated by blanks
        QTest::addColumn<QString>("newLastTick");
        QTest::addColumn<bool>("missed");
        const auto row = [](const char *name, const char *expression, const char *lastTick, const char *now,
                            CatchUp catchUp, const char *run, const char *newLastTick, bool missed = false) {
            QTest::newRow(name) << QByteArray(expression) << QByteArray(lastTick) << QByteArray(now) << catchUp
                                << QString::fromUtf8(run) << QString::fromUtf8(newLastTick) << missed;
        };
        const char *const Noon = "2026-11-20T12:00:00Z";
        row("nothing yet", "0 * * * *", Noon, "2026-11-20T12:59:59Z", CatchUp::One, "", Noon);
        row("on time", "0 * * * *", Noon, "2026-11-20T13:00:00Z", CatchUp::One, "2026-11-20T13:00:00Z",
            "2026-11-20T13:00:00Z");
        row("on time for none", "0 * * * *", Noon, "2026-11-20T13:00:00Z", CatchUp::None, "2026-11-20T13:00:00Z",
            "2026-11-20T13:00:00Z");
        row("punctual", "0 * * * *", Noon, "2026-11-20T13:01:00Z", CatchUp::None, "2026-11-20T13:00:00Z",
            "2026-11-20T13:00:00Z");
        row("a moment too late", "0 * * * *", Noon, "2026-11-20T13:01:01Z", CatchUp::None, "", "2026-11-20T13:00:00Z",
            true);
        // For a day there was no master.
        row("a day, none", "0 * * * *", Noon, "2026-11-21T12:30:00Z", CatchUp::None, "", "2026-11-21T12:00:00Z", true);
        row("a day, none, punctual", "0 * * * *", Noon, "2026-11-21T12:00:10Z", CatchUp::None, "2026-11-21T12:00:00Z",
            "2026-11-21T12:00:00Z", true);
        row("a day, one", "0 * * * *", Noon, "2026-11-21T12:30:00Z", CatchUp::One, "2026-11-21T12:00:00Z",
            "2026-11-21T12:00:00Z", true);
        row("a day of one tick, one", "0 7 * * *", Noon, "2026-11-21T12:30:00Z", CatchUp::One, "2026-11-21T06:00:00Z",
            "2026-11-21T06:00:00Z");
        row("a day, all", "0 */6 * * *", Noon, "2026-11-21T12:30:00Z", CatchUp::All,
            "2026-11-20T17:00:00Z 2026-11-20T23:00:00Z 2026-11-21T05:00:00Z 2026-11-21T11:00:00Z",
            "2026-11-21T11:00:00Z");
        row("intervals, all", "@every 8h", Noon, "2026-11-21T12:30:00Z", CatchUp::All,
            "2026-11-20T20:00:00Z 2026-11-21T04:00:00Z 2026-11-21T12:00:00Z", "2026-11-21T12:00:00Z");
        row("intervals, one", "@every 8h", Noon, "2026-11-21T12:30:00Z", CatchUp::One, "2026-11-21T12:00:00Z",
            "2026-11-21T12:00:00Z", true);
        // The clock is set back.
        row("an hour back", "0 * * * *", Noon, "2026-11-20T11:00:00Z", CatchUp::All, "", Noon);
        row("three hours back", "0 * * * *", Noon, "2026-11-20T09:00:00Z", CatchUp::All, "", Noon);
        row("it was wrong", "0 * * * *", Noon, "2026-11-20T08:59:59Z", CatchUp::All, "", "2026-11-20T08:59:59Z");
        row("ten years of wrong", "0 * * * *", "2036-11-20T12:00:00Z", Noon, CatchUp::One, "", Noon);
        // The clocks of Berlin change: 2026-03-29 02:00 -> 03:00, 2026-10-25 03:00 -> 02:00.
        row("skipped", "30 2 * * *", "2026-03-28T01:30:00Z", "2026-03-29T01:00:00Z", CatchUp::None,
            "2026-03-29T01:00:00Z", "2026-03-29T01:00:00Z");
        row("twice, at first", "30 2 * * *", "2026-10-24T00:30:00Z", "2026-10-25T00:30:00Z", CatchUp::All,
            "2026-10-25T00:30:00Z", "2026-10-25T00:30:00Z");
        row("twice, again", "30 2 * * *", "2026-10-25T00:30:00Z", "2026-10-25T01:30:00Z", CatchUp::All, "",
            "2026-10-25T00:30:00Z");
        row("every hour, back", "30 * * * *", "2026-10-24T23:30:00Z", "2026-10-25T02:00:00Z", CatchUp::All,
            "2026-10-25T00:30:00Z 2026-10-25T01:30:00Z", "2026-10-25T01:30:00Z");
    }
    void due()
    {
        QFETCH(QByteArray, expression);
        QFETCH(QByteArray, lastTick);
        QFETCH(QByteArray, now);
        QFETCH(CatchUp, catchUp);
        QFETCH(QString, run);
        QFETCH(QString, newLastTick);
        const DueTicks due = dueTicks(entry(expression, lastTick, catchUp), at(now));
        QStringList ticks;
        for (const milliseconds tick : due.run)
            ticks.append(written(tick));
        QCOMPARE(ticks.join(u' '), run);
        QCOMPARE(written(due.lastTick), newLastTick);
        QTEST(due.missed, "missed");
    }

    void aBoundOnWhatIsCaughtUp()
    {
        const DueTicks all =
            dueTicks(entry("* * * * *", "2026-11-20T10:20:00Z", CatchUp::All), at("2026-11-20T12:00:00Z"));
        QCOMPARE(all.run.size(), ScheduleEntry::MostCaughtUp);
        QVERIFY(!all.missed);
        const DueTicks tooMany =
            dueTicks(entry("* * * * *", "2020-01-01T00:00:00Z", CatchUp::All), at("2026-11-20T12:00:00Z"));
        QCOMPARE(tooMany.run.size(), ScheduleEntry::MostCaughtUp);
        QVERIFY(tooMany.missed);
        QCOMPARE(written(tooMany.run.front()), QStringLiteral("2026-11-20T10:21:00Z"));
        QCOMPARE(written(tooMany.run.back()), QStringLiteral("2026-11-20T12:00:00Z"));
    }

    void aPausedScheduleHasNoDueTicks()
    {
        ScheduleEntry paused = entry("* * * * *", "2026-11-20T10:20:00Z", CatchUp::All);
        paused.paused = true;
        for (const char *const now : {"2026-11-20T12:00:00Z", "2026-11-20T00:00:00Z"}) {
            const DueTicks due = dueTicks(paused, at(now));
            QVERIFY(due.run.empty());
            QCOMPARE(due.lastTick, paused.lastTick);
        }
        QCOMPARE(paused.nextTick(), CronSchedule::Never);
        paused.paused = false;
        QCOMPARE(written(paused.nextTick()), QStringLiteral("2026-11-20T10:21:00Z"));
    }
};

QTEST_GUILESS_MAIN(ScheduleEntryTest)
#include "schedule_entry_test.moc"
