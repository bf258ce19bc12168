#pragma once

#include "gui/data/snapshots.h"

namespace drover::gui {

// What a person does to unfinished jobs: drover hold, release, requeue, move, priority, signal and cancel.
struct JobVerb {
    enum class Kind { Hold, Release, Requeue, Move, Priority, Signal, Cancel };

    Kind kind = Kind::Hold;
    QByteArray queue{}; // Move: to this one
    int number = 0; // of Priority and of Signal

    // Which jobs the id of an array stands for, as for the commands.
    bool takesArray() const { return kind != Kind::Requeue && kind != Kind::Signal; }
    bool takesTasks() const { return kind != Kind::Move && kind != Kind::Cancel; }

    // Whether the job may be in the state for it. The cluster decides: a job moves on meanwhile.
    bool suits(const JobRow &job) const;
};

inline bool JobVerb::suits(const JobRow &job) const
{
    const bool isArray = !job.progress.isEmpty();
    const bool runs = job.state == jobs::JobState::Running;
    if (jobs::isFinal(job.state))
        return false;
    switch (kind) {
    case Kind::Hold:
        return job.state != jobs::JobState::Held && (!runs || isArray);
    case Kind::Release:
        return job.state == jobs::JobState::Held || isArray;
    case Kind::Requeue:
    case Kind::Signal:
        return runs;
    case Kind::Move:
        return !runs && !job.id.isTask();
    case Kind::Priority:
        return !runs;
    case Kind::Cancel:
        break;
    }
    return true;
}

// The outcome for one job.
struct ActedOn {
    jobs::JobId id;
    QString why{}; // nothing was done, for this reason; empty: it was done
    QString news{}; // what was done, if there is more to say than the verb; one sentence
};

} // namespace drover::gui

Q_DECLARE_METATYPE(drover::gui::JobVerb)
