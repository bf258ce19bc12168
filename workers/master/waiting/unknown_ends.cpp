#include "workers/master/waiting/unknown_ends.h"

namespace drover::workers {

using namespace std::chrono_literals;

namespace {

constexpr async::Duration Pause = 1min; // between two looks

QString subjectOf(const jobs::JobId &id)
{
    return QStringLiteral("what waits for job %1").arg(id.toString());
}

} // namespace

void UnknownEnds::add(const jobs::JobId &id)
{
    if (m_ids.insert(id).second)
        m_troubles.note(subjectOf(id),
                        QStringLiteral("it goes on waiting: neither ZooKeeper nor the history of this master knows how "
                                       "that has ended"));
}

void UnknownEnds::remove(const jobs::JobId &id)
{
    if (m_ids.erase(id) > 0)
        m_troubles.clear(subjectOf(id));
}

std::set<jobs::JobId> UnknownEnds::takeDue()
{
    if (m_ids.empty() || m_loop.now() < m_nextLook)
        return {};
    m_nextLook = m_loop.now() + Pause;
    return m_ids;
}

std::optional<async::Duration> UnknownEnds::untilNext() const
{
    return m_ids.empty() ? std::nullopt : std::optional(Pause);
}

} // namespace drover::workers
