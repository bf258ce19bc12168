#include "jobs/model/array_progress.h"
#include "jobs/model/job_spec.h"

#include <QJsonDocument>
#include <QTest>

#include <set>

using namespace drover::jobs;
using namespace std::chrono_literals;

class ArrayProgressTest : public QObject
{
    Q_OBJECT

    static JobSpec spec(const ArrayIndices &range)
    {
        JobSpec spec;
        spec.command = QStringList{QStringLiteral("true")};
        spec.array = range;
        spec.key = QStringLiteral("key");
        return spec;
    }

    static QByteArray withField(const char *json)
    {
        return withProgress(spec({0, 99, 1, 0}), QJsonDocument::fromJson(json).object());
    }
    static QByteArray withProgress(const JobSpec &spec, const QJsonObject &progress)
    {
        JobRecord record = spec.record();
        record.setNotes(versioned({{QStringLiteral("progress"), progress}}));
        return record.bytes();
    }

private Q_SLOTS:
    // Some hundred bytes cost the master 63 MB.
    void aFewBytesDoNotOpenAMillionTasks()
    {
        const QByteArray stored = withProgress(spec({1, 1'000'000, 1, 0}),
                                               {{QStringLiteral("v"), 1},
                                                {QStringLiteral("next"), 1'000'000},
                                                {QStringLiteral("open"), QStringLiteral("0-999999")}});
        QVERIFY_THROWS_EXCEPTION(Malformed, ArrayProgress::of(stored, {1, 1'000'000, 1, 0}));
    }

    // Nodes that are allowed cost little, too: a master may hold a thousand of them.
    void openPlacesAreStoredAsRanges()
    {
        const ArrayProgress progress =
            ArrayProgress::of(withField(R"({"v":1,"next":90,"open":"0-39,50-89","ok":10})"), {0, 99, 1, 0});
        QCOMPARE(progress.open.size(), 80);
        QCOMPARE(progress.open.ranges().size(), std::size_t(2));
    }

    void aPlaceSetIsASetOfPlaces()
    {
        std::set<qint32> expected;
        PlaceSet places;
        for (const qint32 place : {0, 1, 2, 3, 4, 7, 8, 9, 20, 22, 23}) {
            expected.insert(place);
            places.append(place);
        }
        QCOMPARE(places.ranges().size(), std::size_t(4));
        for (const qint32 gone : {2, 2, 0, 9, 5, 20, 4, 22, -1, 100}) { // within, at both ends, alone, and none
            expected.erase(gone);
            places.erase(gone);
            std::set<qint32> present;
            for (const qint32 place : places)
                present.insert(place);
            QCOMPARE(present, expected);
            QCOMPARE(std::size_t(places.size()), expected.size());
            for (qint32 place = -2; place < 30; ++place)
                QCOMPARE(places.contains(place), expected.contains(place));
        }
        QVERIFY(places == (PlaceSet{1, 3, 7, 8, 23}));
        const PlaceSet none;
        QVERIFY(none.empty() && none.begin() == none.end());
    }

    void nothingHasBegunAtFirst()
    {
        const ArrayIndices range{1, 10, 1, 0};
        const ArrayProgress progress = ArrayProgress::of(spec(range).encode(), range);
        QVERIFY(!progress.begun());
        QCOMPARE(progress.counted(), 0);
        QCOMPARE(progress.toString(10), QStringLiteral("0/10"));
    }

    void everyTaskIsOpenOrCountedOnce()
    {
        ArrayProgress progress;
        QCOMPARE(progress.expand(4, 10), (std::vector<qint32>{0, 1, 2, 3}));
        QCOMPARE(progress.expand(0, 10), std::vector<qint32>());
        QCOMPARE(progress.expand(-3, 10), std::vector<qint32>());
        progress.count(1, false, 0);
        progress.count(0, false, 3);
        progress.count(3, true, 125);
        QCOMPARE(progress.open, (PlaceSet{2}));
        QCOMPARE(progress.counted(), 3);
        QCOMPARE(progress.exitCode, 125);
        QCOMPARE(progress.toString(10), QStringLiteral("3/10, 1 failed, 1 cancelled"));
        QCOMPARE(progress.expand(100, 10), (std::vector<qint32>{4, 5, 6, 7, 8, 9}));
        QCOMPARE(progress.next, 10);
        QCOMPARE(progress.counted() + int(progress.open.size()), 10);
    }

    void skippedTasksAreNeverExpanded()
    {
        const ArrayIndices range{10, 100, 10, 0}; // places 0 to 9
        ArrayProgress progress;
        progress.expand(2, 10);
        QCOMPARE(progress.skipIndices(20, 45, range), 2); // 30 and 40: 20 is expanded
        QCOMPARE(progress.skipIndices(70, 70, range), 1);
        QCOMPARE(progress.skipIndices(71, 79, range), 0);
        QCOMPARE(progress.skipIndices(1, 9, range), 0);
        QCOMPARE(progress.skipIndices(50, 59, range), 1); // beside the others
        QCOMPARE(progress.skipped, (std::map<qint32, qint32>{{2, 4}, {6, 6}}));
        QCOMPARE(ArrayProgress::of(progress.mergedInto(spec(range).encode()), range), progress);
        QCOMPARE(progress.expand(2, 10), (std::vector<qint32>{5, 7}));
        QCOMPARE(progress.cancelled, 4);
        QCOMPARE(progress.exitCode, 125);
        QCOMPARE(progress.skipIndices(100, 1000, range), 1);
        QCOMPARE(progress.expand(5, 10), std::vector<qint32>{8});
        QCOMPARE(progress.next, 10);
        QCOMPARE(progress.counted() + int(progress.open.size()), 10);
        QVERIFY(progress.skipped.empty());
    }

    void skippedTasksOfAListAreNeverExpanded()
    {
        const ArrayIndices indices = *ArrayIndices::parse(QStringLiteral("1-3,8,20-40:10")); // places 0 to 6
        ArrayProgress progress;
        QCOMPARE(progress.skipIndices(3, 20, indices), 3);
        QCOMPARE(progress.skipIndices(4, 7, indices), 0);
        QCOMPARE(progress.skipIndices(41, std::numeric_limits<qint32>::max(), indices), 0);
        QCOMPARE(ArrayProgress::of(progress.mergedInto(spec(indices).encode()), indices), progress);
        QCOMPARE(progress.expand(9, indices.count()), (std::vector<qint32>{0, 1, 5, 6}));
    }

    void rangesThatOverlapAreOne()
    {
        const ArrayIndices range{0, 999'999, 1, 0};
        ArrayProgress progress;
        for (const qint32 first : {10, 30, 50, 20})
            progress.skipIndices(first, first + 10, range);
        QCOMPARE(progress.skipped, (std::map<qint32, qint32>{{10, 40}, {50, 60}}));
        progress.skipIndices(0, 999'999, range);
        QCOMPARE(progress.skipped, (std::map<qint32, qint32>{{0, 999'999}}));
        QCOMPARE(progress.expand(1000, 1'000'000), std::vector<qint32>());
        QCOMPARE(progress.cancelled, 1'000'000);
    }

    // They have no records, so nothing else tells of them later.
    void skippedIndicesAreStored()
    {
        const ArrayIndices range{10, 100, 10, 0}; // places 0 to 9
        ArrayProgress progress;
        progress.expand(1, 10);
        progress.skipIndices(20, 30, range);
        QVERIFY(progress.isNeverMade(1, false) && !progress.isToCome(1, false));
        QVERIFY(!progress.isNeverMade(3, false) && progress.isToCome(3, false));
        QVERIFY(progress.isNeverMade(3, true) && !progress.isToCome(3, true));
        QVERIFY(!progress.isNeverMade(0, true) && !progress.isToCome(0, false));
        progress.expand(2, 10);
        QCOMPARE(progress.neverMade, PlaceSet({1, 2}));
        QVERIFY(progress.isNeverMade(2, false) && !progress.isNeverMade(3, false));
        QCOMPARE(ArrayProgress::of(progress.mergedInto(spec(range).encode()), range), progress);
        progress.skipIndices(80, 80, range);
        progress.cancelRest(10);
        QCOMPARE(progress.neverMade, PlaceSet({1, 2, 5, 6, 7, 8, 9}));
        QCOMPARE(progress.cancelled, 7);
        QCOMPARE(ArrayProgress::of(progress.mergedInto(spec(range).encode()), range), progress);
    }

    // A stored text may name any range.
    void rangesOfUnmadeTasksLieBeforeTheNext()
    {
        const ArrayIndices range{0, 99, 1, 0};
        const auto stored = [&](const char *neverMade) {
            ArrayProgress progress;
            progress.expand(5, 100);
            progress.skipIndices(5, 9, range);
            progress.expand(1, 100);
            progress.count(10, false, 0);
            return progress.mergedInto(spec(range).encode()).replace("\"5-9\"", QByteArray("\"") + neverMade + '"');
        };
        QCOMPARE(ArrayProgress::of(stored("5-9"), range).neverMade, PlaceSet({5, 6, 7, 8, 9}));
        QVERIFY_THROWS_EXCEPTION(Malformed, ArrayProgress::of(stored("5-11"), range));
        QVERIFY_THROWS_EXCEPTION(Malformed, ArrayProgress::of(stored("9-5"), range));
    }

    void unexpandedTasksCanBeCancelled()
    {
        ArrayProgress progress;
        progress.expand(2, 10);
        progress.cancelRest(10);
        QCOMPARE(progress.cancelled, 8);
        QCOMPARE(progress.exitCode, 125);
        QCOMPARE(progress.expand(5, 10), std::vector<qint32>());
        progress.count(0, false, 0);
        progress.count(1, false, 0);
        progress.cancelRest(10);
        QCOMPARE(progress.counted(), 10);
        QCOMPARE(progress.summary(10), QStringLiteral("10 tasks: 2 ok, 8 cancelled"));
    }

    void itIsStoredBesideTheSpec()
    {
        const ArrayIndices range{10, 1000, 10, 7};
        const QByteArray stored = spec(range).encode();
        ArrayProgress progress;
        progress.expand(40, range.count());
        for (const qint32 place : {0, 1, 5, 6, 7, 39})
            progress.count(place, place == 5, place);
        progress.begunAt = 1700000000123ms;
        const QByteArray merged = progress.mergedInto(stored);
        QVERIFY(ArrayProgress::of(merged, range) == progress);
        QVERIFY(merged.contains("\"2-4,8-38\""));
        const JobSpec read = JobSpec::decode(merged, "default", 5);
        QCOMPARE(read.encode(), stored);
        QVERIFY(JobSpec::decode(noted(merged, &JobNotes::markCancelled), "default", 5).notes.cancelled);
        QVERIFY(ArrayProgress::of(noted(merged, &JobNotes::markCancelled), range) == progress);
    }

    // As long as it can become: as many as may be open, each by itself, at the end of the largest array.
    void aSpecAtTheCapHasRoomForIt()
    {
        const ArrayIndices range{0, ArrayIndices::MaxCount - 1, 1, 0};
        JobSpec full = spec(range);
        full.command.append(QString());
        full.command.back() = QString(JobSpec::MaxSize - full.encode().size(), u'x');
        ArrayProgress progress;
        progress.expand(ArrayIndices::MaxCount, ArrayIndices::MaxCount);
        for (qint32 place = 0; place < ArrayIndices::MaxCount; ++place) {
            if (place < ArrayIndices::MaxCount - 2 * ArrayProgress::MaxOpen || place % 2 == 0)
                progress.count(place, false, 0);
        }
        QCOMPARE(int(progress.open.size()), ArrayProgress::MaxOpen);
        progress.begunAt = 1700000000123ms;
        const QByteArray merged = noted(progress.mergedInto(full.encode()), &JobNotes::markCancelled);
        QVERIFY(merged.size() <= JobSpec::MaxSize + JobNotes::MaxSize + ArrayProgress::MaxSize);
        QCOMPARE(JobSpec::decode(merged, "default", 5).command, full.command);
        QVERIFY(ArrayProgress::of(merged, range) == progress);
    }

    void inconsistentCountsAreMalformed_data()
    {
        QTest::addColumn<QByteArray>("stored");
        const auto row = [](const char *name, const char *json) { QTest::newRow(name) << withField(json); };
        row("no version", R"({"next":1,"ok":1})");
        row("one too many", R"({"v":1,"next":1,"open":"0","ok":1})");
        row("one too few", R"({"v":1,"next":2,"ok":1})");
        row("open beyond next", R"({"v":1,"next":1,"open":"5"})");
        row("open backwards", R"({"v":1,"next":9,"open":"5-3","ok":8})");
        row("no number", R"({"v":1,"next":1,"open":"x"})");
        row("more than there are", R"({"v":1,"next":101,"ok":101})");
        row("a huge range", R"({"v":1,"next":1,"open":"0-2147483647"})");
    }
    void inconsistentCountsAreMalformed()
    {
        QFETCH(QByteArray, stored);
        const ArrayIndices range{0, 99, 1, 0};
        QVERIFY_THROWS_EXCEPTION(Malformed, ArrayProgress::of(stored, range));
    }

    void aTaskIsAJobOfItsOwn()
    {
        const ArrayIndices range{1, 99, 2, 5};
        JobSpec array = spec(range);
        array.name = QStringLiteral("name");
        array.retry.limit = 2;
        array.notes.heldBy = QStringLiteral("me");
        array.after = {{Dependency::Kind::Ok, {"default", 1}}};
        array.notes.notBefore = 5ms;
        ArrayProgress progress;
        progress.expand(3, range.count());
        const QByteArray stored = noted(progress.mergedInto(array.encode()), &JobNotes::markCancelled);
        const QByteArray task = taskOf(stored, 7);
        JobSpec expected = array;
        expected.array.reset();
        expected.arrayCount = 50;
        expected.key.clear();
        expected.after.clear();
        expected.notes = {.index = 7};
        const JobSpec read = JobSpec::decode(task, "default", 5);
        QCOMPARE(read.encode(), expected.encode());
        QVERIFY(read.ofArray == range);
        QCOMPARE(JobRecord::parse(task).text, JobRecord::parse(stored).text);
        QVERIFY(!task.contains("progress"));
    }

    void manyTasksAreSummarizedReadably()
    {
        ArrayProgress progress;
        progress.ok = 999'998;
        progress.failed = 2;
        QCOMPARE(progress.summary(1'000'000), QStringLiteral("1,000,000 tasks: 999,998 ok, 2 failed"));
        QCOMPARE(ArrayProgress{}.summary(1), QStringLiteral("1 task: 0 ok"));
    }
};

QTEST_GUILESS_MAIN(ArrayProgressTest)
#include "array_progress_test.moc"
