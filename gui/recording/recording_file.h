#pragma once

#include "gui/recording/recorded.h"
#include "gui/text/sqlite_file.h"

#include <memory>
#include <optional>

class QLockFile;

namespace drover::gui {

// How much a recording keeps; the oldest is dropped.
struct RecordingLimits {
    qint64 bytes = qint64(256) * 1024 * 1024;
    std::chrono::hours age = std::chrono::hours(24 * 7);
};

// A recording of one cluster in a SqliteFile. It holds spans of time; each begins with a keyframe, which is all that
// was known, and goes on with frames of changes. More keyframes follow, so that a moment is read from few frames.
//
// Appended changes survive the death of the process. One process writes the file at a time; others read meanwhile. All
// calls throw SqliteError, belong to the thread that made the object, and block it.
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
    RecordedState stateFrom(const QVariant &data) const;
    QList<RecordedChange> changesFrom(const QVariant &data) const;
    SqliteError damaged() const;
    void prune(qint64 now);
    void giveBack(); // to the disk
    bool dropOldest(qint64 ifBefore);
    std::optional<RecordedState> stateIn(qint64 span, qint64 at);

    const RecordingLimits m_limits;
    SqliteFile m_file;
    std::unique_ptr<QLockFile> m_lock; // of a span that goes on
    qint64 m_span = 0; // 0: none
};

} // namespace drover::gui
