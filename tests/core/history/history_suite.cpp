#include "core/history/history_suite.h"

#include "async/qt_loop.h"
#include "support/await.h"

#include <QTest>

#include <thread>

namespace drover::test {

using namespace history;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using jobs::JobState;
using std::chrono::milliseconds;

namespace {

void store(const Location &location, const std::vector<ArchivedJob> &entries)
{
    Store(location, OpenMode::Write).archive({"default", {Noon}, entries});
}

QByteArray failureOf(const std::function<void()> &action)
{
    try {
        action();
    } catch (const HistoryError &error) {
        return error.what();
    }
    return {};
}

} // namespace

void HistorySuite::execRaw(const QString &sql)
{
    Database database(place(), OpenMode::Write);
    database.open();
    database.exec(sql);
}

void HistorySuite::eachJobIsThereOnceHoweverOftenItIsArchived()
{
    Store first(place(), OpenMode::Write);
    QCOMPARE(first.archive(batchOf(1, 250)), 250);
    QCOMPARE(first.archive(batchOf(1, 250)), 0);
    Store second(place(), OpenMode::Write);
    QCOMPARE(second.archive(batchOf(200, 100)), 49);
    QCOMPARE(second.count({}), 299);

    ArchiveBatch again = batchOf(1, 1);
    again.entries[0].record.attempts.claimVersion = 2; // it was run again on request: another result
    QCOMPARE(second.archive(again), 1);
    QCOMPARE(second.archive({"default", {Noon}, {}}), 0);
}

void HistorySuite::manyMayBeginAndArchiveAtTheSameTime()
{
    constexpr int Writers = 4;
    std::atomic<qint64> added{0};
    std::atomic<int> errors{0};
    std::vector<std::thread> threads;
    const Location location = place();
    for (int i = 0; i < Writers; ++i) {
        threads.emplace_back([&] {
            try {
                Store own(location, OpenMode::Write);
                for (int round = 0; round < 5; ++round)
                    added += own.archive(batchOf(1 + round * 40, 60));
            } catch (const HistoryError &error) {
                qWarning("%s", error.what());
                ++errors;
            }
        });
    }
    for (std::thread &thread : threads)
        thread.join();
    QCOMPARE(errors.load(), 0);
    QCOMPARE(added.load(), 220);
    QCOMPARE(Store(location, OpenMode::Read).count({}), 220);
}

void HistorySuite::everythingOfARecordComesBack()
{
    ArchivedJob odd = entry(7);
    odd.record.name = QString(QStringLiteral("na\\me'\"%1\U0001F411")).arg(QChar(0));
    odd.record.command = QStringList{QStringLiteral("$1"), QStringLiteral("?"), QStringLiteral("a\nb"), QString()};
    odd.record.reason = QStringLiteral("because");
    odd.record.outcome = FinalRecord::Outcome::TimedOut;
    odd.record.signal = 15;
    odd.record.attempts.claimVersion = 3;
    odd.record.outputBytes = qint64(1) << 40;
    odd.record.outputTruncated = true;
    odd.record.tail = QByteArray("\x00\xff'tail\\", 8);
    store(place(), {odd});

    const Page page = Store(place(), OpenMode::Read).query({});
    QCOMPARE(page.entries.size(), 1u);
    const ArchivedJob &back = page.entries[0];
    QCOMPARE(back.cluster, QByteArray("default"));
    QCOMPARE(back.record.id, odd.record.id);
    QCOMPARE(back.record.encode(), odd.record.encode());
    QCOMPARE(back.endedAt, odd.endedAt);
    QVERIFY(back.malformed.isEmpty());
    QVERIFY(!page.next);
}

void HistorySuite::aRecordThatHoldsNothingIsARecord()
{
    ArchivedJob bare;
    bare.record.id = {"default", 1};
    store(place(), {bare});
    const Page page = Store(place(), OpenMode::Read).query({});
    QCOMPARE(numbersOf(page), QList<int>{1});
    QCOMPARE(page.entries[0].record.encode(), bare.record.encode());
}

void HistorySuite::aClusterMadeAnewHasOtherJobs()
{
    Store own(place(), OpenMode::Write);
    own.archive(batchOf(1, 3));
    ArchiveBatch anew = batchOf(1, 3);
    anew.term.clusterMade += 1h;
    QCOMPARE(own.archive(anew), 3);
    ArchiveBatch elsewhere = batchOf(1, 3);
    elsewhere.cluster = "other";
    QCOMPARE(own.archive(elsewhere), 3);
    QCOMPARE(own.count({.cluster = "default"}), 6);
    QCOMPARE(own.count({}), 9);
}

void HistorySuite::filters_data()
{
    QTest::addColumn<Query>("query");
    QTest::addColumn<QList<int>>("expected");
    using Numbers = QList<int>;
    QTest::newRow("all") << Query{} << Numbers{6, 5, 4, 3, 2, 1};
    QTest::newRow("cluster") << Query{.cluster = "other"} << Numbers{};
    QTest::newRow("ids") << Query{.ids = {{"default", 2}, {"default", 5}, {"gpu", 5}}} << Numbers{5, 2};
    QTest::newRow("numbers") << Query{.range = jobs::JobRange{{"default", 2}, 5}} << Numbers{4, 3, 2};
    QTest::newRow("numbers of tasks") << Query{.range = jobs::JobRange{{"default", 2, 0}, 5}} << Numbers{};
    QTest::newRow("queue") << Query{.queue = "gpu"} << Numbers{5};
    QTest::newRow("name") << Query{.name = QStringLiteral("train-x")} << Numbers{6};
    QTest::newRow("name as it is") << Query{.name = QStringLiteral("train-%")} << Numbers{2};
    QTest::newRow("pattern") << Query{.name = QStringLiteral("tra?n-*")} << Numbers{6, 2};
    QTest::newRow("case counts") << Query{.name = QStringLiteral("TRAIN*")} << Numbers{};
    QTest::newRow("% is a character") << Query{.name = QStringLiteral("*-%*")} << Numbers{2};
    QTest::newRow("quotes are characters") << Query{.name = QStringLiteral("' OR 1 = 1 --")} << Numbers{};
    QTest::newRow("state") << Query{.state = JobState::Failed} << Numbers{3};
    QTest::newRow("outcome") << Query{.outcome = FinalRecord::Outcome::Cancelled} << Numbers{4};
    QTest::newRow("tag") << Query{.tag = QStringLiteral("nightly-7")} << Numbers{3};
    QTest::newRow("no part of a tag") << Query{.tag = QStringLiteral("nightly")} << Numbers{};
    QTest::newRow("a tag with quotes") << Query{.tag = QStringLiteral("\"a\" ']\\ \u8bd5")} << Numbers{3};
    QTest::newRow("a tag without letters") << Query{.tag = QStringLiteral("--")} << Numbers{3};
    QTest::newRow("submitter") << Query{.submitter = QStringLiteral("eve@*")} << Numbers{4};
    QTest::newRow("submitter on any machine") << Query{.submitter = QStringLiteral("eve")} << Numbers{4};
    QTest::newRow("submitter's pattern on any machine") << Query{.submitter = QStringLiteral("e?e")} << Numbers{4};
    QTest::newRow("no part of a submitter") << Query{.submitter = QStringLiteral("ev")} << Numbers{};
    QTest::newRow("worker") << Query{.worker = QStringLiteral("w2")} << Numbers{5};
    QTest::newRow("since") << Query{.since = Noon + 5s} << Numbers{6, 5};
    QTest::newRow("until") << Query{.until = Noon + 3s} << Numbers{2, 1};
    QTest::newRow("all at once") << Query{.cluster = "default",
                                          .name = QStringLiteral("train*"),
                                          .state = JobState::Succeeded,
                                          .since = Noon,
                                          .text = QStringLiteral("echo")}
                                 << Numbers{6};
}

void HistorySuite::filters()
{
    QFETCH(Query, query);
    QFETCH(QList<int>, expected);
    store(place(), sampleEntries());
    Store own(place(), OpenMode::Read);
    QCOMPARE(numbersOf(own.query(query)), expected);
    QCOMPARE(own.count(query), expected.size());
}

void HistorySuite::wordsOfNamesAndCommandsAreFound_data()
{
    QTest::addColumn<QString>("text");
    QTest::addColumn<QList<int>>("expected");
    using Numbers = QList<int>;
    QTest::newRow("a word of a path") << QStringLiteral("opt") << Numbers{2};
    QTest::newRow("any case") << QStringLiteral("TRAIN") << Numbers{6, 2};
    QTest::newRow("its beginning") << QStringLiteral("traini") << Numbers{6};
    QTest::newRow("not its middle") << QStringLiteral("rain") << Numbers{};
    QTest::newRow("all of them") << QStringLiteral("train py") << Numbers{2};
    QTest::newRow("as typed") << QStringLiteral("--lr=0.1") << Numbers{2};
    QTest::newRow("other letters") << QStringLiteral("\u6d4b") << Numbers{6};
    QTest::newRow("a tag") << QStringLiteral("nightly-7") << Numbers{3};
    QTest::newRow("no operators") << QStringLiteral("echo OR sh") << Numbers{};
    QTest::newRow("no syntax") << QStringLiteral("\"' echo* (:&|!") << Numbers{6};
    QTest::newRow("nothing but punctuation") << QStringLiteral("-- *") << Numbers{};
}

void HistorySuite::wordsOfNamesAndCommandsAreFound()
{
    QFETCH(QString, text);
    QFETCH(QList<int>, expected);
    store(place(), sampleEntries());
    QCOMPARE(numbersOf(Store(place(), OpenMode::Read).query({.text = text})), expected);
}

void HistorySuite::pagesHoldEachJobOnceNewestFirst()
{
    ArchiveBatch batch = batchOf(1, 25);
    for (ArchivedJob &same : batch.entries)
        same.endedAt = Noon + std::chrono::seconds((same.record.id.number - 1) / 10); // ten at the same instant
    Store own(place(), OpenMode::Write);
    own.archive(batch);
    Query query{.limit = 4};
    QList<int> seen;
    milliseconds last = milliseconds::max();
    int pages = 0;
    for (;;) {
        const Page page = own.query(query);
        ++pages;
        for (const ArchivedJob &found : page.entries) {
            QVERIFY(found.endedAt <= last);
            last = found.endedAt;
        }
        seen += numbersOf(page);
        if (!page.next)
            break;
        query.after = page.next;
        own.archive(batchOf(100 + pages, 1)); // ends later than all of these: does not disturb
    }
    QCOMPARE(pages, 7);
    std::sort(seen.begin(), seen.end());
    QList<int> all(25);
    std::iota(all.begin(), all.end(), 1);
    QCOMPARE(seen, all);
    QVERIFY(!own.query({.name = QStringLiteral("work"), .until = Noon + 1s, .limit = 10}).next); // exactly full
}

void HistorySuite::jobsAreAddedUp()
{
    store(place(), sampleEntries());
    Store own(place(), OpenMode::Read);
    const std::vector<GroupTotals> states = own.summarize({}, GroupBy::State);
    QCOMPARE(states.size(), 3u);
    QCOMPARE(states[0].key, QStringLiteral("succeeded"));
    QCOMPARE(states[0].jobs, 4);
    QCOMPARE(states[0].succeeded, 4);
    QCOMPARE(states[0].failed, 0);
    QCOMPARE(states[0].cpuTime, 80ms);
    QCOMPARE(states[0].wallTime, 1200ms);
    QCOMPARE(states[0].peakMemory, 6000);
    QCOMPARE(states[0].first, Noon + 1s);
    QCOMPARE(states[0].last, Noon + 6s);
    QCOMPARE(states[0].perSecond(), 3.0 / 5);
    QCOMPARE(states[1].key, QStringLiteral("cancelled"));
    QCOMPARE(states[1].perSecond(), 0.0);

    const auto keys = [&](GroupBy by, const Query &query = {}) {
        QStringList found;
        for (const GroupTotals &group : own.summarize(query, by))
            found.append(QStringLiteral("%1=%2").arg(group.key).arg(group.jobs));
        return found.join(u' ');
    };
    QCOMPARE(keys(GroupBy::Queue), QStringLiteral("default=5 gpu=1"));
    QCOMPARE(keys(GroupBy::Name), QStringLiteral("work=4 train-%=1 train-x=1"));
    QCOMPARE(keys(GroupBy::Submitter), QStringLiteral("me@here=5 eve@there=1"));
    QCOMPARE(keys(GroupBy::Worker), QStringLiteral("w1=5 w2=1"));
    QCOMPARE(keys(GroupBy::Outcome), QStringLiteral("exited=4 cancelled=1 signalled=1"));
    QCOMPARE(keys(GroupBy::Name, {.text = QStringLiteral("train")}), QStringLiteral("train-%=1 train-x=1"));
    QCOMPARE(keys(GroupBy::Name, {.limit = 1}), QStringLiteral("work=4"));
    QCOMPARE(keys(GroupBy::Name, {.queue = "none"}), QString());
}

void HistorySuite::timesAreGrouped()
{
    std::vector<ArchivedJob> entries{entry(1), entry(2), entry(3)};
    entries[0].endedAt = Noon - 1ms;
    entries[1].endedAt = Noon;
    entries[2].endedAt = Noon + 12h;
    store(place(), entries);
    Store own(place(), OpenMode::Read);
    const std::vector<GroupTotals> days = own.summarize({}, GroupBy::Day);
    QCOMPARE(days.size(), 2u);
    QCOMPARE(days[0].key, QStringLiteral("2024-05-02")); // the latest first
    QCOMPARE(days[1].jobs, 2);
    const std::vector<GroupTotals> hours = own.summarize({}, GroupBy::Hour);
    QCOMPARE(hours.size(), 3u);
    QCOMPARE(hours[2].key, QStringLiteral("2024-05-01T11"));
}

void HistorySuite::recordsOverTheAgeLimitAreRemoved()
{
    ArchiveBatch batch = batchOf(1, 10);
    const milliseconds now{QDateTime::currentMSecsSinceEpoch()};
    for (ArchivedJob &old : batch.entries)
        old.endedAt = now - old.record.id.number * 1h;
    Store own(place(), OpenMode::Write);
    own.archive(batch);
    batch.cluster = "other";
    own.archive(batch);
    QCOMPARE(own.prune("default", {}), 0);
    QCOMPARE(own.prune("default", {.keepFor = 5h + 30min}), 5);
    QCOMPARE(own.prune("default", {.keepFor = 5h + 30min}), 0);
    QCOMPARE(numbersOf(own.query({.cluster = "default"})), (QList<int>{1, 2, 3, 4, 5}));
    QCOMPARE(own.count({.cluster = "other"}), 10);
    QCOMPARE(own.count({.text = QStringLiteral("work")}), 15); // the words of those removed are gone as well
}

void HistorySuite::recordsOverTheCountLimitAreRemoved()
{
    Store own(place(), OpenMode::Write);
    own.archive(batchOf(1, 2500));
    QCOMPARE(own.prune("default", {.keepJobs = 5000}), 0);
    qint64 removed = 0;
    for (qint64 part = 1; part > 0;) {
        part = own.prune("default", {.keepFor = std::chrono::hours(24 * 365 * 100), .keepJobs = 3});
        removed += part;
    }
    QCOMPARE(removed, 2497);
    QCOMPARE(numbersOf(own.query({})), (QList<int>{2500, 2499, 2498}));
}

// A count that is too high would remove what is to be kept.
void HistorySuite::deletedRowsAreNotCounted()
{
    Store own(place(), OpenMode::Write);
    own.archive(batchOf(1, 30));
    own.archive(batchOf(1, 30));
    execRaw(QStringLiteral("DELETE FROM job WHERE number <= 20"));
    QCOMPARE(own.prune("default", {.keepJobs = 10}), 0);
    QCOMPARE(own.prune("default", {.keepJobs = 9}), 1);
    QCOMPARE(own.count({}), 9);
    execRaw(QStringLiteral("DELETE FROM job"));
    own.archive(batchOf(1, 5));
    QCOMPARE(own.prune("default", {.keepJobs = 4}), 1);
}

void HistorySuite::nothingIsReadWhereNothingIs()
{
    Store reader(place(), OpenMode::Read);
    QVERIFY_THROWS_EXCEPTION(NoHistory, reader.query({}));
    QVERIFY_THROWS_EXCEPTION(NoHistory, reader.coverage({}));
    Store(place(), OpenMode::Write).archive(batchOf(1, 1));
    QCOMPARE(reader.count({}), 1); // by the reader that found no history before
}

void HistorySuite::aNewerSchemaIsRefused()
{
    store(place(), {entry(1)});
    execRaw(QStringLiteral("INSERT INTO drover_schema (version) VALUES (99)"));
    for (const OpenMode access : {OpenMode::Read, OpenMode::Write}) {
        Store later(place(), access);
        const QByteArray failure = failureOf([&] { later.count({}); });
        QVERIFY2(failure.contains("newer drover (schema 99, this one knows 3)"), failure);
        QVERIFY(!failure.contains('\n'));
        QVERIFY(!failureOf([&] { later.archive(batchOf(2, 1)); }).isEmpty());
    }
}

void HistorySuite::aMalformedRecordIsShownAsSuch()
{
    store(place(), {entry(1), entry(2), entry(3)});
    execRaw(QStringLiteral("UPDATE job SET record = '{' WHERE number = 2"));
    const Page page = Store(place(), OpenMode::Read).query({});
    QCOMPARE(numbersOf(page), (QList<int>{3, 2, 1}));
    QVERIFY(page.entries[0].malformed.isEmpty());
    QVERIFY(page.entries[1].malformed.contains(u"JSON"));
    QCOMPARE(page.entries[1].record.name, QStringLiteral("work"));
}

void HistorySuite::theLoopGoesOnWhileTheDatabaseIsBusy()
{
    async::QtLoop loop;
    History history(loop, place(), OpenMode::Write);
    QCOMPARE(await(history.archive(batchOf(1, 1))), 1);

    Database other(place(), OpenMode::Write);
    other.open();
    Database::Transaction holding(other);
    other.exec(QStringLiteral("DELETE FROM job"));
    if (place().engine == Location::Engine::Postgres)
        other.exec(QStringLiteral("LOCK TABLE job"));
    qint64 added = -1;
    async::TaskGroup tasks;
    const auto archive = [&]() -> async::Task<void> { added = co_await history.archive(batchOf(1, 1)); };
    tasks.spawn(archive());
    {
        async::TaskGroup impatient;
        const Query all;
        const auto query = [&]() -> async::Task<void> { co_await history.count(all); };
        impatient.spawn(query());
    } // the caller of count() does not wait for its answer
    int turns = 0;
    QVERIFY(QTest::qWaitFor([&] { return ++turns > 20; }));
    QCOMPARE(added, -1);
    holding.commit();
    QVERIFY(QTest::qWaitFor([&] { return tasks.empty(); }, 30'000));
    QCOMPARE(added, 1);
}

} // namespace drover::test
