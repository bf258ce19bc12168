#pragma once

#include "app/environment/context.h"
#include "history/history.h"
#include "jobs/client/job_lookup.h"

#include <optional>

namespace drover::app {

// Looks up many jobs in the history by one connection, which the first look-up opens.
class PastReader
{
public:
    // `context` must outlive this object, and this object its tasks.
    explicit PastReader(Context &context) : m_context(context) { }

    // Like findArchived().
    async::Task<std::optional<jobs::JobView>> find(jobs::JobId id);
    // Like lookUpAnywhere().
    async::Task<jobs::JobView> lookUp(jobs::Cluster cluster, jobs::JobId id);

private:
    Context &m_context;
    std::optional<history::History> m_history;
};

} // namespace drover::app
