#include "app/failure.h"
#include "app/units.h"

#include <QDateTime>
#include <QTest>

using namespace drover::app;
using std::chrono::milliseconds;

class UnitsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void durations_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("ms"); // -1: refused
        QTest::newRow("milliseconds") << "500ms" << qint64(500);
        QTest::newRow("seconds") << "10s" << qint64(10'000);
        QTest::newRow("minutes") << "2m" << qint64(120'000);
        QTest::newRow("hours") << "1h" << qint64(3'600'000);
        QTest::newRow("days") << "1d" << qint64(86'400'000);
        QTest::newRow("fraction") << "1.5s" << qint64(1500);
        QTest::newRow("upper case") << "2M" << qint64(120'000);
        QTest::newRow("zero") << "0" << qint64(0);
        QTest::newRow("longest") << "365d" << qint64(365) * 86'400'000;
        QTest::newRow("too long") << "366d" << qint64(-1);
        QTest::newRow("no unit") << "10" << qint64(-1);
        QTest::newRow("empty") << "" << qint64(-1);
        QTest::newRow("unit alone") << "s" << qint64(-1);
        QTest::newRow("negative") << "-1s" << qint64(-1);
        QTest::newRow("two parts") << "1h30m" << qint64(-1);
        QTest::newRow("exponent") << "1e3s" << qint64(-1);
        QTest::newRow("two points") << "1.2.3s" << qint64(-1);
        QTest::newRow("infinite") << "infs" << qint64(-1);
    }
    void durations()
    {
        QFETCH(QString, text);
        QFETCH(qint64, ms);
        if (ms < 0)
            QVERIFY_THROWS_EXCEPTION(UsageError, parseDuration(text, QStringLiteral("--x")));
        else
            QCOMPARE(parseDuration(text, QStringLiteral("--x")).count(), ms);
    }

    void sizes_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<qint64>("bytes"); // -1: refused
        QTest::newRow("bytes") << "4096" << qint64(4096);
        QTest::newRow("K") << "64K" << qint64(65536);
        QTest::newRow("lower case") << "64k" << qint64(65536);
        QTest::newRow("M") << "10M" << qint64(10485760);
        QTest::newRow("G") << "2G" << qint64(2147483648);
        QTest::newRow("T") << "1T" << qint64(1099511627776);
        QTest::newRow("half") << "0.5K" << qint64(512);
        QTest::newRow("no whole byte") << "0.3" << qint64(-1);
        QTest::newRow("other unit") << "1X" << qint64(-1);
        QTest::newRow("negative") << "-1" << qint64(-1);
        QTest::newRow("empty") << "" << qint64(-1);
        QTest::newRow("space") << "1 K" << qint64(-1);
        QTest::newRow("huge") << "9999999G" << qint64(-1);
    }
    void sizes()
    {
        QFETCH(QString, text);
        QFETCH(qint64, bytes);
        if (bytes < 0)
            QVERIFY_THROWS_EXCEPTION(UsageError, parseSize(text, QStringLiteral("--x")));
        else
            QCOMPARE(parseSize(text, QStringLiteral("--x")), bytes);
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

    void forPeople()
    {
        QCOMPARE(formatDuration(milliseconds(0)), QStringLiteral("0s"));
        QCOMPARE(formatDuration(milliseconds(850)), QStringLiteral("850ms"));
        QCOMPARE(formatDuration(milliseconds(12'300)), QStringLiteral("12.3s"));
        QCOMPARE(formatDuration(milliseconds(250'000)), QStringLiteral("4m10s"));
        QCOMPARE(formatDuration(milliseconds(11'100'000)), QStringLiteral("3h05m"));
        QCOMPARE(formatDuration(milliseconds(187'200'000)), QStringLiteral("2d04h"));
        QCOMPARE(formatSize(512), QStringLiteral("512"));
        QCOMPARE(formatSize(65536), QStringLiteral("64K"));
        QCOMPARE(formatSize(1572864), QStringLiteral("1.5M"));
        QCOMPARE(formatTime(milliseconds(1'714'564'800'123)), QStringLiteral("2024-05-01T12:00:00.123Z"));
        QCOMPARE(formatTime(milliseconds(0)), QString());
    }
};

QTEST_GUILESS_MAIN(UnitsTest)
#include "units_test.moc"
