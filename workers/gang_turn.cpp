#include "workers/gang_turn.h"

#include "jobs/gang.h"
#include "jobs/members.h"
#include "recipes/follow.h"
#include "workers/keep_following.h"

namespace drover::workers {

GangTurn::GangTurn(zk::Coordinator &zk, jobs::Layout layout, std::function<void()> onChange)
    : m_zk(zk), m_layout(std::move(layout)), m_onChange(std::move(onChange)),
      m_permits(zk, m_layout, [this] { m_onChange(); }),
      m_following([](const std::exception_ptr &) {}) // the session's end, which the master hears of elsewhere
{
    const QString meanwhile = QStringLiteral("gangs are measured against the workers of before until they can be read");
    m_following.spawn(keepFollowing(m_zk, meanwhile, [this] { return followWorkers(); }));
    m_following.spawn(keepFollowing(m_zk, meanwhile, [this] { return readWorkers(); }));
}

bool GangTurn::take(const jobs::JobId &gang, const jobs::JobSpec &spec)
{
    const bool permitted = m_permits.sufficeFor(spec); // asked first: known by the time that it is its turn
    if (m_assembling)
        return m_assembling == gang;
    if (!permitted || jobs::placesFor(spec, m_workers) < spec.gang)
        return false;
    m_assembling = gang;
    return true;
}

void GangTurn::keep(const jobs::JobId &gang)
{
    if (!m_assembling)
        m_assembling = gang;
}

void GangTurn::release(const jobs::JobId &gang)
{
    if (m_assembling != gang)
        return;
    m_assembling.reset();
    m_zk.loop().post([this, alive = std::weak_ptr(m_alive)] {
        if (!alive.expired())
            m_onChange();
    });
}

async::Task<void> GangTurn::followWorkers()
{
    const auto onChange = [this](const zk::Children &) { m_members.set(); };
    co_await recipes::followChildren(m_zk, m_layout.members(), onChange);
}

async::Task<void> GangTurn::readWorkers()
{
    m_members.set();
    for (;;) {
        co_await m_members.wait();
        m_members.reset();
        const std::vector<jobs::Member> members = co_await jobs::readMembers(m_zk, m_layout);
        m_workers.clear();
        for (const jobs::Member &member : members) {
            if (member.info) // otherwise nobody knows what it has
                m_workers.push_back(*member.info);
        }
        m_onChange();
    }
}

} // namespace drover::workers
