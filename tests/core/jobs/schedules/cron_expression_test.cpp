#include "jobs/schedules/cron_expression.h"

#include <QTest>

using namespace drover::jobs;
using namespace std::chrono;
using namespace std::chrono_literals;

namespace {

CronExpression::LocalMinute at(const QString &text)
{
    const QDateTime time = QDateTime::fromString(text, QStringLiteral("yyyy-MM-dd HH:mm"));
    return local_days(year(time.date().year()) / time.date().month() / time.date().day()) + hours(time.time().hour())
        + minutes(time.time().minute());
}

QString written(CronExpression::LocalMinute minute)
{
    const auto day = floor<days>(minute);
    const year_month_day date(day);
    const QTime time(0, 0);
    return QDate(int(date.year()), int(unsigned(date.month())), int(unsigned(date.day()))).toString(Qt::ISODate)
        + time.addSecs(int(duration_cast<seconds>(minute - day).count())).toString(QStringLiteral(" HH:mm"));
}

// The first matches from a moment on, 50 years at most.
QStringList matches(const char *expression, const QString &from, int count)
{
    const CronExpression cron = CronExpression::parse(QString::fromUtf8(expression));
    QStringList list;
    CronExpression::LocalMinute begin = at(from);
    for (int i = 0; i < count; ++i) {
        const auto found = cron.firstIn(begin, at(from) + days(50 * 366));
        if (!found)
            break;
        list.append(written(*found));
        begin = *found + 1min;
    }
    return list;
}

} // namespace

class CronExpressionTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void matches_data()
    {
        QTest::addColumn<QString>("from");
        QTest::addColumn<QString>("expected");
        const auto row = [](const char *expression, const char *from, const char *expected) {
            QTest::newRow(expression) << QString::fromUtf8(from) << QString::fromUtf8(expected);
        };
        // 2026-11-21 is a Saturday.
        row("* * * * *", "2026-11-21 06:25", "2026-11-21 06:25, 2026-11-21 06:26, 2026-11-21 06:27");
        row("*/15 * * * *", "2026-11-21 06:25", "2026-11-21 06:30, 2026-11-21 06:45, 2026-11-21 07:00");
        row("5-59/20 23 * * *", "2026-12-31 23:06", "2026-12-31 23:25, 2026-12-31 23:45, 2027-01-01 23:05");
        row("0,30 6-7 * * *", "2026-11-21 06:25", "2026-11-21 06:30, 2026-11-21 07:00, 2026-11-21 07:30");
        row("10-40/15,2 0 * * *", "2026-11-21 06:25", "2026-11-22 00:02, 2026-11-22 00:10, 2026-11-22 00:25");
        row("0 0 * * 0", "2026-11-21 06:25", "2026-11-22 00:00, 2026-11-29 00:00");
        row("0 0 * * 7", "2026-11-21 06:25", "2026-11-22 00:00, 2026-11-29 00:00");
        row("0 0 * * SUN", "2026-11-21 06:25", "2026-11-22 00:00, 2026-11-29 00:00");
        row("0 9 * * mon-fri", "2026-11-21 06:25", "2026-11-23 09:00, 2026-11-24 09:00, 2026-11-25 09:00");
        row("0 9 * * Sat-Sun", "2026-11-21 06:25", "2026-11-21 09:00, 2026-11-22 09:00, 2026-11-28 09:00");
        row("0 9 * * 5-7", "2026-11-21 06:25", "2026-11-21 09:00, 2026-11-22 09:00, 2026-11-27 09:00");
        row("0 9 * * */2", "2026-11-21 06:25", "2026-11-21 09:00, 2026-11-22 09:00, 2026-11-24 09:00");
        row("0 0 1 jan,JUL *", "2026-11-21 06:25", "2027-01-01 00:00, 2027-07-01 00:00, 2028-01-01 00:00");
        row("0 0 1 */5 *", "2026-11-21 06:25", "2027-01-01 00:00, 2027-06-01 00:00, 2027-11-01 00:00");
        row("59 23 31 * *", "2026-11-21 06:25", "2026-12-31 23:59, 2027-01-31 23:59, 2027-03-31 23:59");
        row("0 0 29 2 *", "2026-11-21 06:25", "2028-02-29 00:00, 2032-02-29 00:00, 2036-02-29 00:00");
        row("0 12 29 FEB *", "2096-03-01 00:00", "2104-02-29 12:00, 2108-02-29 12:00"); // 2100 is no leap year
        // Both day fields: one is enough, unless one of them begins with a *.
        row("0 0 13 * 5", "2026-11-21 06:25", "2026-11-27 00:00, 2026-12-04 00:00, 2026-12-11 00:00, 2026-12-13 00:00");
        row("0 0 */2 * 1", "2026-11-21 06:25", "2026-11-23 00:00, 2026-12-07 00:00, 2026-12-21 00:00");
        row("0 0 30 2 1", "2026-11-21 06:25", "2027-02-01 00:00, 2027-02-08 00:00");
        row("0 0 29 2 */7", "2026-11-21 06:25", "2032-02-29 00:00, 2060-02-29 00:00"); // on a Sunday
        row("@hourly", "2026-11-21 06:25", "2026-11-21 07:00, 2026-11-21 08:00");
        row("@daily", "2026-11-21 06:25", "2026-11-22 00:00, 2026-11-23 00:00");
        row("@midnight", "2026-11-21 06:25", "2026-11-22 00:00, 2026-11-23 00:00");
        row("@weekly", "2026-11-21 06:25", "2026-11-22 00:00, 2026-11-29 00:00");
        row("@monthly", "2026-11-21 06:25", "2026-12-01 00:00, 2027-01-01 00:00");
        row("@yearly", "2026-11-21 06:25", "2027-01-01 00:00, 2028-01-01 00:00");
        row("@annually", "2026-11-21 06:25", "2027-01-01 00:00, 2028-01-01 00:00");
        row("  0\t0  1 1   *  ", "2026-11-21 06:25", "2027-01-01 00:00, 2028-01-01 00:00");
    }
    void matches()
    {
        QFETCH(QString, from);
        QFETCH(QString, expected);
        const QStringList list = expected.split(QStringLiteral(", "));
        QCOMPARE(::matches(QTest::currentDataTag(), from, static_cast<int>(list.size())), list);
    }

    void nothingOutsideOfTheRange()
    {
        const CronExpression cron = CronExpression::parse(QStringLiteral("30 6 * * *"));
        const auto noon = at(QStringLiteral("2026-11-21 06:30"));
        QVERIFY(!cron.firstIn(noon, noon));
        QCOMPARE(*cron.firstIn(noon, noon + 1min), noon);
        QVERIFY(!cron.firstIn(noon + 1min, noon + days(1)));
        QVERIFY(cron.firstIn(noon + 1min, noon + days(1) + 1min));
    }

    void everyHourOrAFixedOne()
    {
        const auto isHourly = [](const char *text) { return CronExpression::parse(QLatin1String(text)).isHourly(); };
        QVERIFY(isHourly("0 * * * *") && isHourly("1 */2 * * *") && isHourly("@hourly"));
        QVERIFY(!isHourly("* 2 * * *") && !isHourly("0 0-23 * * *") && !isHourly("@daily"));
    }

    void intervals_data()
    {
        QTest::addColumn<int>("expected");
        QTest::newRow("@every 90s") << 90;
        QTest::newRow("@every 1h30m") << 5400;
        QTest::newRow("@every 1H30M1S") << 5401;
        QTest::newRow("@every  1d") << 86400;
        QTest::newRow("@every 1.5h") << 5400;
        QTest::newRow("@every 90") << 90;
        QTest::newRow("@every 1h 30m") << 5400;
        QTest::newRow("@every 365d") << 365 * 86400;
    }
    void intervals()
    {
        QFETCH(int, expected);
        QCOMPARE(CronExpression::parse(QString::fromUtf8(QTest::currentDataTag())).interval(), seconds(expected));
    }

    void refused_data()
    {
        QTest::addColumn<QString>("message");
        const auto row = [](const char *expression, const char *message) {
            QTest::newRow(expression) << QString::fromUtf8(message);
        };
        row("", "has 0 fields instead of five");
        row("* * * *", "\"* * * *\" has 4 fields instead of five: minute, hour");
        row("0",
            "\"0\" has 1 field instead of five: minute, hour, day of month, month, day of week; in a shell quote them");
        row("0 0 0 1 1 *", "has 6 fields");
        row("60 * * * *", "field 1 (minute): \"60\" is not 0 to 59");
        row("-1 * * * *", "field 1 (minute): \"-1\" is not 0 to 59");
        row("1.5 * * * *", "field 1 (minute)");
        row("* 24 * * *", "field 2 (hour): \"24\" is not 0 to 23");
        row("* * 0 * *", "field 3 (day of month): \"0\" is not 1 to 31");
        row("* * 32 * *", "field 3 (day of month): \"32\" is not 1 to 31");
        row("* * * 13 *", "field 4 (month): \"13\" is not 1 to 12");
        row("* * * 0 *", "field 4 (month): \"0\" is not 1 to 12");
        row("* * * FOO *", "field 4 (month): \"FOO\" is not JAN to DEC");
        row("* * * ANF *", "field 4 (month): \"ANF\" is not JAN to DEC");
        row("* * * * 8", "field 5 (day of week): \"8\" is not 0 to 7");
        row("* * * * MONDAY", "field 5 (day of week): \"MONDAY\" is not SUN to SAT");
        row("* * JAN * *", "field 3 (day of month): \"JAN\"");
        row("1,,2 * * * *", "field 1 (minute): \"\" is not 0 to 59");
        row("1-2-3 * * * *", "field 1 (minute): \"1-2-3\"");
        row("22-2 * * * *", "field 1 (minute): \"22-2\" runs backwards");
        row("* * * * FRI-MON", "field 5 (day of week): \"FRI-MON\" runs backwards");
        row("5/15 * * * *", "field 1 (minute): \"5/15\" has a step without a range; write 5-59/15");
        row("*/0 * * * *", "field 1 (minute): \"*/0\" has a step that is not 1 to 59");
        row("*/90 * * * *", "field 1 (minute): \"*/90\" has a step that is not 1 to 59");
        row("*/x * * * *", "field 1 (minute): \"*/x\" has a step that is not 1 to 59");
        row("*/5/2 * * * *", "field 1 (minute): \"*/5/2\" has a step that is not 1 to 59");
        row("** * * * *", "field 1 (minute): \"**\"");
        row("? * * * *", "field 1 (minute): \"?\"");
        row("99999999999 * * * *", "field 1 (minute)");
        row("0 0 30 2 *", "fields 3 and 4 (day of month, month): no year has a date \"30 2\"");
        row("0 0 31 4,6,9,11 *", "no year has a date");
        row("0 0 31 FEB */2", "no year has a date");
        row("@reboot", "there is no \"@reboot\"; there is @hourly");
        row("@daily 5", "there is no \"@daily 5\"");
        row("@every", "@every: \"\" is not an interval");
        row("@every 0s", "is not an interval from 1s");
        row("@every 1.5s", "in whole seconds");
        row("@every h", "is not an interval"); // of nothing
        row("@every 1hh", "is not an interval");
        row("@every 500ms", "is not an interval");
        row("@every 366d", "is not an interval from 1s to 365d");
        row("@every 99999999999999999999d", "is not an interval");
    }
    void refused()
    {
        QFETCH(QString, message);
        try {
            CronExpression::parse(QString::fromUtf8(QTest::currentDataTag()));
            QFAIL("it was accepted");
        } catch (const InvalidSchedule &error) {
            const QString what = QString::fromUtf8(error.what());
            QVERIFY2(what.contains(message) && !what.contains(u'\n'), error.what());
        }
    }
};

QTEST_GUILESS_MAIN(CronExpressionTest)
#include "cron_expression_test.moc"
