#pragma once

#include "jobs/queue_settings.h"
#include "workers/admission.h"
#include "workers/attempts.h"
#include "workers/claimer.h"
#include "workers/prefetch.h"
#include "workers/queue_feed.h"

#include <deque>

namespace drover::workers {

// Claims jobs for a worker and begins them.
//
//     plain jobs   claimed for the free slots, and begun at once; some ahead of them, whose claims say so until they
//                  run (sayThatItRuns); begun in that order
//     others       (several slots, memory, locks, limits, or the last attempt) wait in the Admission; one that is ready
//                  there and has no room yet comes before all others: what gets free is kept for it, but for plain
//                  jobs that will have ended before its room has come (Passing). A member of a gang keeps its room
//                  there until all have theirs
//
// A job that the worker can never run is hidden from it. One for which there is no room now is left to others for a
// second, and claimed if it is still there, so that it waits where it will get its room. One that would wait for a lock
// or a limit for which enough wait here already (Crowd) is left in its queue until fewer do.
class Puller
{
public:
    // For others to see.
    struct Events {
        std::function<void(zk::Zxid cordon)>
            cordoned; // it is being obeyed: nothing is claimed, nor about to be; 0: none
        std::function<void(const QString &reason)> troubled; // see Attempts
    };

    // All that is referred to outlives this.
    Puller(zk::Coordinator &zk, jobs::Layout layout, const WorkerOptions &options, Runner &runner, Reporter &reporter,
           Events events);

    // Works until stop() was called and the last job has been reported to the reporter.
    async::Task<void> run();
    // Claims no more, and gives back what has not begun.
    void stop();

    // What people have decided about the queues. Throws SessionLost.
    async::Task<void> followQueues();
    void setMembers(const QByteArrayList &members);
    // Nothing is claimed under a cordon: the transaction that made its node; 0: there is none.
    void setCordon(zk::Zxid cordon);
    // Nothing is claimed in the whole cluster (jobs::Backpressure).
    void setBackpressure(bool pauses);

    // Kills what runs, and gives all back that is claimed as far as the reporter may still tell it, or its successor;
    // returns when nothing runs. For the end of the session.
    async::Task<void> killAll();
    // Ends what runs and gives it back.
    void abandon(Attempts::Grace grace);

    int running() const { return m_attempts.running(); }
    async::Task<void> reportKept() { return m_attempts.reportKept(); }
    qint64 keptReported() const { return m_attempts.keptReported(); }

private:
    struct Source {
        Source(zk::Coordinator &zk, const jobs::Layout &layout, const QByteArray &queue, const QByteArray &worker,
               std::function<Crowd()> crowd)
            : feed(zk, layout, queue, worker, std::move(crowd))
        {
        }

        QueueFeed feed;
        std::optional<jobs::QueueSettings> settings; // nothing before they have been read
        qint32 version = 0; // of the queue's node

        bool open() const { return settings && !settings->paused; }
        bool limited() const { return settings && settings->limit > 0; }
    };

    async::Task<void> pull();
    async::Task<void> claimFrom(Source &source, int count);
    async::Task<void> searchAll();
    async::Task<void> untilChanged();
    async::Task<void> followQueue(Source &source);
    void deferCrowded(Source &source, const std::vector<ClaimedJob> &jobs);

    // The jobs that may begin although what is free is kept for another one: while its room is far away, those that
    // surely end within that time, by their limit, or most likely do, as those before them did.
    class Passing
    {
    public:
        Passing(async::Duration untilRoom, std::optional<async::Duration> usual)
            : m_untilRoom(untilRoom), m_usual(usual)
        {
        }
        bool mayPass(const jobs::JobSpec &spec) const;

    private:
        async::Duration m_untilRoom;
        std::optional<async::Duration> m_usual; // duration of a job here
    };

    Terms termsOf(const Source &source) const;
    std::optional<Passing> passing() const;
    void noteClaims(const Claims &won, async::TimePoint begin);
    bool isPlain(const Source &source, const jobs::JobSpec &spec) const;
    Source *sourceWithWork();
    Source &sourceOf(const QByteArray &queue);
    bool mayLook() const;
    int wanted() const;
    void begin();
    void goOn();
    bool mustNotBegin() const;
    ClaimedJob takeClaimed();
    void leaveLines();
    void giveBackUnbegun(const QByteArray &queue = {});
    void giveBackPlain(const QByteArray &queue = {});
    void onReturned(const ClaimedJob &job, bool seated);
    void onBegun(ClaimedJob job);
    void onRecalled(ClaimedJob job);

    zk::Coordinator &m_zk;
    jobs::Layout m_layout;
    const WorkerOptions &m_options;
    Reporter &m_reporter;
    Events m_events;
    std::vector<std::unique_ptr<Source>> m_sources;
    ServerClock m_clock; // each claim measures it
    Claimer m_claimer;
    Capacity m_capacity;

    bool m_stopping = false;
    bool m_claiming = false; // nothing is seated now: it would take a slot that has been promised
    std::optional<zk::Zxid> m_cordon; // nothing before it is known
    std::optional<bool> m_pauses; // the same
    std::deque<ClaimedJob> m_claimed; // plain ones, not begun
    Prefetch m_prefetch;
    bool m_nonePasses = false; // of those that were looked at just now
    async::Timer m_nextPassing;
    async::Timer m_patience;
    async::Event m_changed; // anything that pull() looks at
    Admission m_admission;
    Attempts m_attempts; // last: destroyed first
};

} // namespace drover::workers
