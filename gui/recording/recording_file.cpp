#include "gui/recording/recording_file.h"

#include "gui/recording/codec.h"
#include "gui/text/private_file.h"

#include <QCryptographicHash>
#include <QLockFile>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr int Schema = 2;
constexpr int MostFreed = 500; // pages at a time
constexpr qint64 LongestFrame = 60'000; // ms: a bound, so that the frames about a moment are found by when they begin

} // namespace

QString RecordingFile::pathFor(const Target &target)
{
    const QByteArray name = target.connect.toUtf8() + '\n' + target.cluster;
    const QByteArray hash = QCryptographicHash::hash(name, QCryptographicHash::Sha256).toHex().left(16);
    return stateFile(QStringLiteral("recordings/%1.sqlite").arg(QString::fromLatin1(hash)));
}

RecordingFile::RecordingFile(const QString &path, const RecordingLimits &limits) : m_limits(limits), m_file(path)
{
    const auto schema = [this] { return m_file.number(QStringLiteral("PRAGMA user_version")); };
    const qint64 found = schema();
    if (found == Schema)
        return;
    if (found != 0)
        throw SqliteError(QStringLiteral("the recording %1 was written by %2 Drover; move it away to record again")
                              .arg(path, found > Schema ? QStringLiteral("a newer") : QStringLiteral("an older")));
    m_file.atOnce([&] {
        if (schema() != 0) // another console has made it meanwhile
            return;
        m_file.exec(QStringLiteral(
            "CREATE TABLE span (id INTEGER PRIMARY KEY, begin_ms BIGINT NOT NULL, end_ms BIGINT NOT NULL)"));
        m_file.exec(
            QStringLiteral("CREATE TABLE frame (seq INTEGER PRIMARY KEY, span BIGINT NOT NULL, is_key BIGINT NOT NULL, "
                           "at_ms BIGINT NOT NULL, until_ms BIGINT NOT NULL, data BLOB NOT NULL)"));
        m_file.exec(QStringLiteral("CREATE INDEX frame_at ON frame (is_key, at_ms)"));
        m_file.exec(QStringLiteral("PRAGMA user_version = %1").arg(Schema));
    });
}

RecordingFile::~RecordingFile() = default; // of an incomplete type

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

SqliteError RecordingFile::damaged() const
{
    return SqliteError(QStringLiteral("the recording %1 is damaged").arg(m_file.path()));
}

void RecordingFile::begin(qint64 at, const RecordedState &state)
{
    auto lock = std::make_unique<QLockFile>(m_file.path() + QStringLiteral(".lock"));
    lock->setStaleLockTime(0);
    if (!lock->tryLock())
        throw SqliteError(QStringLiteral("another console records into %1").arg(m_file.path()));
    qint64 span = 0;
    m_file.atOnce([&] {
        const QSqlQuery added =
            m_file.exec(QStringLiteral("INSERT INTO span (begin_ms, end_ms) VALUES (?, ?)"), {at, at});
        span = added.lastInsertId().toLongLong();
        m_file.exec(QStringLiteral("INSERT INTO frame (span, is_key, at_ms, until_ms, data) VALUES (?, 1, ?, ?, ?)"),
                    {span, at, at, encodeState(state)});
    });
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
    m_file.atOnce([&] {
        if (!changes.isEmpty())
            m_file.exec(
                QStringLiteral("INSERT INTO frame (span, is_key, at_ms, until_ms, data) VALUES (?, 0, ?, ?, ?)"),
                {m_span, changes.first().at, changes.last().at, encodeChanges(changes)});
        m_file.exec(QStringLiteral("UPDATE span SET end_ms = ? WHERE id = ?"), {until, m_span});
    });
}

void RecordingFile::keyframe(qint64 at, const RecordedState &state)
{
    m_file.atOnce([&] {
        m_file.exec(QStringLiteral("INSERT INTO frame (span, is_key, at_ms, until_ms, data) VALUES (?, 1, ?, ?, ?)"),
                    {m_span, at, at, encodeState(state)});
        prune(at);
    });
    giveBack();
}

// Each execution frees one page only.
void RecordingFile::giveBack()
{
    m_file.atOnce([&] {
        const qint64 unused = m_file.number(QStringLiteral("PRAGMA freelist_count"));
        for (qint64 page = std::min<qint64>(unused, MostFreed); page > 0; --page)
            m_file.exec(QStringLiteral("PRAGMA incremental_vacuum"));
    });
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
    QSqlQuery keys =
        m_file.exec(QStringLiteral("SELECT seq, span, at_ms FROM frame WHERE is_key = 1 ORDER BY seq LIMIT 2"));
    if (!keys.next() || !keys.next() || keys.value(2).toLongLong() >= ifBefore)
        return false;
    const qint64 second = keys.value(0).toLongLong();
    const qint64 span = keys.value(1).toLongLong();
    const qint64 at = keys.value(2).toLongLong();
    keys.finish();
    m_file.exec(QStringLiteral("DELETE FROM frame WHERE seq < ?"), {second});
    m_file.exec(QStringLiteral("DELETE FROM span WHERE id < ?"), {span});
    m_file.exec(QStringLiteral("UPDATE span SET begin_ms = ? WHERE id = ? AND begin_ms < ?"), {at, span, at});
    return true;
}

qint64 RecordingFile::bytes()
{
    const qint64 pages =
        m_file.number(QStringLiteral("PRAGMA page_count")) - m_file.number(QStringLiteral("PRAGMA freelist_count"));
    return pages * m_file.number(QStringLiteral("PRAGMA page_size"));
}

QList<RecordedSpan> RecordingFile::spans()
{
    QList<RecordedSpan> spans;
    QSqlQuery rows = m_file.exec(QStringLiteral("SELECT begin_ms, end_ms FROM span ORDER BY begin_ms, id"));
    while (rows.next())
        spans.append({rows.value(0).toLongLong(), rows.value(1).toLongLong()});
    return spans;
}

std::optional<RecordedState> RecordingFile::stateAt(qint64 at)
{
    const qint64 span = m_file.number(QStringLiteral("SELECT id FROM span WHERE begin_ms <= ? AND end_ms >= ? "
                                                     "ORDER BY id DESC LIMIT 1"),
                                      {at, at});
    return stateIn(span, at);
}

RecordedState RecordingFile::stateBefore(const RecordedStretch &stretch)
{
    if (std::optional<RecordedState> state = stateIn(stretch.span, stretch.changes.first().at - 1))
        return *std::move(state);
    // They came in the millisecond in which their span began.
    QSqlQuery key = m_file.exec(
        QStringLiteral("SELECT data FROM frame WHERE is_key = 1 AND span = ? ORDER BY seq LIMIT 1"), {stretch.span});
    return key.next() ? stateFrom(key.value(0)) : RecordedState();
}

std::optional<RecordedState> RecordingFile::stateIn(qint64 span, qint64 at)
{
    QSqlQuery key =
        m_file.exec(QStringLiteral("SELECT seq, data FROM frame WHERE is_key = 1 AND at_ms <= ? AND span = ? "
                                   "ORDER BY at_ms DESC, seq DESC LIMIT 1"),
                    {at, span});
    if (!key.next())
        return std::nullopt;
    RecordedState state = stateFrom(key.value(1));
    QSqlQuery frames = m_file.exec(QStringLiteral("SELECT data FROM frame WHERE seq > ? AND span = ? AND is_key = 0 "
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
    QSqlQuery rows =
        m_file.exec(QStringLiteral("SELECT data, span FROM frame WHERE is_key = 0 AND at_ms <= ? AND at_ms >= ? "
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
    QSqlQuery rows =
        m_file.exec(QStringLiteral("SELECT data FROM frame WHERE is_key = 0 AND at_ms > ? AND until_ms > ? "
                                   "ORDER BY at_ms, seq LIMIT 1"),
                    {after - LongestFrame, after});
    if (!rows.next())
        return std::nullopt;
    const QList<RecordedChange> frame = changesFrom(rows.value(0));
    const auto found = std::ranges::find_if(frame, [after](const RecordedChange &change) { return change.at > after; });
    return found == frame.end() ? std::nullopt : std::optional(found->at);
}

std::optional<qint64> RecordingFile::previous(qint64 before)
{
    QSqlQuery rows = m_file.exec(QStringLiteral("SELECT data FROM frame WHERE is_key = 0 AND at_ms < ? "
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
