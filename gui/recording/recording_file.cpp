#include "gui/recording/recording_file.h"

#include "gui/recording/codec.h"
#include "gui/text/private_file.h"

#include <QCryptographicHash>
#include <QLockFile>
#include <QSqlError>
#include <QUuid>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr int Schema = 2;
constexpr int MostFreed = 500; // pages at a time
constexpr qint64 LongestFrame = 60'000; // ms: a bound, so that the frames about a moment are found by when they begin

} // namespace

// All or nothing.
class RecordingFile::Transaction
{
public:
    explicit Transaction(RecordingFile &file) : m_file(file) { m_file.exec(QStringLiteral("BEGIN IMMEDIATE")); }
    Transaction(const Transaction &) = delete;
    Transaction &operator=(const Transaction &) = delete;
    ~Transaction()
    {
        if (!m_done)
            QSqlQuery(m_file.m_database).exec(QStringLiteral("ROLLBACK"));
    }
    void commit()
    {
        m_file.exec(QStringLiteral("COMMIT"));
        m_done = true;
    }

private:
    RecordingFile &m_file;
    bool m_done = false;
};

QString RecordingFile::pathFor(const Target &target)
{
    const QByteArray name = target.connect.toUtf8() + '\n' + target.cluster;
    const QByteArray hash = QCryptographicHash::hash(name, QCryptographicHash::Sha256).toHex().left(16);
    return stateFile(QStringLiteral("recordings/%1.sqlite").arg(QString::fromLatin1(hash)));
}

RecordingFile::RecordingFile(const QString &path, const RecordingLimits &limits)
    : m_limits(limits), m_path(path), m_connection(QUuid::createUuid().toString())
{
    if (const QString why = makePrivate(path); !why.isEmpty())
        throw RecordingError(why);
    m_database = QSqlDatabase::addDatabase(QStringLiteral("QSQLITE"), m_connection);
    m_database.setDatabaseName(path);
    if (!m_database.open())
        throw RecordingError(QStringLiteral("%1: %2").arg(path, m_database.lastError().databaseText()));
    exec(QStringLiteral("PRAGMA auto_vacuum = INCREMENTAL"));
    exec(QStringLiteral("PRAGMA journal_mode = WAL"));
    exec(QStringLiteral("PRAGMA synchronous = NORMAL")); // a power failure may cost the last seconds, never the rest
    const auto schema = [this] { return number(QStringLiteral("PRAGMA user_version")); };
    const qint64 found = schema();
    if (found == Schema)
        return;
    if (found != 0)
        throw RecordingError(QStringLiteral("the recording %1 was written by %2 Drover; move it away to record again")
                                 .arg(path, found > Schema ? QStringLiteral("a newer") : QStringLiteral("an older")));
    Transaction transaction(*this);
    if (schema() != 0) // another console has made it meanwhile
        return;
    exec(
        QStringLiteral("CREATE TABLE span (id INTEGER PRIMARY KEY, begin_ms BIGINT NOT NULL, end_ms BIGINT NOT NULL)"));
    exec(QStringLiteral("CREATE TABLE frame (seq INTEGER PRIMARY KEY, span BIGINT NOT NULL, is_key BIGINT NOT NULL, "
                        "at_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, data BLOB NOT NULL)"));
    exec(QStringLiteral("CREATE INDEX frame_at ON frame (is_key, at_ms)"));
    exec(QStringLiteral("PRAGMA user_version = %1").arg(Schema));
    transaction.commit();
}

RecordingFile::~RecordingFile()
{
    m_database = {};
    QSqlDatabase::removeDatabase(m_connection);
}

QSqlQuery RecordingFile::exec(const QString &sql, const QVariantList &values)
{
    QSqlQuery query(m_database);
    query.setForwardOnly(true);
    bool done = query.prepare(sql);
    for (const QVariant &value : values)
        query.addBindValue(value);
    done = done && query.exec();
    if (!done)
        throw RecordingError(QStringLiteral("%1: %2").arg(m_path, query.lastError().databaseText()));
    return query;
}

qint64 RecordingFile::number(const QString &sql, const QVariantList &values, qint64 none)
{
    QSqlQuery query = exec(sql, values);
    return query.next() && !query.isNull(0) ? query.value(0).toLongLong() : none;
}

RecordedState RecordingFile::stateFrom(const QVariant &data) const
{
    std::optional<RecordedState> state = decodeState(data.toByteArray());
    if (!state)
        throw damaged();
    return *std::move(state);
}

QList<RecordedChange> RecordingFile::changesFrom(const QVariant &data) const
{
    std::optional<QList<RecordedChange>> changes = decodeChanges(data.toByteArray());
    if (!changes)
        throw damaged();
    return *std::move(changes);
}

RecordingError RecordingFile::damaged() const
{
    return RecordingError(QStringLiteral("the recording %1 is damaged").arg(m_path));
}

void RecordingFile::begin(qint64 at, const RecordedState &state)
{
    auto lock = std::make_unique<QLockFile>(m_path + QStringLiteral(".lock"));
    lock->setStaleLockTime(0);
    if (!lock->tryLock())
        throw RecordingError(QStringLiteral("another console records into %1").arg(m_path));
    Transaction transaction(*this);
    const QSqlQuery added = exec(QStringLiteral("INSERT INTO span (begin_ms, end_ms) VALUES (?, ?)"), {at, at});
    const qint64 span = added.lastInsertId().toLongLong();
    exec(QStringLiteral("INSERT INTO frame (span, is_key, at_ms, until_ms, data) VALUES (?, 1, ?, ?, ?)"),
         {span, at, at, encodeState(state)});
    transaction.commit();
    m_span = span;
    m_lock = std::move(lock);
}

void RecordingFile::endSpan()
{
    m_span = 0;
    m_lock.reset();
}

void RecordingFile::append(qint64 until, const QList<RecordedChange> &changes)
{
    Transaction transaction(*this);
    if (!changes.isEmpty())
        exec(QStringLiteral("INSERT INTO frame (span, is_key, at_ms, until_ms, data) VALUES (?, 0, ?, ?, ?)"),
             {m_span, changes.first().at, changes.last().at, encodeChanges(changes)});
    exec(QStringLiteral("UPDATE span SET end_ms = ? WHERE id = ?"), {until, m_span});
    transaction.commit();
}

void RecordingFile::keyframe(qint64 at, const RecordedState &state)
{
    Transaction transaction(*this);
    exec(QStringLiteral("INSERT INTO frame (span, is_key, at_ms, until_ms, data) VALUES (?, 1, ?, ?, ?)"),
         {m_span, at, at, encodeState(state)});
    prune(at);
    transaction.commit();
    giveBack();
}

// Each execution frees one page only.
void RecordingFile::giveBack()
{
    Transaction transaction(*this);
    const qint64 unused = number(QStringLiteral("PRAGMA freelist_count"));
    for (qint64 page = std::min<qint64>(unused, MostFreed); page > 0; --page)
        exec(QStringLiteral("PRAGMA incremental_vacuum"));
    transaction.commit();
}

void RecordingFile::prune(qint64 now)
{
    const qint64 oldest = now - qint64(std::chrono::milliseconds(m_limits.age).count());
    while (dropOldest(oldest)) { }
    while (bytes() > m_limits.bytes && dropOldest(now)) { }
}

// From the first keyframe up to the next one, if that is older than `ifBefore`.
bool RecordingFile::dropOldest(qint64 ifBefore)
{
    QSqlQuery keys = exec(QStringLiteral("SELECT seq, span, at_ms FROM frame WHERE is_key = 1 ORDER BY seq LIMIT 2"));
    if (!keys.next() || !keys.next() || keys.value(2).toLongLong() >= ifBefore)
        return false;
    const qint64 second = keys.value(0).toLongLong();
    const qint64 span = keys.value(1).toLongLong();
    const qint64 at = keys.value(2).toLongLong();
    keys.finish();
    exec(QStringLiteral("DELETE FROM frame WHERE seq < ?"), {second});
    exec(QStringLiteral("DELETE FROM span WHERE id < ?"), {span});
    exec(QStringLiteral("UPDATE span SET begin_ms = ? WHERE id = ? AND begin_ms < ?"), {at, span, at});
    return true;
}

qint64 RecordingFile::bytes()
{
    const qint64 pages = number(QStringLiteral("PRAGMA page_count")) - number(QStringLiteral("PRAGMA freelist_count"));
    return pages * number(QStringLiteral("PRAGMA page_size"));
}

QList<RecordedSpan> RecordingFile::spans()
{
    QList<RecordedSpan> spans;
    QSqlQuery rows = exec(QStringLiteral("SELECT begin_ms, end_ms FROM span ORDER BY begin_ms, id"));
    while (rows.next())
        spans.append({rows.value(0).toLongLong(), rows.value(1).toLongLong()});
    return spans;
}

std::optional<RecordedState> RecordingFile::stateAt(qint64 at)
{
    const qint64 span = number(QStringLiteral("SELECT id FROM span WHERE begin_ms <= ? AND end_ms >= ? "
                                              "ORDER BY id DESC LIMIT 1"),
                               {at, at});
    return stateIn(span, at);
}

RecordedState RecordingFile::stateBefore(const RecordedStretch &stretch)
{
    if (std::optional<RecordedState> state = stateIn(stretch.span, stretch.changes.first().at - 1))
        return *std::move(state);
    // They came in the millisecond in which their span began.
    QSqlQuery key = exec(QStringLiteral("SELECT data FROM frame WHERE is_key = 1 AND span = ? ORDER BY seq LIMIT 1"),
                         {stretch.span});
    return key.next() ? stateFrom(key.value(0)) : RecordedState();
}

std::optional<RecordedState> RecordingFile::stateIn(qint64 span, qint64 at)
{
    QSqlQuery key = exec(QStringLiteral("SELECT seq, data FROM frame WHERE is_key = 1 AND at_ms <= ? AND span = ? "
                                        "ORDER BY at_ms DESC, seq DESC LIMIT 1"),
                         {at, span});
    if (!key.next())
        return std::nullopt;
    RecordedState state = stateFrom(key.value(1));
    QSqlQuery frames = exec(QStringLiteral("SELECT data FROM frame WHERE seq > ? AND span = ? AND is_key = 0 "
                                           "AND at_ms <= ? ORDER BY seq"),
                            {key.value(0), span, at});
    while (frames.next()) {
        for (const RecordedChange &change : changesFrom(frames.value(0))) {
            if (change.at > at)
                break;
            if (change.value.isNull())
                state.erase(change.key);
            else
                state.insert_or_assign(change.key, change.value);
        }
    }
    return state;
}

QList<RecordedStretch> RecordingFile::changes(qint64 from, qint64 until, qsizetype limit)
{
    QList<RecordedStretch> stretches;
    QSqlQuery rows = exec(QStringLiteral("SELECT data, span FROM frame WHERE is_key = 0 AND at_ms <= ? AND at_ms >= ? "
                                         "AND until_ms >= ? ORDER BY at_ms DESC, seq DESC"),
                          {until, from - LongestFrame, from});
    while (limit > 0 && rows.next()) {
        QList<RecordedChange> frame = changesFrom(rows.value(0));
        frame.removeIf([&](const RecordedChange &change) { return change.at < from || change.at > until; });
        if (frame.isEmpty())
            continue;
        frame = frame.last(std::min(limit, frame.size()));
        limit -= frame.size();
        const qint64 span = rows.value(1).toLongLong();
        if (stretches.isEmpty() || stretches.first().span != span)
            stretches.prepend({span, {}});
        stretches.first().changes = frame + stretches.first().changes;
    }
    return stretches;
}

std::optional<qint64> RecordingFile::next(qint64 after)
{
    QSqlQuery rows = exec(QStringLiteral("SELECT data FROM frame WHERE is_key = 0 AND at_ms > ? AND until_ms > ? "
                                         "ORDER BY at_ms, seq LIMIT 1"),
                          {after - LongestFrame, after});
    if (!rows.next())
        return std::nullopt;
    const QList<RecordedChange> frame = changesFrom(rows.value(0));
    const auto found =
        std::find_if(frame.begin(), frame.end(), [after](const RecordedChange &change) { return change.at > after; });
    return found == frame.end() ? std::nullopt : std::optional(found->at);
}

std::optional<qint64> RecordingFile::previous(qint64 before)
{
    QSqlQuery rows = exec(QStringLiteral("SELECT data FROM frame WHERE is_key = 0 AND at_ms < ? "
                                         "ORDER BY at_ms DESC, seq DESC LIMIT 1"),
                          {before});
    if (!rows.next())
        return std::nullopt;
    const QList<RecordedChange> frame = changesFrom(rows.value(0));
    const auto found = std::find_if(frame.rbegin(), frame.rend(),
                                    [before](const RecordedChange &change) { return change.at < before; });
    return found == frame.rend() ? std::nullopt : std::optional(found->at);
}

} // namespace drover::gui
