#include "core/history/history_suite.h"
#include "history/statement.h"

#include <QRegularExpression>
#include <QTest>

#include <array>
#include <random>

namespace drover::test {

using namespace history;
using namespace std::chrono_literals;

namespace {

using Key = std::tuple<QByteArray, qint64, qint64, qint64, int>; // the last: when it was archived

// What the orders have to tell apart: many equal ones, empty ones, letters of several bytes, tasks, a second attempt.
std::vector<ArchivedJob> randomEntries(unsigned seed, int first, int count)
{
    std::mt19937 random(seed);
    const auto below = [&random](int end) { return static_cast<int>(random() % static_cast<unsigned>(end)); };
    const QStringList names{QStringLiteral("a"),    QStringLiteral("a-b"),    QStringLiteral("B"),
                            QStringLiteral("b%_'"), QStringLiteral("\u8bd5"), QStringLiteral("\u00e9"),
                            QStringLiteral("~")};
    std::vector<ArchivedJob> entries;
    for (int i = 0; i < count; ++i) {
        ArchivedJob made = entry(first + i);
        made.record.name = names[below(int(names.size()))];
        made.record.id.queue = below(3) == 0 ? "gpu" : "default";
        if (below(4) == 0)
            made.record.id.task = below(3);
        made.record.worker = below(4) == 0 ? QString() : QStringLiteral("w%1").arg(below(5));
        made.record.submitter = QStringLiteral("user%1@here").arg(below(3));
        using enum jobs::FinalRecord::Outcome;
        const std::array outcomes{Exited, Exited, Exited, NotStarted, Signalled, TimedOut, Cancelled, GaveUp};
        made.record.outcome = outcomes[std::size_t(below(int(outcomes.size())))];
        made.record.code = below(4) * 50; // of texts the order would be another
        made.record.signal = below(9);
        made.endedAt = Noon + std::chrono::seconds(below(count / 4 + 1));
        if (below(5) == 0)
            made.record.startedAt = made.record.finishedAt = {};
        else
            made.record.finishedAt = made.record.startedAt + std::chrono::seconds(below(20));
        made.record.submittedAt = std::chrono::milliseconds(below(6) * 900);
        made.record.cpuTime = std::chrono::milliseconds(below(9));
        made.record.peakMemory = below(9) * 1000;
        entries.push_back(made);
    }
    return entries;
}

Key keyOf(const ArchivedJob &job, Order::By by, int archived)
{
    const jobs::FinalRecord &record = job.record;
    const qint64 ended = job.endedAt.count();
    const auto ofText = [&](const QString &text) { return Key{text.toUtf8(), 0, 0, ended, archived}; };
    const auto ofNumber = [&](qint64 number) { return Key{{}, number, 0, ended, archived}; };
    switch (by) {
    case Order::By::Ended:
        break;
    case Order::By::Id:
        return {record.id.queue, record.id.number, record.id.task, 0, archived};
    case Order::By::Name:
        return ofText(record.name);
    case Order::By::State:
        return ofText(jobs::stateName(record.state()));
    case Order::By::Worker:
        return ofText(record.worker);
    case Order::By::Submitter:
        return ofText(record.submitter);
    case Order::By::Ran:
        return ofNumber(std::max<qint64>(0, (record.finishedAt - record.startedAt).count()));
    case Order::By::Cpu:
        return ofNumber(record.cpuTime.count());
    case Order::By::Peak:
        return ofNumber(record.peakMemory);
    case Order::By::Exit:
        return ofNumber(record.exitCode());
    case Order::By::Submitted:
        return ofNumber(record.submittedAt.count());
    case Order::By::Started:
        return ofNumber(record.startedAt.count());
    }
    return ofNumber(0);
}

// Ids are those of randomEntries(): the number is of one job alone.
QList<int> sortedNumbers(const std::vector<ArchivedJob> &entries, const Order &order)
{
    std::vector<std::pair<Key, int>> keyed;
    for (const ArchivedJob &job : entries)
        keyed.emplace_back(keyOf(job, order.by, int(keyed.size())), job.record.id.number);
    std::sort(keyed.begin(), keyed.end());
    QList<int> numbers;
    for (const auto &[key, number] : keyed)
        numbers.append(number);
    if (order.descending)
        std::reverse(numbers.begin(), numbers.end());
    return numbers;
}

// PostgreSQL prepares no EXPLAIN.
QString withValues(const Statement &statement)
{
    const QStringList parts = statement.sql.split(u'?');
    QString sql = parts.front();
    for (qsizetype i = 0; i < statement.values.size(); ++i) {
        const QVariant &value = statement.values[i];
        const bool isText = value.typeId() == QMetaType::QString;
        sql += isText ? u'\'' + value.toString().replace(u'\'', QStringLiteral("''")) + u'\'' : value.toString();
        sql += parts[i + 1];
    }
    return sql;
}

void addOrders()
{
    QTest::addColumn<Order>("order");
    for (const QString &name : orderNames()) {
        for (const char *const direction : {":asc", ":desc"})
            QTest::newRow(qPrintable(name + QLatin1String(direction)))
                << *Order::parse(name + QLatin1String(direction));
    }
}

} // namespace

void HistorySuite::pagesOfEachOrderAreTheWholeSorted_data()
{
    addOrders();
}

void HistorySuite::pagesOfEachOrderAreTheWholeSorted()
{
    QFETCH(Order, order);
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    const std::vector<ArchivedJob> entries = randomEntries(seed, 1, 200);
    Store own(place(), OpenMode::Write);
    own.archive({"default", {Noon}, entries});
    own.archive({"other", {Noon}, entries});
    for (const bool walk : {false, true}) {
        Query query{.cluster = "default", .walk = walk, .limit = 7, .order = order};
        QList<int> seen;
        do {
            const Page page = own.query(query);
            seen += numbersOf(page);
            query.after = page.next;
        } while (query.after);
        QCOMPARE(seen, sortedNumbers(entries, order));
    }
}

void HistorySuite::whatComesAndGoesMeanwhileDoublesNoJob_data()
{
    addOrders();
}

// Jobs are archived before and behind the place that was read to, and the oldest are pruned, that of the cursor too.
void HistorySuite::whatComesAndGoesMeanwhileDoublesNoJob()
{
    QFETCH(Order, order);
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    const std::vector<ArchivedJob> entries = randomEntries(seed, 1, 60);
    Store own(place(), OpenMode::Write);
    own.archive({"default", {Noon}, entries});
    Query query{.limit = 9, .order = order};
    QList<int> seen;
    int turn = 0;
    do {
        const Page page = own.query(query);
        seen += numbersOf(page);
        query.after = page.next;
        ++turn;
        own.archive({"default", {Noon}, randomEntries(seed + unsigned(turn), 1000 * turn, 4)});
        execRaw(QStringLiteral("DELETE FROM job WHERE number = %1").arg(seen.last()));
    } while (query.after && turn < 100);
    QVERIFY(turn < 100); // or it runs behind those that come
    QCOMPARE(QSet<int>(seen.begin(), seen.end()).size(), seen.size());
    QList<int> ofFirst;
    std::copy_if(seen.begin(), seen.end(), std::back_inserter(ofFirst), [](int number) { return number < 1000; });
    QCOMPARE(ofFirst, sortedNumbers(entries, order));
}

void HistorySuite::stretchesOfEachOrderHoldEachJobOnce_data()
{
    addOrders();
}

void HistorySuite::stretchesOfEachOrderHoldEachJobOnce()
{
    QFETCH(Order, order);
    const unsigned seed = std::random_device{}();
    qInfo("seed %u", seed);
    const std::vector<ArchivedJob> entries = randomEntries(seed, 1, 55);
    Store own(place(), OpenMode::Write);
    own.archive({"default", {Noon}, entries});
    QList<int> seen;
    Query query{.walk = true, .limit = 100, .order = order};
    do {
        query.after = query.downTo;
        query.downTo.reset();
        query.downTo = own.skip(query, 10);
        const QList<int> stretch = numbersOf(own.query(query));
        QCOMPARE(stretch.size(), query.downTo ? 10 : 5);
        seen += stretch;
    } while (query.downTo);
    QCOMPARE(seen, sortedNumbers(entries, order));
}

void HistorySuite::anOrderReadsItsIndex_data()
{
    QTest::addColumn<Order>("order");
    QTest::addColumn<QString>("index");
    const auto ofIds = QStringLiteral("sqlite_autoindex_job_1|job_queue_number_task_\\w+_key");
    QTest::newRow("ended") << Order{Order::By::Ended, false} << QStringLiteral("job_ended");
    QTest::newRow("id") << Order{Order::By::Id, true} << ofIds;
    QTest::newRow("name") << Order{Order::By::Name, false} << QStringLiteral("job_name");
    QTest::newRow("worker") << Order{Order::By::Worker, true} << QStringLiteral("job_worker");
}

// Only rows that are equal in what the index has are sorted. SQLite does so whatever else is asked for; PostgreSQL
// weighs the conditions, so there are none here.
void HistorySuite::anOrderReadsItsIndex()
{
    QFETCH(Order, order);
    QFETCH(QString, index);
    const std::vector<ArchivedJob> entries = randomEntries(1, 1, 90);
    Store own(place(), OpenMode::Write);
    own.archive({"default", {Noon}, entries});
    Query query{.walk = true, .limit = 7, .order = order};
    Database database(place(), OpenMode::Read);
    database.open();
    const bool isSqlite = place().engine == Location::Engine::Sqlite;
    if (isSqlite) {
        query.cluster = query.queue = "default";
        query.tasks = false;
    } else { // a table so small is read whole otherwise
        for (const char *const other : {"enable_seqscan", "enable_bitmapscan", "enable_sort"})
            database.exec(QStringLiteral("SET %1 TO off").arg(QLatin1String(other)));
    }
    for (int page = 0; page < 2; ++page) {
        const Statement statement = page == 0 ? Statement::page(query, database) : Statement::place(query, 9, database);
        QSqlQuery steps = database.exec((isSqlite ? QStringLiteral("EXPLAIN QUERY PLAN ") : QStringLiteral("EXPLAIN "))
                                        + withValues(statement));
        QString plan;
        while (steps.next())
            plan += steps.value(isSqlite ? 3 : 0).toString() + u'\n';
        QVERIFY2(plan.contains(QRegularExpression(index)), qPrintable(plan));
        static const QRegularExpression sortsAll(QStringLiteral("FOR ORDER BY|(?<!Incremental )Sort  "));
        QVERIFY2(!plan.contains(sortsAll), qPrintable(plan));
        query.after = own.query(query).next;
        QVERIFY(query.after);
    }
}

// A history as an earlier version has made it, whose masters would refuse a newer schema.
void HistorySuite::anIndexComesWithoutANewSchema()
{
    const auto schema = [this] {
        Database database(place(), OpenMode::Read);
        database.open();
        QSqlQuery version = database.exec(QStringLiteral("SELECT MAX(version) FROM drover_schema"));
        return version.next() ? version.value(0).toInt() : -1;
    };
    const bool isSqlite = place().engine == Location::Engine::Sqlite;
    const auto hasIndex = [&] {
        Database database(place(), OpenMode::Read);
        database.open();
        return database
            .exec(isSqlite ? QStringLiteral("SELECT 1 FROM sqlite_master WHERE name = 'job_worker'")
                           : QStringLiteral("SELECT 1 FROM pg_indexes WHERE indexname = 'job_worker'"))
            .next();
    };
    const std::vector<ArchivedJob> entries = randomEntries(1, 1, 20);
    {
        Database database(place(), OpenMode::Write);
        database.open();
        database.exec(QStringLiteral("DROP INDEX job_worker"));
    }
    Store own(place(), OpenMode::Read);
    const Query query{.walk = true, .order = {Order::By::Worker, false}};
    QCOMPARE(numbersOf(own.query(query)), QList<int>());
    QVERIFY(!hasIndex()); // a reader makes none
    QCOMPARE(schema(), 3);
    Store(place(), OpenMode::Write).archive({"default", {Noon}, entries});
    QVERIFY(hasIndex());
    QCOMPARE(schema(), 3);
    QCOMPARE(numbersOf(own.query(query)), sortedNumbers(entries, query.order));
}

} // namespace drover::test
