#pragma once

#include "async/loop.h"
#include "jobs/model/cluster_stats.h"

#include <map>

namespace drover::workers {

// The parts of the master's work that fail now and are retried, for the master's summary. A trouble is logged when it
// begins and when its error changes.
class Troubles
{
public:
    explicit Troubles(async::Loop &loop) : m_loop(loop) { }

    void note(const QString &subject, const QString &error);
    void clear(const QString &subject);
    // The first `count`, in the order of their subjects.
    std::vector<jobs::ClusterStats::Trouble> first(std::size_t count) const;

private:
    async::Loop &m_loop;
    std::map<QString, jobs::ClusterStats::Trouble> m_troubles;
};

} // namespace drover::workers
