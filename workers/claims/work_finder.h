#pragma once

#include "jobs/model/cluster.h"
#include "recipes/blocks/ticket.h"
#include "workers/claims/candidate_list.h"
#include "workers/claims/lock_contention.h"
#include "zk/client.h"

#include <QHash>

#include <functional>
#include <memory>

namespace drover::workers {

// Finds the work of one queue for one worker, without a herd.
//
//     list the queue and the claims; if there is work, that is all
//     otherwise take a place in the line of idle workers, idle/<queue>
//     the first in line watches the queue; the others watch the one before them
//     when a job comes: list again; keep the place as long as there are free slots
//     when the worker is full: leave the line; the next worker is first then, and lists
//     when the new jobs are not for this worker: go to the end of the line; the next worker lists
//     when the whole line may have seen all jobs: go to the end every five seconds. A hidden job whose version has
//         changed was claimed meanwhile and is free again: it is treated like a new one
//
// A member that leaves may have held claims, so setMembers() makes the next listing due at once. A deleted claim fires
// no watch here. A worker that gives a claim back therefore changes the queue's children (Reporter). For claims that
// are deleted by hand, the first in line lists every second: one pair of reads by one worker.
//
// A listing is used for a second at most, so that a higher priority does not wait for the end of a long queue. If
// listing takes long, it is used for twenty times as long as it took. After a long listing without work the first in
// line pauses. At most a fifth of its time goes to listings, whatever comes to a long queue of held jobs. A listing
// with refused jobs (hideRefused) is used for a short time: signed jobs of a higher priority do not wait behind a
// flood.
class WorkFinder
{
public:
    static constexpr std::chrono::seconds MaxAge{1};
    static constexpr std::chrono::seconds MaxFreshness{10};
    static constexpr std::chrono::seconds Turn{5};
    static constexpr std::chrono::minutes AsideFor{10}; // as the master's SetAside

    // `contention` returns which locks the worker's jobs wait for now. When that changes, the caller has to cancel a
    // search and begin another.
    WorkFinder(
        jobs::Cluster cluster, QByteArray queue, QByteArray worker,
        std::function<LockContention()> contention = [] { return LockContention(); });

    const QByteArray &queue() const { return m_queue; }

    // The jobs to try next. Empty: none is known, and search() is due.
    std::vector<jobs::QueueEntry> take(std::size_t count);
    // Puts jobs that take() has returned back to the front.
    void putBack(const std::vector<jobs::QueueEntry> &entries) { m_candidates.putBack(entries); }
    bool dry() const { return m_candidates.empty() || m_cluster.zk.loop().now() - m_listedAt > m_freshFor; }

    // Lists until there is work. Throws SessionLost.
    async::Task<void> search();

    // The worker has no free slot: the next in line should look.
    void leaveLine();

    // Hides a job from this worker while the job's node has that version.
    void excludeAt(const jobs::QueueEntry &entry, qint32 version);
    // Hide jobs for the next second, so that other workers may take them, or until lookAgain().
    void passOver(const std::vector<jobs::QueueEntry> &entries) { hide(entries, Why::PassedOver); }
    // Hides jobs for AsideFor: they cannot be claimed or ended now, whatever worker tries. What keeps them from it is a
    // znode below theirs or an ACL, and no watch here fires when that goes.
    void setAside(const std::vector<jobs::QueueEntry> &entries) { hide(entries, Why::SetAside); }
    // Hides jobs that no worker may run, until show() or for AsideFor: they are about to be removed. Thousands a second
    // may come. So none of the idle workers is asked to look. The listing is used for a short time only, because what
    // is to run may have come meanwhile.
    void hideRefused(const std::vector<jobs::QueueEntry> &entries);
    void show(const jobs::QueueEntry &entry) { m_hidden.remove(entry.name()); }
    // All that was set aside: the whole queue could not be read, and can be again.
    void forgetAside()
    {
        m_hidden.removeIf([](const auto &hidden) { return hidden.value().why == Why::SetAside; });
    }
    void passOverForRoom(const std::vector<jobs::QueueEntry> &entries);
    // Hides a job while enough jobs wait for the lock that it needs.
    void defer(const jobs::QueueEntry &entry, const QString &lock) { hide({entry}, Why::Contended, lock); }
    // Jobs that were passed over for want of room may be work now.
    void lookAgain();
    // Whether the job was passed over a second ago and is still unclaimed.
    bool isLeftByOthers(const jobs::QueueEntry &entry) const;

    // The members have changed: the latest listing is out of date.
    void setMembers(QByteArrayList members);

private:
    enum class Why { AtVersion, PassedOver, SetAside, Contended };
    struct Hidden {
        Why why;
        async::TimePoint since;
        QString lock{}; // set: enough jobs waited for this lock
        std::optional<qint32> version{}; // set: hidden while the job's node has it
        bool forRoom = false;
    };

    void hide(const std::vector<jobs::QueueEntry> &entries, Why why, const QString &lock = {});
    std::vector<std::pair<QByteArray, zk::Reply<zk::Stat>>> lookAtHidden();
    bool isHidden(const Hidden &hidden, const LockContention &contention) const;
    bool isLeftToOthers(const Hidden &hidden) const;
    QByteArrayList shown(const QByteArrayList &names, const QSet<qint64> &taken);
    std::optional<async::Duration> untilNextLook() const;
    async::Task<void> standInLine();
    async::Task<void> beginLineAnew();
    async::Task<void> list(zk::Watch *watch);
    async::Task<void> pauseAfterLongListing();
    async::Task<void> awaitChange(zk::Watch &watch);

    jobs::Cluster m_cluster;
    QByteArray m_queue;
    QByteArray m_worker;
    std::function<LockContention()> m_contention;
    QByteArrayList m_members;
    QHash<QByteArray, Hidden> m_hidden; // names of entries; forgotten once claimed or gone
    CandidateList m_candidates;
    async::TimePoint m_listedAt{};
    async::Duration m_spent{}; // on that listing
    async::Duration m_freshFor = MaxAge;
    async::Duration m_pause{}; // before the first in line lists again
    std::shared_ptr<recipes::Ticket> m_place; // shared with the search that waits for its turn
    bool m_first = false; // in line
    async::TimePoint m_firstSince{};
    bool m_mayHaveMissed = false; // a hidden job may have been claimed
    bool m_yields = false; // others should try the jobs that were just hidden
    std::optional<async::Promise<std::monostate>> m_poke; // while the first in line waits
};

} // namespace drover::workers
