#pragma once

#include "gui/inspector/facts.h"
#include "gui/inspector/sources.h"
#include "jobs/client/job_lookup.h"

namespace drover::gui {

// The facts of a worker, a queue or another thing but a job. Of an unknown thing, the state says that it is unknown.
Facts workerFacts(const Sources &sources, const QByteArray &worker);
Facts queueFacts(const Sources &sources, const QByteArray &queue);
Facts lockFacts(const Sources &sources, const QByteArray &lock);
Facts sessionFacts(const Sources &sources, const QByteArray &session);
Facts serverFacts(const Sources &sources, const QByteArray &server);
Facts znodeFacts(const ZnodeContents &contents);

// The one contender that holds the lock. Nothing if it is free, or if several hold it.
std::optional<LockRow> onlyHolderOf(const WaitModel &waits, const QByteArray &lock);

// A row of that named limit of the cluster; nothing if it is a lock or an election, or is not known.
std::optional<LockRow> limitRowOf(const WaitModel &waits, const QByteArray &limit);

// The locks, limits and elections that one contender holds and waits for, as a section each.
void addLocksOf(Facts &facts, const Sources &sources, const std::function<bool(const LockRow &)> &isItsOwn);
// The session of a ticket; null: none owns it.
EntityRef sessionEntity(zk::SessionId session);
// The job for which a worker has taken a lock; null: another program has.
EntityRef jobOf(const LockRow &contender);

// The facts of a job. `why` has the reasons for which it does not run.
Facts jobFacts(const Sources &sources, const jobs::JobView &job, const QStringList &why);

// What was submitted, as far as the cluster or the record has it.
std::optional<jobs::JobSpec> specOf(const jobs::JobView &job);
bool isArray(const jobs::JobView &job);

} // namespace drover::gui
