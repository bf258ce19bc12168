#include "app/cli/failure.h"
#include "app/cli/json_builder.h"
#include "app/cli/units.h"

#include <QDateTime>
#include <QTest>

#include <ctime>

using namespace drover::app;
using std::chrono::milliseconds;

class UnitsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase()
    {
        qputenv("TZ", "CET-1CEST,M3.5.0,M10.5.0/3"); // of Berlin
        ::tzset();
    }

    // What is a duration or a size, tests/core/text/quantity_test.cpp says.
    void quantities()
    {
        const QString what = QStringLiteral("--x");
        QCOMPARE(parseDuration(QStringLiteral("4m10s"), what), milliseconds(250'000));
        QVERIFY_THROWS_EXCEPTION(UsageError, parseDuration(QStringLiteral("366d"), what));
        QCOMPARE(parseSize(QStringLiteral("64K"), what), 65536);
        QVERIFY_THROWS_EXCEPTION(UsageError, parseSize(QStringLiteral("64KB"), what));
        QVERIFY_THROWS_EXCEPTION(UsageError, parseSize(QStringLiteral("64K"), what, 65537));
    }

    void aDurationIsReadAsItWasWritten()
    {
        QCOMPARE(exactDuration(milliseconds(600'000)), QStringLiteral("10m"));
        QCOMPARE(exactDuration(milliseconds(5'400'000)), QStringLiteral("1h30m"));
        for (const qint64 count : {0, 1, 1500, 59'999, 3'600'001, 90'061'001}) {
            const QString text = exactDuration(milliseconds(count));
            QVERIFY2(parseDuration(text, text) == milliseconds(count), qPrintable(text));
        }
    }

    // Who means seven days would lose what is older than seven seconds.
    void anAgeHasAUnit()
    {
        const QString what = QStringLiteral("--spool-keep");
        QCOMPARE(parseAge(QStringLiteral("7d"), what), milliseconds(7 * 86'400'000));
        QCOMPARE(parseAge(QStringLiteral("1h30m"), what), milliseconds(5'400'000));
        QCOMPARE(parseAge(QStringLiteral("0"), what), milliseconds(0));
        for (const char *const bad : {"7", " 7 ", "0.5", "1."}) {
            try {
                parseAge(QString::fromUtf8(bad), what);
                QFAIL(bad);
            } catch (const UsageError &error) {
                QVERIFY2(QByteArray(error.what()).startsWith("--spool-keep: ")
                             && QByteArray(error.what()).contains("has no unit; say "),
                         error.what());
            }
        }
    }

    void anErrorNamesTheOptionAndWhatIsAccepted()
    {
        try {
            parseDuration(QStringLiteral("soon"), QStringLiteral("--timeout"));
            QFAIL("accepted");
        } catch (const UsageError &error) {
            const QByteArray what = error.what();
            QVERIFY(what.contains("--timeout") && what.contains("soon") && what.contains("500ms"));
        }
    }

    void integers()
    {
        QCOMPARE(parseInteger(QStringLiteral("7"), QStringLiteral("--n"), 0, 9), 7);
        for (const QString &bad : {QStringLiteral("10"), QStringLiteral("-1"), QStringLiteral("x"), QStringLiteral("")})
            QVERIFY_THROWS_EXCEPTION(UsageError, parseInteger(bad, QStringLiteral("--n"), 0, 9));
    }

    void instants()
    {
        const auto parse = [](const char *text) {
            return parseInstant(QString::fromUtf8(text), QStringLiteral("--since"));
        };
        QCOMPARE(parse("2024-05-01T12:00:00Z"), milliseconds(1'714'564'800'000));
        QCOMPARE(parse("2024-05-01T14:00:00.123+02:00"), milliseconds(1'714'564'800'123));
        QCOMPARE(parse("2024-05-02") - parse("2024-05-01"), milliseconds(std::chrono::hours(24)));
        const milliseconds day = milliseconds(QDateTime::currentMSecsSinceEpoch()) - parse("1d");
        QVERIFY(day >= std::chrono::hours(24) && day < std::chrono::hours(25));
        for (const char *const bad : {"yesterday", "", "2024-13-01", "-1h"})
            QVERIFY_THROWS_EXCEPTION(UsageError, parse(bad));
    }

    void starts()
    {
        const auto parse = [](const char *text) {
            return formatTime(parseStart(QString::fromUtf8(text), QStringLiteral("--start-at")));
        };
        QCOMPARE(parse("2030-05-01T12:00Z"), QStringLiteral("2030-05-01T12:00:00.000Z"));
        QCOMPARE(parse("2030-05-01T12:00:00.5+02:00"), QStringLiteral("2030-05-01T10:00:00.500Z"));
        QCOMPARE(parse("2030-05-01T12:00"), QStringLiteral("2030-05-01T10:00:00.000Z"));
        QCOMPARE(parse("2030-12-01"), QStringLiteral("2030-11-30T23:00:00.000Z"));
        const milliseconds soon = parseStart(QStringLiteral("18:30"), QStringLiteral("--start-at"));
        const milliseconds wait = soon - milliseconds(QDateTime::currentMSecsSinceEpoch());
        QVERIFY(wait > milliseconds(0) && wait <= std::chrono::hours(25));
        for (const char *const bad : {"soon", "", "2024-13-01", "25:00", "2001-01-01", "2117-01-01"})
            QVERIFY_THROWS_EXCEPTION(UsageError, parse(bad));
    }

    // In the night of the 31st of March 2030 clocks go from 2:00 to 3:00, and in that of the 27th of October from 3:00
    // to 2:00.
    void aStartInANightWhenClocksChange()
    {
        const auto complaintAbout = [](const char *text) {
            try {
                return formatTime(parseStart(QString::fromUtf8(text), QStringLiteral("--start-at")));
            } catch (const UsageError &error) {
                return QString::fromUtf8(error.what());
            }
        };
        QCOMPARE(
            complaintAbout("2030-03-31T02:30"),
            QStringLiteral("--start-at: there is no 2030-03-31T02:30:00 here, because clocks go forward then; give "
                           "an earlier or a later time"));
        QCOMPARE(complaintAbout("2030-10-27T02:00"),
                 QStringLiteral("--start-at: 2030-10-27T02:00:00 comes twice here, because clocks go back then; say "
                                "which: 2030-10-27T00:00:00.000Z or 2030-10-27T01:00:00.000Z"));
        QCOMPARE(complaintAbout("2030-03-31T01:59"), QStringLiteral("2030-03-31T00:59:00.000Z"));
        QCOMPARE(complaintAbout("2030-03-31T03:00"), QStringLiteral("2030-03-31T01:00:00.000Z"));
        QCOMPARE(complaintAbout("2030-10-27T01:59"), QStringLiteral("2030-10-26T23:59:00.000Z"));
        QCOMPARE(complaintAbout("2030-10-27T03:00"), QStringLiteral("2030-10-27T02:00:00.000Z"));
        QCOMPARE(complaintAbout("2030-10-27T02:30+02:00"), QStringLiteral("2030-10-27T00:30:00.000Z"));
    }

    void times()
    {
        QCOMPARE(formatTime(milliseconds(1'714'564'800'123)), QStringLiteral("2024-05-01T12:00:00.123Z"));
        QCOMPARE(formatTime(milliseconds(0)), QString());
    }
};

QTEST_GUILESS_MAIN(UnitsTest)
#include "units_test.moc"
