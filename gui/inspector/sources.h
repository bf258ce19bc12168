#pragma once

#include "gui/data/snapshots.h"

namespace drover::gui {

class AttemptLog;
class EnsembleModel;
class JobModel;
class QueueTable;
class WaitModel;
class WorkerModel;

// What the console knows: where the inspector takes its facts from. The models outlive it.
struct Sources {
    const JobModel &jobs;
    const WorkerModel &workers;
    const QueueTable &queues;
    const WaitModel &waits; // of locks, limits and elections
    const EnsembleModel &ensemble;
    const AttemptLog &attempts;
    SessionStatus session{}; // of the console itself
};

} // namespace drover::gui
