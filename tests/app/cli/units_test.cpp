#include "app/cli/failure.h"
#include "app/cli/units.h"

#include <QDateTime>
#include <QTest>

using namespace drover::app;
using std::chrono::milliseconds;

class UnitsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
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

    void times()
    {
        QCOMPARE(formatTime(milliseconds(1'714'564'800'123)), QStringLiteral("2024-05-01T12:00:00.123Z"));
        QCOMPARE(formatTime(milliseconds(0)), QString());
    }
};

QTEST_GUILESS_MAIN(UnitsTest)
#include "units_test.moc"
