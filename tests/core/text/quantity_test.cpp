#include "text/quantity.h"

#include <QTest>

using namespace drover::text;
using namespace std::chrono_literals;
using std::chrono::milliseconds;

class QuantityTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void durations_data();
    void durations();
    void sizes_data();
    void sizes();
    void formats();
    void formattedQuantitiesCanBeParsed();
};

void QuantityTest::durations_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("ms"); // -1: refused
    const auto row = [](const char *text, qint64 ms) {
        QTest::newRow(*text ? text : "nothing") << QString::fromUtf8(text) << ms;
    };
    row("90", 90'000);
    row("90s", 90'000);
    row("90 s", 90'000);
    row(" 90sec ", 90'000);
    row("500ms", 500);
    row("1.5s", 1500);
    row("2m", 120'000);
    row("2M", 120'000);
    row("2min", 120'000);
    row("1.5h", 5'400'000);
    row("1d", 86'400'000);
    row("4m10s", 250'000);
    row("1h30m", 5'400'000);
    row("1d 2h", 93'600'000);
    row("0", 0);
    row("0s", 0);
    row("365d", qint64(365) * 86'400'000);
    row("366d", -1);
    row("364d48h", -1);
    row("99999999999999999999h", -1);
    row("", -1);
    row("s", -1);
    row("-1s", -1);
    row("+1s", -1);
    row("10s4m", -1); // not from the largest to the smallest
    row("1s1s", -1);
    row("4m10", -1);
    row("1e3s", -1);
    row("1.2.3s", -1);
    row(".", -1);
    row("infs", -1);
    row("5 parsecs", -1);
    row("5w", -1);
}

void QuantityTest::durations()
{
    QFETCH(QString, text);
    QFETCH(qint64, ms);
    QCOMPARE(parseDuration(text).value_or(-1ms).count(), ms);
}

void QuantityTest::sizes_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<qint64>("bytes"); // -1: refused
    const auto row = [](const char *text, qint64 bytes) {
        QTest::newRow(*text ? text : "nothing") << QString::fromUtf8(text) << bytes;
    };
    row("0", 0);
    row("4096", 4096);
    row("512B", 512);
    row("64K", 65536);
    row("64k", 65536);
    row("64KiB", 65536);
    row("64 KiB", 65536);
    row("10M", 10485760);
    row("1.5 MiB", 1572864);
    row("2G", 2147483648);
    row("1T", 1099511627776);
    row("512T", LargestSize);
    row("0.5K", 512);
    row("513T", -1);
    row("9999999G", -1);
    row("0.3", -1); // no whole byte
    row("64KB", -1); // 1,000 or 1,024?
    row("1X", -1);
    row("1K1", -1);
    row("-1", -1);
    row("", -1);
    row("K", -1);
}

void QuantityTest::sizes()
{
    QFETCH(QString, text);
    QFETCH(qint64, bytes);
    QCOMPARE(parseSize(text).value_or(-1), bytes);
}

void QuantityTest::formats()
{
    QCOMPARE(formatDuration(-5s), QStringLiteral("0s"));
    QCOMPARE(formatDuration(0s), QStringLiteral("0s"));
    QCOMPARE(formatDuration(850ms), QStringLiteral("850ms"));
    QCOMPARE(formatDuration(12s), QStringLiteral("12s"));
    QCOMPARE(formatDuration(12'300ms), QStringLiteral("12.3s"));
    QCOMPARE(formatDuration(59'990ms), QStringLiteral("59.9s"));
    QCOMPARE(formatDuration(250s), QStringLiteral("4m10s"));
    QCOMPARE(formatDuration(185min), QStringLiteral("3h05m"));
    QCOMPARE(formatDuration(52h), QStringLiteral("2d04h"));
    QCOMPARE(formatSize(0), QStringLiteral("0 B"));
    QCOMPARE(formatSize(512), QStringLiteral("512 B"));
    QCOMPARE(formatSize(65536), QStringLiteral("64 KiB"));
    QCOMPARE(formatSize(1572864), QStringLiteral("1.5 MiB"));
    QCOMPARE(formatSize(LargestSize), QStringLiteral("512 TiB"));
    QCOMPARE(formatCount(2000), QStringLiteral("2,000"));
    QCOMPARE(formatCount(1, "worker", "workers"), QStringLiteral("1 worker"));
    QCOMPARE(formatCount(2000, "worker", "workers"), QStringLiteral("2,000 workers"));
}

void QuantityTest::formattedQuantitiesCanBeParsed()
{
    for (const milliseconds duration : {milliseconds(0), milliseconds(850), milliseconds(12'300), milliseconds(250s),
                                        milliseconds(185min), milliseconds(52h), milliseconds(LongestDuration)})
        QCOMPARE(parseDuration(formatDuration(duration)).value_or(-1ms), duration);
    for (const qint64 bytes : {qint64(0), qint64(512), qint64(65536), qint64(1572864), LargestSize})
        QCOMPARE(parseSize(formatSize(bytes)).value_or(-1), bytes);
}

QTEST_GUILESS_MAIN(QuantityTest)
#include "quantity_test.moc"
