#include "jobs/array_range.h"
#include "jobs/dependency.h"
#include "jobs/retry_policy.h"

#include <QTest>

using namespace drover::jobs;
using namespace std::chrono_literals;

class SpecPartsTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void arraysAreReadAndWritten_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("canonical"); // empty: it is none
        QTest::addColumn<int>("count");
        const auto row = [](const char *text, const char *canonical, int count) {
            QTest::newRow(text) << QString::fromLatin1(text) << QString::fromLatin1(canonical) << count;
        };
        row("1-1000000%50", "1-1000000%50", 1000000);
        row("0-99:10", "0-99:10", 10);
        row("0-9:4%2", "0-9:4%2", 3);
        row("7", "7-7", 1);
        row("0-0", "0-0", 1);
        row("0-1000000", "", 0);
        row("1-2147483647:2147483646", "", 0);
        row("9-1", "", 0);
        row("1-9%0", "", 0);
        row("1-9:0", "", 0);
        row("-1-9", "", 0);
        row("1-", "", 0);
        row("1-9%", "", 0);
        row("1 - 9", "", 0);
        row("", "", 0);
    }
    void arraysAreReadAndWritten()
    {
        QFETCH(QString, text);
        QFETCH(QString, canonical);
        QFETCH(int, count);
        const std::optional<ArrayRange> range = ArrayRange::parse(text);
        QCOMPARE(range.has_value(), !canonical.isEmpty());
        if (!range)
            return;
        QCOMPARE(range->toString(), canonical);
        QCOMPARE(range->count(), count);
        QCOMPARE(range->at(0), range->first);
        QVERIFY(range->at(range->count() - 1) <= range->last);
        QVERIFY(range->at(range->count() - 1) > range->last - range->step);
    }

    void dependenciesAreReadAndWritten()
    {
        for (const char *text : {"begun:default-1", "ok:default-1", "fail:a-b-2", "any:default-3.17"}) {
            const std::optional<Dependency> dependency = Dependency::parse(QString::fromLatin1(text));
            QVERIFY2(dependency, text);
            QCOMPARE(dependency->toString(), QString::fromLatin1(text));
        }
        for (const char *text : {"default-1", "maybe:default-1", "ok:", "ok:default", ":default-1", ""})
            QVERIFY2(!Dependency::parse(QString::fromLatin1(text)), text);
    }

    void retriesBackOff()
    {
        const RetryPolicy policy{10, {}, 1s, 10s};
        QCOMPARE(policy.delay(0, 0), 1000ms);
        QCOMPARE(policy.delay(1, 0), 2000ms);
        QCOMPARE(policy.delay(3, 0), 8000ms);
        QCOMPARE(policy.delay(4, 0), 10000ms);
        QCOMPARE(policy.delay(1000, 0), 10000ms);
        QCOMPARE(policy.delay(1, 0.5), 1500ms); // half of it is left to chance
    }

    void whatIsRetriedDependsOnTheCode()
    {
        const RetryPolicy any{2, {}, 1s, 1s};
        QVERIFY(any.covers(1, 0) && any.covers(137, 1));
        QVERIFY(!any.covers(1, 2)); // as often as allowed
        QVERIFY(!any.covers(0, 0)); // a success is none
        const RetryPolicy some{2, {75}, 1s, 1s};
        QVERIFY(some.covers(75, 0) && !some.covers(1, 0));
        QVERIFY(!RetryPolicy().covers(1, 0));
    }
};

QTEST_GUILESS_MAIN(SpecPartsTest)
#include "spec_parts_test.moc"
