#include "core/history/history_suite.h"

#include <QTest>

namespace drover::test {

using namespace history;

void HistorySuite::whatAJobContainsIsFound_data()
{
    QTest::addColumn<QString>("contained");
    QTest::addColumn<QList<int>>("expected");
    using Numbers = QList<int>;
    QTest::newRow("the middle of a word") << QStringLiteral("rain") << Numbers{6, 2};
    QTest::newRow("any case") << QStringLiteral("TRAIN.P") << Numbers{2};
    QTest::newRow("over the words of a command") << QStringLiteral("in.py --lr") << Numbers{2};
    QTest::newRow("other letters") << QStringLiteral("\u8bd5 tra") << Numbers{6};
    QTest::newRow("a part of an id") << QStringLiteral("gpu-") << Numbers{5};
    QTest::newRow("a worker") << QStringLiteral("w2") << Numbers{5};
    QTest::newRow("no wildcards") << QStringLiteral("train_x") << Numbers{6};
    QTest::newRow("nothing") << QStringLiteral("no such text") << Numbers{};
}

// Perhaps with some that do not have it, but without none that do.
void HistorySuite::whatAJobContainsIsFound()
{
    QFETCH(QString, contained);
    QFETCH(QList<int>, expected);
    Store own(place(), OpenMode::Write);
    own.archive({"default", {Noon}, sampleEntries()});
    const QList<int> found = numbersOf(own.query({.contains = contained}));
    for (const int number : expected)
        QVERIFY2(found.contains(number), qPrintable(QString::number(number)));
    if (expected.isEmpty())
        QCOMPARE(found, QList<int>());
}

void HistorySuite::stretchesHoldEachJobOnce()
{
    Store own(place(), OpenMode::Write);
    ArchiveBatch batch = batchOf(1, 25);
    for (ArchivedJob &same : batch.entries)
        same.endedAt = Noon; // the sequence alone tells them apart
    own.archive(batch);
    QList<int> seen;
    Query query{.limit = 100};
    int stretches = 0;
    do {
        query.after = query.downTo;
        query.downTo.reset();
        query.downTo = own.skip(query, 10);
        const QList<int> stretch = numbersOf(own.query(query));
        QCOMPARE(stretch.size(), ++stretches == 3 ? 5 : 10);
        seen += stretch;
    } while (query.downTo);
    QCOMPARE(stretches, 3);
    QCOMPARE(seen, numbersOf(own.query({.limit = 100})));
}

void HistorySuite::ofManyThatFitTheNewestAreFound()
{
    Store own(place(), OpenMode::Write);
    own.archive(batchOf(1, 25));
    const Page newest = own.query({.text = QStringLiteral("work"), .lately = true, .limit = 3});
    QCOMPARE(numbersOf(newest), (QList<int>{25, 24, 23}));
}

} // namespace drover::test
