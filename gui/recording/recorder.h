#pragma once

#include "gui/recording/recording_file.h"

#include <QHash>
#include <QObject>
#include <QThread>
#include <QTimer>

#include <functional>

namespace drover::gui {

// Records what the feeds report into the RecordingFile of the cluster, and reads it. It lives on a thread of its own
// (RecorderThread): reach it by queued signals and slots.
//
// It always knows what was reported last, and writes once the user has switched it on, in batches of one second. A span
// begins when the feeds have told the whole again, and ends with the connection. When the file cannot be written, it
// says so once and stops until it is switched on again.
class Recorder final : public QObject
{
    Q_OBJECT

public:
    using Clock = std::function<qint64()>; // ms of the Unix epoch

    static constexpr std::chrono::milliseconds Batch{1000};
    // Between two batches, in ms: after a longer one, what happened meanwhile is a gap.
    static constexpr qint64 LongestPause = 5 * Batch.count();
    static constexpr qint64 BetweenKeyframes = 60'000; // ms
    static constexpr qsizetype MostChanges = 5000; // between keyframes
    static constexpr qsizetype MostNames = 1000; // of children; of more only their number is recorded
    static constexpr qsizetype MostEvents = 1000; // that a moment tells

    explicit Recorder(Clock clock = {}, const RecordingLimits &limits = {});

public Q_SLOTS:
    void setOn(bool on); // of the present cluster
    // Another cluster has another recording, which is off at first.
    void showStatus(const drover::gui::SessionStatus &status);
    void showJobs(const drover::gui::JobsSnapshot &jobs);
    void showQueues(const QList<drover::gui::QueueDepth> &queues);
    void showLoads(const QMap<QString, drover::gui::WorkerLoad> &loads);
    void showWorkers(const QList<drover::gui::WorkerRow> &workers);
    void showLocks(const QList<drover::gui::LockRow> &rows);
    void showOthers(const QList<drover::gui::LockRow> &rows);
    void showListing(const drover::gui::ZnodeListing &listing);
    void forgetListing(const drover::zk::Path &path) { put({Kind::Znode, path.bytes()}, {}); }

    // Writes what has come; a timer calls it.
    void flush();
    void read(int request, qint64 at, qint64 since);
    void findNext(int request, qint64 after) { find(request, &RecordingFile::next, after); }
    void findPrevious(int request, qint64 before) { find(request, &RecordingFile::previous, before); }

Q_SIGNALS:
    void statusChanged(const drover::gui::RecordingStatus &status);
    void momentRead(int request, const drover::gui::Moment &moment);
    void found(int request, qint64 at); // 0: there is none

private:
    using Kind = RecordedKey::Kind;

    template <typename Row, typename KeyOf>
    void take(Kind kind, const QList<Row> &rows, const KeyOf &keyOf);
    void keepOnly(Kind kind, const QSet<QByteArray> &there);
    void open(const Target &target);
    void put(const RecordedKey &key, const QByteArray &value);
    bool mayBegin(qint64 now) const;
    void stop();
    void endSpan(); // with what has come
    void closeSpan(); // where the last batch ended
    bool hasStoodStill(qint64 now) const;
    void write(qint64 now);
    void report();
    void find(int request, std::optional<qint64> (RecordingFile::*search)(qint64), qint64 from);
    void fail(const std::exception &error);
    RecordingFile *file(); // opens it; null: it cannot be opened, or no cluster is shown

    const Clock m_clock;
    const RecordingLimits m_limits;
    QTimer m_timer;
    std::unique_ptr<RecordingFile> m_file;
    bool m_isConnected = false;
    qint64 m_toldAt = 0; // when the jobs were first told of in this session; 0: not yet
    RecordedState m_state;
    QHash<jobs::JobId, JobRow> m_jobs; // as told last
    QList<RecordedChange> m_changes; // to be written
    qint64 m_lastAt = 0; // the clock never goes back in a recording
    qint64 m_flushedAt = 0; // the span reaches until then
    qint64 m_keyframeAt = 0;
    qsizetype m_sinceKeyframe = 0; // changes
    RecordingStatus m_status;
    RecordingStatus m_reported;
};

// The thread of a Recorder. What was reported before its end is written.
class RecorderThread
{
public:
    RecorderThread();
    RecorderThread(const RecorderThread &) = delete;
    RecorderThread &operator=(const RecorderThread &) = delete;
    ~RecorderThread();

    Recorder &recorder() { return *m_recorder; }

private:
    QThread m_thread;
    Recorder *m_recorder;
};

} // namespace drover::gui
