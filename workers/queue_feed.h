#pragma once

#include "jobs/layout.h"
#include "recipes/ticket.h"
#include "workers/backlog.h"
#include "workers/crowd.h"
#include "zk/coordinator.h"

#include <QHash>

#include <functional>

namespace drover::workers {

// Finds the work of one queue for one worker, without a herd.
//
//     list the queue and the claims; if there is work, that is all
//     otherwise take a place in the line of idle workers, idle/<queue>
//     the first in line watches the queue; the others watch the one before them
//     when a job comes: list again; keep the place as long as there are free slots
//     when full: leave the line; the next is first then, and looks for itself
//     when what came is not for this worker: stand at the end of the line; the next looks
//     when only such jobs lie there, which all in line may have seen: the same, but every five seconds. One of them that
//     has another version by now was claimed and is free again: it is looked at like a new one, and so passed on once
//     what was left to others for a second is looked at again from any place
//
// A member that leaves may have held claims: setMembers() makes the next listing due at once. A claim that goes
// changes nothing that is watched: a worker that gives one back makes the children change (Reporter); for those deleted
// by hand the first in line lists anew every second: one pair of reads by one worker.
// A listing is worked through for a second at most, lest a higher priority wait for the end of a long queue; where
// listing takes long, for twenty times as long as it takes, so that most of the time goes to the work. After a long
// listing that showed no work the first in line pauses: whatever comes to a long queue of held jobs, a fifth of its time
// goes to listings.
class QueueFeed
{
public:
    static constexpr std::chrono::seconds MaxAge{1};
    static constexpr std::chrono::seconds MaxFreshness{10};
    static constexpr std::chrono::seconds Turn{5};

    // `crowd` is what waits at the worker now; whatever changes it has to cancel a search and begin another.
    QueueFeed(
        zk::Coordinator &zk, jobs::Layout layout, QByteArray queue, QByteArray worker,
        std::function<Crowd()> crowd = [] { return Crowd(); });

    const QByteArray &queue() const { return m_queue; }

    // The jobs to try next; empty if none is known. With nothing known, search() is due.
    std::vector<jobs::QueueEntry> take(std::size_t count);
    bool dry() const { return m_backlog.empty() || m_zk.loop().now() - m_listedAt > m_freshFor; }

    // Returns when there is work, having listed it. Throws SessionLost.
    async::Task<void> search();

    // No free slot: others in line should look.
    void leaveLine();

    // Jobs that are no work for this worker, whatever a listing shows: never; not for the next second, so that others
    // may take them; not while there is a crowd at what it would wait for.
    void exclude(const std::vector<jobs::QueueEntry> &entries) { hide(entries, Why::Never); }
    void excludeAt(const jobs::QueueEntry &entry, qint32 version); // the job's node: while it has that version
    void passOver(const std::vector<jobs::QueueEntry> &entries) { hide(entries, Why::PassedOver); }
    void passOverForRoom(const std::vector<jobs::QueueEntry> &entries); // the same, until lookAgain()
    void defer(const jobs::QueueEntry &entry, const QString &holdable) { hide({entry}, Why::Crowded, holdable); }
    // What was passed over for want of room may be work now.
    void lookAgain();
    // Passed over a second ago, and still there.
    bool nobodyElseTook(const jobs::QueueEntry &entry) const;

    // The members have changed: what is known of the queue is out of date.
    void setMembers(QByteArrayList members);

private:
    enum class Why { Never, PassedOver, Crowded };
    struct Hidden {
        Why why;
        async::TimePoint since;
        QString holdable{}; // where the crowd was
        std::optional<qint32> version{}; // never, as long as it has that
        bool forRoom = false;
    };

    void hide(const std::vector<jobs::QueueEntry> &entries, Why why, const QString &holdable = {});
    std::vector<std::pair<QByteArray, zk::Reply<zk::Stat>>> lookAtHidden();
    bool isHidden(const Hidden &hidden, const Crowd &crowd) const;
    bool isLeftToOthers(const Hidden &hidden) const;
    QByteArrayList shown(const QByteArrayList &names, const QSet<qint64> &taken);
    std::optional<async::Duration> untilNextLook() const;
    async::Task<void> standInLine();
    async::Task<void> list(zk::Watch *watch);
    async::Task<void> pauseAfterLongListing();
    async::Task<void> awaitChange(zk::Watch &watch);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    QByteArray m_queue;
    QByteArray m_worker;
    std::function<Crowd()> m_crowd;
    QByteArrayList m_members;
    QHash<QByteArray, Hidden> m_hidden; // names of entries; forgotten once claimed or gone
    Backlog m_backlog;
    async::TimePoint m_listedAt{};
    async::Duration m_freshFor = MaxAge;
    async::Duration m_pause{}; // before the first in line lists again
    std::optional<recipes::Ticket> m_place;
    bool m_first = false; // in line
    async::TimePoint m_firstSince{};
    bool m_mayHaveMissed = false; // a claim of what is hidden
    bool m_yields = false; // others should look at what has just been hidden
    std::optional<async::Promise<std::monostate>> m_poke; // while the first in line waits
};

} // namespace drover::workers
