#pragma once

#include "gui/recording/recorded.h"

#include <QSqlDatabase>
#include <QSqlQuery>

#include <chrono>
#include <memory>
#include <optional>
#include <stdexcept>

class QLockFile;

namespace drover::gui {

// A failure to write or to read a recording, in one line with its reason.
class RecordingError final : public std::runtime_error
{
public:
    explicit RecordingError(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// How much a recording keeps; the oldest is dropped.
struct RecordingLimits {
    qint64 bytes = qint64(256) * 1024 * 1024;
    std::chrono::hours age = std::chrono::hours(24 * 7);
};

// A recording of one cluster: a SQLite file of its user alone (mode 0600). It holds spans of time; each begins with a
// keyframe, which is all that was known, and goes on with frames of changes. More keyframes follow, so that a moment is
// read from few frames.
//
// Appended changes survive the death of the process. One process writes the file at a time; others read meanwhile. All
// calls throw RecordingError, belong to the thread that made the object, and block it.
class RecordingFile
{
public:
    RecordingFile(const QString &path, const RecordingLimits &limits);
    ~RecordingFile();

    // $XDG_STATE_HOME/drover/recordings/NAME.sqlite
    static QString pathFor(const Target &target);

    // A span begins, with what is known; refused while another process has one that goes on.
    void begin(qint64 at, const RecordedState &state);
    // What has happened up to `until`, which the span now reaches. `changes` may be empty.
    void append(qint64 until, const QList<RecordedChange> &changes);
    // All that is known now; drops what is beyond the limits.
    void keyframe(qint64 at, const RecordedState &state);
    void endSpan();

    qint64 bytes();
    QList<RecordedSpan> spans(); // the oldest first
    std::optional<RecordedState> stateAt(qint64 at); // nothing in a gap
    // The changes from the one moment up to the other, both included: the last `limit` of them, the oldest first.
    QList<RecordedStretch> changes(qint64 from, qint64 until, qsizetype limit);
    // What was known when the first change of the stretch came. It has one at least.
    RecordedState stateBefore(const RecordedStretch &stretch);
    // Of the change next to this moment.
    std::optional<qint64> next(qint64 after);
    std::optional<qint64> previous(qint64 before);

private:
    class Transaction;

    QSqlQuery exec(const QString &sql, const QVariantList &values = {});
    qint64 number(const QString &sql, const QVariantList &values = {}, qint64 none = 0);
    RecordedState stateFrom(const QVariant &data) const;
    QList<RecordedChange> changesFrom(const QVariant &data) const;
    RecordingError damaged() const;
    void prune(qint64 now);
    void giveBack(); // to the disk
    bool dropOldest(qint64 ifBefore);
    std::optional<RecordedState> stateIn(qint64 span, qint64 at);

    const RecordingLimits m_limits;
    QString m_path;
    std::unique_ptr<QLockFile> m_lock; // of a span that goes on
    QString m_connection; // its name
    QSqlDatabase m_database;
    qint64 m_span = 0; // 0: none
};

} // namespace drover::gui
