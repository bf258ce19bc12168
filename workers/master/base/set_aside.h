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

// Jobs that the master may not read or change now, that are too large to be moved, or that only newer masters
// understand. Each is tried again after ten minutes. Troubles reports it until a trial has succeeded. Belongs to the
// session's thread.
class SetAside
{
public:
    using Named = std::pair<jobs::JobId, jobs::QueueEntry>;

    static constexpr std::chrono::minutes For{10};

    // Both outlive this object.
    SetAside(async::Loop &loop, DutyTroubles &troubles) : m_loop(loop), m_troubles(troubles) { }

    void add(const jobs::JobId &id, const jobs::QueueEntry &entry, const QString &why);
    // A job that was moved is another one: it may be tried at once.
    bool holds(const jobs::JobId &id, const jobs::QueueEntry &entry) const;
    bool holds(const jobs::JobId &id) const { return m_aside.contains(id); } // at any entry
    // Forgets the queue's jobs that are not among `present`, because they have gone or were moved.
    void keepOnly(const QByteArray &queue, const std::set<Named> &present);
    // Jobs that are to be tried now. They have left when this returns. For each, add() or succeeded() follows.
    std::vector<Named> takeDue();
    void succeeded(const jobs::JobId &id); // may be any job
    // How long to wait before the next takeDue(); nothing if there is none to wait for.
    std::optional<async::Duration> untilNext() const;

private:
    struct Aside {
        jobs::QueueEntry entry;
        async::TimePoint until;
    };

    async::Loop &m_loop;
    DutyTroubles &m_troubles;
    std::map<jobs::JobId, Aside> m_aside;
    std::map<jobs::JobId, jobs::QueueEntry> m_tried; // due, and still reported
};

} // namespace drover::workers
