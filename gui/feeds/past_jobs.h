#pragma once

#include "gui/feeds/feed.h"
#include "history/history.h"
#include "jobs/client/job_lookup.h"

#include <functional>

namespace drover::gui {

// Which history the console reads for a cluster; `ofCluster` is the place in the cluster's settings, and may be empty.
// Nothing if no history is kept. Throws history::HistoryError; the message is shown.
using HistoryPlace = std::function<std::optional<history::Location>(const Target &target, const QString &ofCluster)>;

// Reads jobs from the history, where the master moves them a moment after their end: the newest, or the newest that
// contain a text. It reads again when jobs have been archived, on a thread of the history's own, and needs one watch.
class PastJobs final : public Feed
{
    Q_OBJECT

public:
    static constexpr qsizetype MaxRows = 500;

    explicit PastJobs(HistoryPlace place) : m_place(std::move(place)) { }

    int watches() const override { return m_watches; }

    // Nothing if the history has no such job, or none is kept. Throws history::HistoryError if it does not answer.
    async::Task<std::optional<jobs::JobView>> find(jobs::JobId id);

public Q_SLOTS:
    void search(const drover::gui::JobSearch &search);
    void lookAgain(); // jobs have been archived

Q_SIGNALS:
    void changed(const drover::gui::PastSnapshot &past);

protected:
    void begin() override;
    void end() override;

private:
    async::Task<void> followConfig();
    async::Task<void> readAgainAndAgain();
    async::Task<PastSnapshot> read(std::shared_ptr<history::History> history, JobSearch search);
    void open(const QString &ofCluster);

    const HistoryPlace m_place;
    int m_watches = 0;
    JobSearch m_search;
    std::optional<QString> m_opened; // what the cluster's settings named
    std::shared_ptr<history::History> m_history; // empty: none is kept, or it cannot be used
    QString m_trouble; // why it cannot be used
    async::Event m_dirty;
};

} // namespace drover::gui
