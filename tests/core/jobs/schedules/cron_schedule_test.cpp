#include "core/jobs/schedules/cron_oracle.h"
#include "jobs/schedules/cron_schedule.h"
#include "support/seeded_random.h"

#include <QElapsedTimer>
#include <QTest>

using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

namespace {

milliseconds at(const QString &utc)
{
    return milliseconds(QDateTime::fromString(utc, Qt::ISODate).toMSecsSinceEpoch());
}

QString written(milliseconds instant)
{
    return QDateTime::fromMSecsSinceEpoch(instant.count(), Qt::UTC).toString(Qt::ISODate);
}

CronSchedule schedule(const char *expression, const char *zone = "")
{
    return CronSchedule::parse(QString::fromUtf8(expression), QString::fromUtf8(zone));
}

// Of fields that the zones' changes can hurt: hours of the night, days of any kind.
QByteArray someExpression(SeededRandom &random)
{
    constexpr const char *Minutes[] = {"*", "0", "30", "15,45", "*/20", "0-29/7", "59"};
    constexpr const char *Hours[] = {"*", "*/2", "0", "1", "2", "3", "1-3", "23", "0-23", "2,14", "22-23"};
    constexpr const char *Days[] = {"*", "*", "*", "1", "28-31", "*/2", "25,8", "15"};
    constexpr const char *Months[] = {"*", "*", "*", "3,4,10,11", "*/2"};
    constexpr const char *Weekdays[] = {"*", "*", "*", "0", "7", "1-5", "*/3"};
    const auto some = [&](const auto &list) {
        return QByteArray(list[random.below(static_cast<int>(std::size(list)))]);
    };
    return QByteArrayList{some(Minutes), some(Hours), some(Days), some(Months), some(Weekdays)}.join(' ');
}

} // namespace

class CronScheduleTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void ticks_data()
    {
        QTest::addColumn<QByteArray>("expression");
        QTest::addColumn<QByteArray>("zone");
        QTest::addColumn<QString>("after");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *name, const char *expression, const char *zone, const char *after,
                            const char *expected) {
            QTest::newRow(name) << QByteArray(expression) << QByteArray(zone) << QString::fromUtf8(after)
                                << QString::fromUtf8(expected);
        };
        row("strictly after", "0 * * * *", "", "2026-11-21T06:00:00Z", "2026-11-21T07:00:00Z");
        row("UTC unless told", "0 2 * * *", "", "2026-07-01T00:00:00Z", "2026-07-01T02:00:00Z");
        row("in its zone", "0 2 * * *", "Asia/Kolkata", "2026-07-01T00:00:00Z", "2026-07-01T20:30:00Z");
        row("Debian's own zone", "0 2 * * *", "Etc/UTC", "2026-07-01T00:00:00Z", "2026-07-01T02:00:00Z");
        row("an offset's zone", "0 2 * * *", "Etc/GMT+2", "2026-07-01T00:00:00Z", "2026-07-01T04:00:00Z");
        row("a zone's older name", "0 2 * * *", "US/Eastern", "2026-07-01T00:00:00Z", "2026-07-01T06:00:00Z");
        row("an interval", "@every 90s", "", "2026-07-01T00:00:07Z", "2026-07-01T00:01:37Z 2026-07-01T00:03:07Z");
        // Berlin: 2026-03-29 02:00 -> 03:00, 2026-10-25 03:00 -> 02:00.
        row("a time that is skipped", "30 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
            "2026-03-29T01:00:00Z 2026-03-30T00:30:00Z");
        row("several that are skipped are one", "*/10 2 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
            "2026-03-29T01:00:00Z 2026-03-30T00:00:00Z 2026-03-30T00:10:00Z");
        row("one at the end of the gap, too", "0 2,3 * * *", "Europe/Berlin", "2026-03-28T12:00:00Z",
            "2026-03-29T01:00:00Z 2026-03-30T00:00:00Z");
        row("a time that comes twice", "30 2 * * *", "Europe/Berlin", "2026-10-24T12:00:00Z",
            "2026-10-25T00:30:00Z 2026-10-26T01:30:00Z");
        row("asked for between the two", "30 2 * * *", "Europe/Berlin", "2026-10-25T00:45:00Z", "2026-10-26T01:30:00Z");
        row("every hour, forward", "0 * * * *", "Europe/Berlin", "2026-03-29T00:00:00Z",
            "2026-03-29T01:00:00Z 2026-03-29T02:00:00Z");
        row("every hour, back", "0 * * * *", "Europe/Berlin", "2026-10-24T23:30:00Z",
            "2026-10-25T00:00:00Z 2026-10-25T01:00:00Z 2026-10-25T02:00:00Z");
        row("every two hours, forward", "15 */2 * * *", "Europe/Berlin", "2026-03-28T23:30:00Z",
            "2026-03-29T02:15:00Z");
        // New York: 2026-03-08 02:00 -> 03:00, 2026-11-01 02:00 -> 01:00.
        row("New York, skipped", "30 2 * * SUN", "America/New_York", "2026-03-07T12:00:00Z",
            "2026-03-08T07:00:00Z 2026-03-15T06:30:00Z");
        row("New York, twice", "30 1 1 11 *", "America/New_York", "2026-10-31T12:00:00Z",
            "2026-11-01T05:30:00Z 2027-11-01T05:30:00Z");
        // Lord Howe: 2026-04-05 02:00 -> 01:30, 2026-10-04 02:00 -> 02:30.
        row("Lord Howe, skipped", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T12:00:00Z",
            "2026-10-03T15:30:00Z 2026-10-04T15:15:00Z");
        row("Lord Howe, twice", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T12:00:00Z",
            "2026-04-04T14:45:00Z 2026-04-05T15:15:00Z");
        row("Lord Howe, every hour", "45 * * * *", "Australia/Lord_Howe", "2026-04-04T14:30:00Z",
            "2026-04-04T14:45:00Z 2026-04-04T15:15:00Z 2026-04-04T16:15:00Z");
        row("a midnight that is skipped", "@daily", "America/Havana", "2026-03-07T12:00:00Z",
            "2026-03-08T05:00:00Z 2026-03-09T04:00:00Z");
        row("a day that was skipped", "0 10 30 12 *", "Pacific/Apia", "2011-12-01T00:00:00Z",
            "2011-12-30T10:00:00Z 2012-12-29T20:00:00Z");
        row("leap days", "0 0 29 2 *", "Europe/Berlin", "2026-01-01T00:00:00Z",
            "2028-02-28T23:00:00Z 2032-02-28T23:00:00Z");
        row("the rarest of all", "0 0 29 2 */7", "Europe/Berlin", "2072-03-01T00:00:00Z",
            "2088-02-28T23:00:00Z 2128-02-28T23:00:00Z");
    }
    void ticks()
    {
        QFETCH(QByteArray, expression);
        QFETCH(QByteArray, zone);
        QFETCH(QString, after);
        QFETCH(QString, expected);
        const CronSchedule cron = schedule(expression, zone);
        milliseconds last = at(after);
        QStringList found;
        for (qsizetype i = 0; i <= expected.count(u' '); ++i) {
            last = cron.next(last);
            found.append(written(last));
        }
        QCOMPARE(found.join(u' '), expected);
    }

    void aTickIsAfterEachMillisecondBeforeIt()
    {
        const CronSchedule cron = schedule("* * * * *");
        const milliseconds tick = at(QStringLiteral("2026-11-21T06:25:00Z"));
        QCOMPARE(cron.next(tick - 1ms), tick);
        QCOMPARE(cron.next(tick), tick + 1min);
        QCOMPARE(cron.next(tick + 1ms), tick + 1min);
        QCOMPARE(cron.next(CronSchedule::Latest + 1ms), CronSchedule::Never);
        QVERIFY(cron.next(CronSchedule::Latest) < CronSchedule::Never);
    }

    void vixieCronSaysTheSame_data()
    {
        QTest::addColumn<QString>("begin");
        QTest::addColumn<int>("days");
        QTest::newRow("Europe/Berlin") << QStringLiteral("2026-03-20T00:00:00Z") << 230;
        QTest::newRow("America/New_York") << QStringLiteral("2026-03-01T00:00:00Z") << 260;
        QTest::newRow("Australia/Lord_Howe") << QStringLiteral("2026-03-28T00:00:00Z") << 200;
        QTest::newRow("America/Havana") << QStringLiteral("2026-03-01T00:00:00Z") << 260;
        QTest::newRow("Africa/Casablanca") << QStringLiteral("2026-02-08T00:00:00Z") << 60;
        QTest::newRow("Pacific/Apia") << QStringLiteral("2011-12-20T00:00:00Z") << 20;
        QTest::newRow("Asia/Kathmandu") << QStringLiteral("1985-12-20T00:00:00Z") << 20;
        QTest::newRow("UTC") << QStringLiteral("2028-02-20T00:00:00Z") << 20;
    }
    void vixieCronSaysTheSame()
    {
        QFETCH(QString, begin);
        QFETCH(int, days);
        const QByteArray zone = QTest::currentDataTag();
        const milliseconds first = at(begin);
        const milliseconds end = first + days * 24h;
        SeededRandom random(qHash(zone));
        for (int round = 0; round < 12; ++round) {
            const QByteArray expression = someExpression(random);
            const std::vector<qint64> expected = cronOracle(expression, zone, first / 1s, end / 1s);
            std::vector<qint64> found;
            const CronSchedule cron = schedule(expression, zone);
            for (milliseconds tick = cron.next(first - 1ms); tick < end; tick = cron.next(tick))
                found.push_back(tick / 1s);
            const auto [a, b] = std::mismatch(expected.begin(), expected.end(), found.begin(), found.end());
            const QString differ =
                QStringLiteral("%1: expected %2, found %3")
                    .arg(QString::fromUtf8(expression), a == expected.end() ? QStringLiteral("none") : written(*a * 1s),
                         b == found.end() ? QStringLiteral("none") : written(*b * 1s));
            QVERIFY2(expected == found, qPrintable(differ));
            // From any instant, not only from tick to tick.
            for (int i = 0; i < 200 && !expected.empty(); ++i) {
                const qint64 after = first / 1s + random.below(days * 86400);
                const auto next = std::upper_bound(expected.begin(), expected.end(), after);
                if (next != expected.end())
                    QCOMPARE(written(cron.next(after * 1s)), written(*next * 1s));
            }
        }
    }

    void aWeekOfMinutes()
    {
        for (const char *const zone : {"UTC", "Europe/Berlin"}) {
            const CronSchedule cron = schedule("* * * * *", zone);
            const milliseconds begin = at(QStringLiteral("2026-10-22T00:00:00Z")); // the clocks change on the 25th
            QElapsedTimer timer;
            timer.start();
            int count = 0;
            for (milliseconds tick = begin; tick < begin + 7 * 24h; tick = cron.next(tick))
                ++count;
            qInfo("%d ticks in %s: %lld us", count, zone, timer.nsecsElapsed() / 1000);
            QCOMPARE(count, 7 * 24 * 60);
        }
    }

    void theLatestOfMany()
    {
        const milliseconds now = at(QStringLiteral("2026-11-21T06:25:30Z"));
        for (const char *const expression : {"* * * * *", "0 3 * * *", "*/5 * * 1 *", "0 0 29 2 *", "@every 7s"}) {
            const CronSchedule cron = schedule(expression, "Europe/Berlin");
            for (const milliseconds ago :
                 {milliseconds(0), milliseconds(10min), milliseconds(30h), milliseconds(20 * 24h)}) {
                std::vector<milliseconds> all;
                for (milliseconds tick = cron.next(now - ago); tick <= now; tick = cron.next(tick))
                    all.push_back(tick);
                for (const std::size_t atMost : {std::size_t(1), std::size_t(3), std::size_t(101)}) {
                    const auto count = static_cast<std::ptrdiff_t>(std::min(atMost, all.size()));
                    QCOMPARE(cron.latest(now - ago, now, atMost), std::vector(all.end() - count, all.end()));
                }
            }
            QCOMPARE(cron.latest(now, now - 1h, 5).size(), 0u); // a clock that was set back
        }
        // Since 1970, all the same.
        QCOMPARE(schedule("@every 1s").latest(0ms, now, 2), (std::vector<milliseconds>{now - 1s, now}));
        QCOMPARE(schedule("* * * * *").latest(0ms, now, 1).front(), now - 30s);
        QCOMPARE(written(schedule("0 0 29 2 *").latest(0ms, now, 2).front()), QStringLiteral("2020-02-29T00:00:00Z"));
    }

    void unknownZonesAreRefused_data()
    {
        QTest::addColumn<QString>("message");
        QTest::newRow("Mars/Olympus") << QStringLiteral(
            "there is no time zone \"Mars/Olympus\"; give one of the IANA's");
        QTest::newRow("europe/berlin") << QStringLiteral("did you mean Europe/Berlin?");
        QTest::newRow("berlin") << QStringLiteral("did you mean Europe/Berlin?");
        QTest::newRow("../../../etc/passwd") << QStringLiteral("there is no time zone");
        QTest::newRow("right/Europe/Berlin") << QStringLiteral("there is no time zone");
        QTest::newRow("UTC+2") << QStringLiteral("there is no time zone");
        QTest::newRow("Europe") << QStringLiteral("there is no time zone");
        QTest::newRow("CET-1CEST,M3.5.0,M10.5.0/3") << QStringLiteral("there is no time zone");
    }
    void unknownZonesAreRefused()
    {
        QFETCH(QString, message);
        try {
            schedule("* * * * *", QTest::currentDataTag());
            QFAIL("it was accepted");
        } catch (const InvalidSchedule &error) {
            QVERIFY2(QString::fromUtf8(error.what()).contains(message), error.what());
        }
    }
};

QTEST_GUILESS_MAIN(CronScheduleTest)
#include "cron_schedule_test.moc"
