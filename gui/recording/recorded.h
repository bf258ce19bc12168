#pragma once

#include "gui/data/event_row.h"
#include "gui/data/snapshots.h"

#include <QMap>

#include <map>

namespace drover::gui {

// What a recording tells apart: one job, one queue, one contender for a lock, ...
struct RecordedKey {
    enum class Kind : quint8 { Job, Queue, Lock, Other, Worker, Load, Znode }; // Other: of a limit or an election

    Kind kind = Kind::Job;
    QByteArray name;

    friend bool operator==(const RecordedKey &, const RecordedKey &) = default;
    friend bool operator<(const RecordedKey &a, const RecordedKey &b)
    {
        return a.kind != b.kind ? a.kind < b.kind : a.name < b.name;
    }
};

struct RecordedChange {
    qint64 at = 0; // ms of the Unix epoch, by the clock of this machine
    RecordedKey key;
    QByteArray value; // as gui/recording/codec.h writes it; null: it has gone

    friend bool operator==(const RecordedChange &, const RecordedChange &) = default;
};

// All that is known at one moment.
using RecordedState = std::map<RecordedKey, QByteArray>;

// A stretch of time in which nothing was missed. Between two of them is a gap.
struct RecordedSpan {
    qint64 from = 0; // ms of the Unix epoch
    qint64 until = 0;

    bool holds(qint64 at) const { return from <= at && at <= until; }
    friend bool operator==(const RecordedSpan &, const RecordedSpan &) = default;
};

// Changes within one span, the oldest first.
struct RecordedStretch {
    qint64 span = 0;
    QList<RecordedChange> changes;
};

struct RecordingStatus {
    Target target; // whose recording it is
    bool isOn = false; // the user wants it
    bool isRecording = false; // false also while the console is not connected
    qint64 bytes = 0; // of the file
    QList<RecordedSpan> spans; // the oldest first
    QString trouble; // one line: why nothing is recorded or read; or empty

    friend bool operator==(const RecordingStatus &, const RecordingStatus &) = default;
};

// What was true at one moment, and the changes before it.
struct Moment {
    qint64 at = 0;
    bool isRecorded = false; // false: a gap
    JobsSnapshot jobs;
    QList<QueueDepth> queues;
    QList<LockRow> locks; // with limits and elections
    QList<WorkerRow> workers;
    QMap<QString, WorkerLoad> loads; // by worker
    QList<ZnodeListing> znodes;
    QList<EventRow> events; // since the moment that was asked for; the oldest first
    bool hasMoreEvents = false; // earlier ones than these
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::RecordingStatus)
Q_DECLARE_METATYPE(drover::gui::Moment)
