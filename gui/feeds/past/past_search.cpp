#include "gui/feeds/past/past_search.h"

#include "gui/feeds/past/past_walk.h"

#include <array>

namespace drover::gui {

using jobs::JobState;

PastSearch::PastSearch(JobSearch search) : m_search(std::move(search))
{
    for (const JobState state : {JobState::Succeeded, JobState::Failed, JobState::Cancelled}) {
        const bool isChosen = m_search.states.empty() || m_search.states.contains(state);
        if (isChosen && m_search.filter.state.value_or(state) == state)
            m_ended.push_back(state);
    }
}

history::Query PastSearch::all(const QByteArray &cluster) const
{
    history::Query query;
    query.cluster = cluster;
    query.tasks = m_search.tasks;
    query.limit = PastWalk::PageRows;
    return query;
}

history::Query PastSearch::fitting(const QByteArray &cluster) const
{
    history::Query query = all(cluster);
    query.narrow(m_search.filter);
    query.contains = m_search.filter.words;
    if (m_ended.size() == 1)
        query.state = m_ended.front();
    return query;
}

std::vector<history::Query> PastSearch::lookUps(const QByteArray &cluster) const
{
    const jobs::JobFilter &filter = m_search.filter;
    const bool isPattern = filter.name && (filter.name->contains(u'*') || filter.name->contains(u'?'));
    if (filter.words.isEmpty() && filter.tag.isEmpty() && (!filter.name || isPattern))
        return {};
    std::vector<history::Query> queries{fitting(cluster)};
    queries.front().contains.clear();
    queries.front().text = filter.words.isEmpty() ? filter.tag : filter.words;
    queries.front().lately = true;
    if (const std::optional<jobs::JobId> id = jobs::JobId::parse(filter.words)) {
        queries.push_back(all(cluster));
        queries.back().ids = {*id};
        queries.back().tasks = true;
    }
    return queries;
}

// In the order of JobOrder::By.
history::Order inHistory(const JobOrder &order)
{
    using enum history::Order::By;
    constexpr std::array By{Ended, Id, Name, Worker};
    return {By[static_cast<std::size_t>(order.by)], order.descending};
}

} // namespace drover::gui
