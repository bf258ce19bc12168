#pragma once

#include "gui/feeds/feed.h"
#include "gui/feeds/past/past_counts.h"
#include "gui/feeds/past/past_search.h"
#include "gui/feeds/past/past_walk.h"
#include "history/history.h"
#include "jobs/client/job_lookup.h"

#include <functional>

namespace drover::gui {

// Which history the console reads for a cluster; `ofCluster` is the place in the cluster's settings, and may be empty.
// Nothing if no history is kept. Throws history::HistoryError; the message is shown.
using HistoryPlace = std::function<std::optional<history::Location>(const Target &target, const QString &ofCluster)>;

// Reads jobs from the history, where the master moves them a moment after their end, on a thread of the history's own.
// It needs one watch. It walks through the jobs in the order that was asked for, a page at a time, until as many are
// there as were wanted. At first that is from the newest to older ones. It sends a window of MaxPastRows of them.
// Beyond these a further page takes the place of the first one, which is read again when it is asked for.
//
// A search first asks the indexes of words and names, which find most of what fits at once. Then it reads every job in
// stretches, as the filter searches more than words, and says how far it is. When jobs have been archived it reads the
// new ones.
//
// While the history fails, the rows stay as they were, the snapshot says so, and the history is tried every RetryAfter.
class PastJobs final : public Feed
{
    Q_OBJECT

public:
    static constexpr qsizetype PageRows = PastWalk::PageRows;
    static constexpr qint64 Stretch = 20'000; // jobs that a search reads at a time: a tenth of a second
    static constexpr std::chrono::seconds RetryAfter{5}; // a failure

    explicit PastJobs(HistoryPlace place) : m_place(std::move(place)) { }

    int watches() const override { return m_watches; }

    // Nothing if the history has no such job, or none is kept. Throws history::HistoryError if it does not answer.
    async::Task<std::optional<jobs::JobView>> find(jobs::JobId id);
    // The tasks of an array that have ended in such a state, about `most` of them. None if no history is kept. Throws
    // as find() does.
    async::Task<QList<JobRow>> tasksOf(jobs::JobId array, jobs::JobState state, qsizetype most);

public Q_SLOTS:
    void search(const drover::gui::JobSearch &search);
    void sort(const drover::gui::JobOrder &order);
    void lookAgain(); // jobs have been archived
    // These are in ZooKeeper: which of them the history has as well is said with each count from then on.
    void setFailedInDone(const QList<drover::jobs::JobId> &jobs);
    void readOlder(); // a page more
    void readEarlier(); // the page before the window
    void readFirst(); // the walk begins anew

Q_SIGNALS:
    void changed(const drover::gui::PastSnapshot &past);

protected:
    void begin() override;
    void end() override;

private:
    using Histories = std::shared_ptr<history::History>;

    async::Task<void> followConfig();
    async::Task<void> walkOn();
    async::Task<void> step(Histories history);
    async::Task<void> stepBack(Histories history);
    async::Task<void> findNewest(Histories history);
    async::Task<void> lookUp(Histories history);
    async::Task<void> refreshAgainAndAgain();
    async::Task<void> refresh(Histories history);
    async::Task<void> countAll(Histories counting);
    void open(const QString &ofCluster);
    void restart(PastWalk anew = {}); // an empty one answers another question
    QList<JobRow> rowsSentBefore() const; // that fit
    void giveUp(int round, const QString &trouble);
    void publish();
    bool goesOn() const { return m_history && !m_search.wantsNone() && !m_walk.atEnd && m_walk.walked < m_walk.wanted; }

    const HistoryPlace m_place;
    int m_watches = 0;
    PastSearch m_search;
    JobOrder m_order;
    std::optional<QString> m_opened; // what the cluster's settings named
    Histories m_history; // empty: none is kept, or it cannot be used
    Histories m_counting; // on a connection of its own: to count takes long
    QString m_trouble; // why it cannot be used
    PastWalk m_walk;
    QList<JobRow> m_sent; // the rows of the last snapshot without trouble and of no narrow search
    QList<JobRow> m_sentOfSearch; // the rows of the last one without trouble and of a narrow search
    int m_round = 0; // of walks: what was read for an earlier one is dropped
    int m_question = 0;
    PastCounts m_counts;
    QList<jobs::JobId> m_failedInDone;
    async::Event m_dirty; // the walk may go on
    async::Event m_archived;
    async::Timer m_retry;
    async::Timer m_recount; // failures grow old
};

} // namespace drover::gui
