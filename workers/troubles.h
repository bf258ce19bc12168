#pragma once

#include "jobs/records.h"
#include "zk/coordinator.h"

#include <functional>
#include <map>

namespace drover::workers {

// What a master cannot do now, for its summary: the parts of its work that fail and are tried again. Each is logged when
// it begins, or fails in another way.
class Troubles
{
public:
    explicit Troubles(async::Loop &loop) : m_loop(loop) { }

    void note(const QString &subject, const QString &error);
    void clear(const QString &subject);
    // The first in the order of their subjects.
    std::vector<jobs::ClusterStats::Trouble> first(std::size_t count) const;

private:
    async::Loop &m_loop;
    std::map<QString, jobs::ClusterStats::Trouble> m_troubles;
};

// Does a part of the master's work, and again 5 s after it has failed: the others go on meanwhile. Returns when `work`
// does; throws Deposed, SessionLost.
async::Task<void> keepWorking(zk::Coordinator &zk, Troubles &troubles, QString subject,
                              std::function<async::Task<void>()> work);

} // namespace drover::workers
