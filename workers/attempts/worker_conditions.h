#pragma once

#include "zk/types.h"

#include <QString>

namespace drover::workers {

// What a worker learns about itself from its jobs. It tells others in its node (jobs::WorkerInfo), and may act on it.
// Belongs to the session's thread. None of these may destroy what calls it.
class WorkerConditions
{
public:
    // The worker obeys this cordon now: it claims no job, and no claim is in progress. 0: there is no cordon.
    virtual void cordonObeyed(zk::Zxid cordon) = 0;
    virtual void machineTroubled(const QString &reason) = 0; // for people; empty: the trouble is over
    virtual void jobsRefused(qint64 count) = 0; // so many more, which would break a rule here
    // Nothing limits the processes of a job, although the worker's owner does. At most once.
    virtual void processesUnbounded() = 0;
    virtual void spoolFailed(const QString &reason) = 0; // no signed job can begin: the journal cannot be written
    // Not all that a job has written is in the spool, or in a file that it named.
    virtual void outputLost() = 0;

protected:
    ~WorkerConditions() = default;
};

} // namespace drover::workers
