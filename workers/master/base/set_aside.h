#pragma once

#include "async/loop.h"
#include "jobs/model/job_id.h"
#include "jobs/model/queue_entry.h"

#include <map>
#include <optional>
#include <set>
#include <utility>
#include <vector>

namespace drover::workers {

class DutyTroubles;

// Jobs with which the master cannot go on now. It may not read or change them, they are too large to be moved, or only
// newer masters understand them. Or others wait for an end of theirs that is unknown. Each is tried again after a
// pause. Troubles reports it until a trial has succeeded. Belongs to the session's thread.
class SetAside
{
public:
    using Named = std::pair<jobs::JobId, jobs::QueueEntry>;

    static constexpr std::chrono::minutes For{10}; // the usual pause

    // Both outlive this object. `subject` is what Troubles calls the job with the id %1.
    SetAside(async::Loop &loop, DutyTroubles &troubles, async::Duration pause = For,
             QString subject = QStringLiteral("job %1"))
        : m_loop(loop), m_troubles(troubles), m_pause(pause), m_subject(std::move(subject))
    {
    }

    // The pause of a job that is aside at this entry goes on.
    void add(const jobs::JobId &id, const jobs::QueueEntry &entry, const QString &why);
    // Whether its pause lasts. A job that was moved is another one: it may be tried at once.
    bool holds(const jobs::JobId &id, const jobs::QueueEntry &entry) const;
    bool holds(const jobs::JobId &id) const; // at any entry
    bool knows(const jobs::JobId &id) const { return m_jobs.contains(id); } // also while it is tried
    qint64 size() const { return static_cast<qint64>(m_jobs.size()); }
    // Forgets the queue's jobs that are not among `present`, because they have gone or were moved.
    void keepOnly(const QByteArray &queue, const std::set<Named> &present);
    void keepOnly(const std::set<jobs::JobId> &present); // of all queues, at any entry
    // Jobs whose pause has ended, once each. They are to be tried now: add() or remove() follows.
    std::vector<Named> takeDue();
    // A trial has succeeded, or the job has gone. It may be any job.
    void remove(const jobs::JobId &id);
    // How long to wait before the next takeDue(); nothing if there is none to wait for.
    std::optional<async::Duration> untilNext() const;

private:
    struct Aside {
        jobs::QueueEntry entry;
        std::optional<async::TimePoint> until; // nothing while it is tried
    };

    async::Loop &m_loop;
    DutyTroubles &m_troubles;
    const async::Duration m_pause;
    const QString m_subject;
    std::map<jobs::JobId, Aside> m_jobs;
};

} // namespace drover::workers
