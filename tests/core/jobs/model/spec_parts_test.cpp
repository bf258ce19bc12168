#include "jobs/model/array_indices.h"
#include "jobs/model/dependency.h"
#include "jobs/model/gang.h"
#include "jobs/model/retry_policy.h"

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
        row("7", "7", 1);
        row("0-0", "0", 1);
        row("1-3,8,20-40:10%2", "1-3,8,20-40:10%2", 7);
        row("1,2,3", "1,2,3", 3);
        row("3,1", "", 0);
        row("1-3,3", "", 0);
        row("1,,3", "", 0);
        row("1,", "", 0);
        row("1%2,3", "", 0);
        row("0-500000,600000-1200000", "", 0);
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
        const std::optional<ArrayIndices> range = ArrayIndices::parse(text);
        QCOMPARE(range.has_value(), !canonical.isEmpty());
        if (!range)
            return;
        QCOMPARE(range->toString(), canonical);
        QCOMPARE(range->count(), count);
        QCOMPARE(range->at(0), range->parts.front().first);
        QVERIFY(range->at(range->count() - 1) <= range->parts.back().last);
        QVERIFY(range->at(range->count() - 1) > range->parts.back().last - range->parts.back().step);
    }

    void indicesHavePlaces()
    {
        const ArrayIndices indices = *ArrayIndices::parse(QStringLiteral("2-4,7,10-39:10"));
        const std::vector<qint32> all{2, 3, 4, 7, 10, 20, 30};
        QCOMPARE(indices.count(), qint32(all.size()));
        for (qint32 index = 0; index <= 40; ++index) {
            const auto place = std::lower_bound(all.begin(), all.end(), index);
            QCOMPARE(indices.countBelow(index), qint32(place - all.begin()));
            const bool isOne = place != all.end() && *place == index;
            QCOMPARE(indices.placeOf(index), isOne ? std::optional(qint32(place - all.begin())) : std::nullopt);
            if (isOne)
                QCOMPARE(indices.at(qint32(place - all.begin())), index);
        }
        QCOMPARE(indices.countBelow(qint64(std::numeric_limits<qint32>::max()) + 1), indices.count());
    }

    void indicesBecomeFewParts()
    {
        QCOMPARE(ArrayIndices::of({20, 30, 40, 80}).toString(), QStringLiteral("20-40:10,80"));
        QCOMPARE(ArrayIndices::of({1, 2, 3, 9, 11, 12}).toString(), QStringLiteral("1-3,9,11-12"));
        QCOMPARE(ArrayIndices::of({0, 10, 20, 30, 31, 40, 90}).toString(), QStringLiteral("0-30:10,31,40,90"));
        QCOMPARE(ArrayIndices::of({20, 80}).toString(), QStringLiteral("20,80"));
        QCOMPARE(ArrayIndices::of({7}), ArrayIndices(7, 7));
    }

    void partsAreNotTooMany()
    {
        QStringList odd;
        for (std::size_t i = 0; i < ArrayIndices::MaxParts; ++i)
            odd.append(QString::number(2 * i));
        QVERIFY(ArrayIndices::parse(odd.join(u',')));
        odd.append(QString::number(2 * ArrayIndices::MaxParts));
        QVERIFY(!ArrayIndices::parse(odd.join(u',')));
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

    // A member that was claimed anew has another place, and its old one may still be there.
    void aRankHasItsLatestPlace()
    {
        for (const QByteArrayList &names :
             {QByteArrayList{"0.7", "1.8", "1.12", "ready", "x"}, QByteArrayList{"1.12", "1.8", "0.7", "2", "0.07"}}) {
            const std::map<int, GangPlaceName> places = placesIn(names);
            QCOMPARE(places.size(), std::size_t(2));
            QCOMPARE(places.at(0).claimZxid, 7);
            QCOMPARE(places.at(1).claimZxid, 12);
        }
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

    void theExitCodeDecidesAboutARetry()
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
