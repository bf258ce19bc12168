#pragma once

#include "gui/data/job_order.h"
#include "gui/data/snapshots.h"
#include "history/query.h"

#include <vector>

namespace drover::gui {

// What a search of the console asks of a history. It does no I/O.
class PastSearch
{
public:
    explicit PastSearch(JobSearch search = {});

    const JobSearch &search() const { return m_search; }
    // No job that has ended fits: there is nothing to read.
    bool wantsNone() const { return m_ended.empty(); }
    // Not all jobs fit.
    bool isNarrow() const { return !m_search.filter.isEmpty() || m_ended.size() == 1; }

    // A page of the jobs of that cluster: all, or all that fit and perhaps others.
    history::Query all(const QByteArray &cluster) const;
    history::Query fitting(const QByteArray &cluster) const;
    // Pages that the indexes of words, tags and names find at once: most of what fits. Empty: they know nothing of it.
    std::vector<history::Query> lookUps(const QByteArray &cluster) const;

private:
    JobSearch m_search;
    std::vector<jobs::JobState> m_ended; // that a job which fits may have
};

history::Order inHistory(const JobOrder &order);

} // namespace drover::gui
