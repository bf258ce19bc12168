#include "history/store.h"

#include "history/error.h"
#include "history/search_words.h"
#include "history/statement.h"

#include <QDateTime>
#include <QLoggingCategory>
#include <QSqlRecord>
#include <QSysInfo>

#include <algorithm>

namespace drover::history {

using std::chrono::milliseconds;

Q_LOGGING_CATEGORY(lcStore, "drover.history.store")

namespace {

constexpr std::size_t RowsAtOnce =
    10; // in one INSERT: few round trips; Qt and SQLite take quadratic time for placeholders
constexpr qint64 PrunedAtOnce = 2000; // a short transaction: others write too

// PostgreSQL stores every character but this one. And a null QString would be SQL's NULL.
QString storable(const QString &text)
{
    return QStringLiteral("") + QString(text).replace(QChar(0), QChar(0xfffd));
}

const QString Columns =
    QStringLiteral("cluster, made_ms, queue, number, task, attempt, name, state, outcome, submitter, "
                   "worker, ended_ms, wall_ms, cpu_ms, peak_bytes, words, record");
const QString Placeholders = QStringLiteral("(?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)");

// How much of a record's texts its row has.
enum class Texts {
    All,
    InRecord, // it is not found by them
    None,
};

jobs::FinalRecord withoutTexts(const jobs::FinalRecord &whole)
{
    jobs::FinalRecord record = whole;
    record.name.clear();
    record.command.clear();
    record.submitter.clear();
    record.tags.clear();
    record.worker.clear();
    record.key.clear();
    record.tail.clear();
    record.repeat = {};
    record.proof = {};
    record.reason = QStringLiteral("the history refused the texts of this record");
    return record;
}

QVariantList rowOf(const ArchiveBatch &batch, const ArchivedJob &entry, Texts which = Texts::All)
{
    const jobs::FinalRecord &whole = entry.record;
    const jobs::FinalRecord record = which == Texts::All ? whole : withoutTexts(whole);
    const QString name = record.name.isEmpty() ? record.command.value(0) : record.name;
    const QStringList texts = QStringList(record.name) + record.command + record.tags;
    const bool ran = record.startedAt.count() > 0 && record.finishedAt > record.startedAt;
    return {QString::fromUtf8(batch.cluster),
            qint64(batch.term.clusterMade.count()),
            QString::fromUtf8(record.id.queue),
            record.id.number,
            record.id.task,
            record.attempts.claimVersion,
            storable(name),
            jobs::stateName(record.state()),
            jobs::outcomeName(record.outcome),
            storable(record.submitter),
            storable(record.worker),
            qint64(entry.endedAt.count()),
            qint64(ran ? (record.finishedAt - record.startedAt).count() : 0),
            qint64(record.cpuTime.count()),
            record.peakMemory,
            storable(searchWords(texts.join(u' ')).join(u' ')),
            QString::fromUtf8((which == Texts::InRecord ? whole : record).encode())};
}

Cursor cursorFrom(const QSqlQuery &row, int firstColumn)
{
    Cursor cursor;
    for (int column = firstColumn; column < row.record().count(); ++column)
        cursor.place.append(row.value(column));
    return cursor;
}

// By Statement::page().
ArchivedJob entryFrom(const QSqlQuery &row)
{
    ArchivedJob entry;
    entry.cluster = row.value(1).toString().toUtf8();
    const jobs::JobId id{row.value(2).toString().toUtf8(), row.value(3).toInt(), row.value(7).toInt()};
    entry.endedAt = milliseconds(row.value(4).toLongLong());
    try {
        entry.record = jobs::FinalRecord::decode(row.value(5).toString().toUtf8(), id);
    } catch (const jobs::Malformed &error) {
        entry.malformed = QString::fromUtf8(error.what());
        entry.record.id = id;
        entry.record.outcome = jobs::FinalRecord::Outcome::Malformed;
        entry.record.name = row.value(6).toString();
    }
    return entry;
}

QString keyExpression(GroupBy by)
{
    if (by == GroupBy::Day)
        return QStringLiteral("ended_ms / 86400000");
    if (by == GroupBy::Hour)
        return QStringLiteral("ended_ms / 3600000");
    return groupName(by);
}

QString keyText(GroupBy by, const QVariant &key)
{
    if (by != GroupBy::Day && by != GroupBy::Hour)
        return key.toString();
    const qint64 unit = by == GroupBy::Day ? 86'400'000 : 3'600'000;
    const QDateTime begin = QDateTime::fromMSecsSinceEpoch(key.toLongLong() * unit, Qt::UTC);
    return begin.toString(by == GroupBy::Day ? QStringLiteral("yyyy-MM-dd") : QStringLiteral("yyyy-MM-ddTHH"));
}

} // namespace

// After an error the connection is not trusted again.
template <typename Work>
auto Store::attempt(const Work &work) -> decltype(work())
{
    m_database.open();
    try {
        return work();
    } catch (const HistoryError &) {
        m_database.close();
        throw;
    }
}

qint64 Store::archive(const ArchiveBatch &batch)
{
    return attempt([&] {
        using std::placeholders::_1, std::placeholders::_2;
        try {
            return archiveBy(std::bind(&Store::insert, this, std::cref(batch), _1, _2), batch);
        } catch (const RecordRefused &) {
            // Nothing of it is there: again, with more round trips.
        }
        if (batch.refused)
            batch.refused->clear();
        return archiveBy(std::bind(&Store::insertCarefully, this, std::cref(batch), _1, _2), batch);
    });
}

qint64 Store::archiveBy(const Insert &insert, const ArchiveBatch &batch)
{
    Database::Transaction transaction(m_database);
    enter(batch.cluster, batch.term);
    qint64 added = 0;
    for (std::size_t begin = 0; begin < batch.entries.size(); begin += RowsAtOnce)
        added += insert(begin, std::min(batch.entries.size(), begin + RowsAtOnce));
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    m_database.exec(QStringLiteral("INSERT INTO machine (cluster, host, since_ms, until_ms) VALUES (?, ?, ?, ?) "
                                   "ON CONFLICT (cluster, host) DO UPDATE SET until_ms = excluded.until_ms"),
                    {QString::fromUtf8(batch.cluster), QSysInfo::machineHostName(), now, now});
    transaction.commit();
    return added;
}

// Holds the row until the commit, so that of two masters at the same time one sees the other's fencing token.
void Store::enter(const QByteArray &cluster, const Term &term)
{
    if (term.masterToken == 0)
        return;
    const QSqlQuery entered =
        m_database.exec(QStringLiteral("INSERT INTO master (cluster, made_ms, epoch) VALUES (?, ?, ?) "
                                       "ON CONFLICT (cluster, made_ms) DO UPDATE SET epoch = excluded.epoch "
                                       "WHERE master.epoch <= excluded.epoch"),
                        {QString::fromUtf8(cluster), qint64(term.clusterMade.count()), term.masterToken});
    if (entered.numRowsAffected() < 1)
        throw StaleMaster(
            QStringLiteral("a later master has archived into the history %1 than the one with fencing token "
                           "%2; if ZooKeeper was restored from a backup, begin another history")
                .arg(m_database.location().display(), QString::number(term.masterToken)));
}

qint64 Store::insert(const ArchiveBatch &batch, std::size_t begin, std::size_t end)
{
    QStringList rows;
    QVariantList values;
    for (std::size_t i = begin; i < end; ++i) {
        rows.append(Placeholders);
        values += rowOf(batch, batch.entries[i]);
    }
    return insertRows(rows, values);
}

// Of a batch that holds what the database refuses: these rows together, or, if one of them is refused, each by itself.
qint64 Store::insertCarefully(const ArchiveBatch &batch, std::size_t begin, std::size_t end)
{
    QString refusal;
    if (const std::optional<qint64> added = unlessRefused([&] { return insert(batch, begin, end); }, refusal))
        return *added;
    qint64 added = 0;
    for (std::size_t i = begin; i < end; ++i)
        added += insertWithout(batch, batch.entries[i]);
    return added;
}

// One row, without those of its texts for which it would be refused, or none.
qint64 Store::insertWithout(const ArchiveBatch &batch, const ArchivedJob &entry)
{
    const QString job = entry.record.id.toString();
    QString refusal;
    for (const Texts texts : {Texts::All, Texts::InRecord, Texts::None}) {
        const QVariantList row = rowOf(batch, entry, texts);
        const std::optional<qint64> added = unlessRefused([&] { return insertRows({Placeholders}, row); }, refusal);
        if (added && texts != Texts::All)
            qCWarning(lcStore, "the record of %ls is archived without some of its texts: %ls", qUtf16Printable(job),
                      qUtf16Printable(refusal));
        if (added)
            return *added;
    }
    if (!batch.refused)
        throw RecordRefused(QStringLiteral("%1 (the record of %2)").arg(refusal, job));
    batch.refused->emplace_back(entry.record.id, refusal);
    return 0;
}

// Nothing, and why, if the database refuses what it inserts.
template <typename Work>
std::optional<qint64> Store::unlessRefused(const Work &work, QString &refusal)
{
    m_database.exec(QStringLiteral("SAVEPOINT careful"));
    std::optional<qint64> added;
    try {
        added = work();
    } catch (const RecordRefused &error) {
        refusal = QString::fromUtf8(error.what());
        m_database.exec(QStringLiteral("ROLLBACK TO SAVEPOINT careful"));
    }
    m_database.exec(QStringLiteral("RELEASE SAVEPOINT careful"));
    return added;
}

qint64 Store::insertRows(const QStringList &rows, const QVariantList &values)
{
    const QString sql = QStringLiteral("INSERT INTO job (%1) VALUES %2 ON CONFLICT DO NOTHING");
    return m_database.exec(sql.arg(Columns, rows.join(QStringLiteral(", "))), values).numRowsAffected();
}

Page Store::query(const Query &query)
{
    return attempt([&] {
        const Statement statement = Statement::page(query, m_database);
        QSqlQuery rows = m_database.exec(statement.sql, statement.values);
        Page page;
        Cursor last;
        while (rows.next()) {
            if (static_cast<qsizetype>(page.entries.size()) == query.limit) { // there is one more
                page.next = last;
                break;
            }
            page.entries.push_back(entryFrom(rows));
            last = cursorFrom(rows, Statement::EntryColumns);
        }
        return page;
    });
}

qint64 Store::count(const Query &query)
{
    return attempt([&] {
        const Condition where = Condition::of(query, m_database.dialect());
        QSqlQuery row =
            m_database.exec(QStringLiteral("SELECT COUNT(*) FROM job WHERE %1").arg(where.sql), where.values);
        return row.next() ? row.value(0).toLongLong() : 0;
    });
}

std::optional<Cursor> Store::skip(const Query &query, qint64 jobs)
{
    return attempt([&]() -> std::optional<Cursor> {
        const Statement statement = Statement::place(query, jobs - 1, m_database);
        QSqlQuery row = m_database.exec(statement.sql, statement.values);
        return row.next() ? std::optional(cursorFrom(row, 0)) : std::nullopt;
    });
}

std::vector<GroupTotals> Store::summarize(const Query &query, GroupBy by)
{
    return attempt([&] {
        const Condition where = Condition::of(query, m_database.dialect());
        const bool byTime = by == GroupBy::Day || by == GroupBy::Hour;
        QSqlQuery rows = m_database.exec(
            QStringLiteral("SELECT %1 AS k, COUNT(*) AS n, "
                           "SUM(CASE WHEN state = 'succeeded' THEN 1 ELSE 0 END), "
                           "SUM(CASE WHEN state = 'failed' THEN 1 ELSE 0 END), "
                           "SUM(CASE WHEN state = 'cancelled' THEN 1 ELSE 0 END), "
                           "CAST(SUM(cpu_ms) AS BIGINT), CAST(SUM(wall_ms) AS BIGINT), MAX(peak_bytes), "
                           "MIN(ended_ms), MAX(ended_ms) "
                           "FROM job WHERE %2 GROUP BY k ORDER BY %3 LIMIT ?")
                .arg(keyExpression(by), where.sql, byTime ? QStringLiteral("k DESC") : QStringLiteral("n DESC, k")),
            where.values + QVariantList{qint64(query.limit)});
        std::vector<GroupTotals> groups;
        while (rows.next()) {
            GroupTotals group;
            group.key = keyText(by, rows.value(0));
            group.jobs = rows.value(1).toLongLong();
            group.succeeded = rows.value(2).toLongLong();
            group.failed = rows.value(3).toLongLong();
            group.cancelled = rows.value(4).toLongLong();
            group.cpuTime = milliseconds(rows.value(5).toLongLong());
            group.wallTime = milliseconds(rows.value(6).toLongLong());
            group.peakMemory = rows.value(7).toLongLong();
            group.first = milliseconds(rows.value(8).toLongLong());
            group.last = milliseconds(rows.value(9).toLongLong());
            groups.push_back(std::move(group));
        }
        return groups;
    });
}

qint64 Store::prune(const QByteArray &cluster, const Retention &retention, const Term &term)
{
    return attempt([&] {
        Database::Transaction transaction(m_database);
        enter(cluster, term);
        const QString of = QString::fromUtf8(cluster);
        qint64 removed = 0;
        const auto remove = [&](const QString &which, const QVariantList &values) {
            const QString sql =
                QStringLiteral("DELETE FROM job WHERE seq IN (SELECT seq FROM job WHERE cluster = ? %1)");
            removed += m_database.exec(sql.arg(which), QVariantList{of} + values).numRowsAffected();
        };
        if (retention.keepFor.count() > 0) {
            const qint64 oldest = QDateTime::currentMSecsSinceEpoch() - retention.keepFor.count();
            remove(QStringLiteral("AND ended_ms < ? ORDER BY ended_ms, seq LIMIT ?"), {oldest, PrunedAtOnce});
        }
        if (retention.keepJobs > 0) {
            QSqlQuery row = m_database.exec(QStringLiteral("SELECT jobs FROM tally WHERE cluster = ?"), {of});
            const qint64 excess = row.next() ? row.value(0).toLongLong() - retention.keepJobs : 0;
            if (excess > 0)
                remove(QStringLiteral("ORDER BY ended_ms, seq LIMIT ?"), {std::min(excess, PrunedAtOnce)});
        }
        transaction.commit();
        return removed;
    });
}

Coverage Store::coverage(const QByteArray &cluster)
{
    return attempt([&] {
        Query all;
        all.cluster = cluster;
        const Condition where = Condition::of(all, m_database.dialect());
        Coverage coverage;
        coverage.location = m_database.location().display();
        coverage.jobs = countOf(cluster);
        if (coverage.jobs > 0) {
            coverage.first = endOf(cluster, false);
            coverage.last = endOf(cluster, true);
        }
        QSqlQuery machines = m_database.exec(
            QStringLiteral("SELECT host, MIN(since_ms) FROM machine WHERE %1 GROUP BY host ORDER BY host")
                .arg(where.sql),
            where.values);
        while (machines.next()) {
            coverage.machines.append(machines.value(0).toString());
            const milliseconds since(machines.value(1).toLongLong());
            coverage.since = coverage.since.count() == 0 ? since : std::min(coverage.since, since);
        }
        return coverage;
    });
}

qint64 Store::countOf(const QByteArray &cluster)
{
    const QString what = m_database.hasTally() ? QStringLiteral("CAST(SUM(jobs) AS BIGINT) FROM tally")
                                               : QStringLiteral("COUNT(*) FROM job");
    const QString which = cluster.isEmpty() ? QString() : QStringLiteral(" WHERE cluster = ?");
    const QVariantList values(cluster.isEmpty() ? 0 : 1, QString::fromUtf8(cluster));
    QSqlQuery row = m_database.exec(QStringLiteral("SELECT ") + what + which, values);
    return row.next() ? row.value(0).toLongLong() : 0;
}

// By the index of ends, from one end: one row where there is one cluster.
milliseconds Store::endOf(const QByteArray &cluster, bool latest)
{
    const QString which = cluster.isEmpty() ? QString() : QStringLiteral(" WHERE cluster = ?");
    const QString sql = QStringLiteral("SELECT %1(ended_ms) FROM (SELECT cluster, ended_ms FROM job "
                                       "ORDER BY ended_ms %2, seq %2 LIMIT %3) AS searched%4")
                            .arg(latest ? QStringLiteral("MAX") : QStringLiteral("MIN"),
                                 latest ? QStringLiteral("DESC") : QStringLiteral("ASC"));
    const QVariantList values(cluster.isEmpty() ? 0 : 1, QString::fromUtf8(cluster));
    milliseconds end{};
    for (const int rows : {1, MaxSearched}) {
        QSqlQuery row = m_database.exec(sql.arg(rows).arg(which), values);
        if (row.next() && end.count() == 0)
            end = milliseconds(row.value(0).toLongLong());
        if (end.count() != 0)
            break;
    }
    return end;
}

} // namespace drover::history
