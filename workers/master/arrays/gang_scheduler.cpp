#include "workers/master/arrays/gang_scheduler.h"

#include "async/pause.h"
#include "jobs/cluster/members.h"
#include "jobs/model/gang.h"
#include "recipes/blocks/follow.h"
#include "recipes/blocks/persistent.h"
#include "workers/master/base/supervise.h"

#include <algorithm>

namespace drover::workers {

using namespace std::chrono_literals;
using std::chrono::milliseconds;
using zk::Answer;

namespace {

constexpr async::PauseAfter Pause{.factor = 19, .shortest = 2s, .longest = 30s}; // between two looks at all claims

// One whose machine is in trouble counts if nothing runs there: only its next job tells that the trouble is over,
// unless it holds back.
bool mayClaim(const jobs::StoredMember &member, const QByteArrayList &cordons,
              const std::vector<jobs::StoredClaim> &claims)
{
    if (!member.info || member.info->holdsBack || cordons.contains(member.id))
        return false;
    const auto isThere = [&](const jobs::StoredClaim &claim) { return claim.claim.worker == member.info->id; };
    return member.info->trouble.isEmpty() || std::none_of(claims.begin(), claims.end(), isThere);
}

} // namespace

GangScheduler::GangScheduler(jobs::Cluster cluster, const zk::ServerClock *clock, std::function<void()> onChange)
    : m_cluster(std::move(cluster)), m_clock(clock), m_onChange(std::move(onChange)),
      m_limits(m_cluster, [this] { m_onChange(); }),
      m_following([](const std::exception_ptr &) {}) // the session's end, which the master hears of elsewhere
{
    const QString meanwhile = QStringLiteral("gangs are measured against the workers of before until they can be read");
    m_following.spawn(superviseWatch(m_cluster.zk, meanwhile, [this] { return followWorkers(); }));
    m_following.spawn(superviseWatch(m_cluster.zk, meanwhile, [this] { return readWorkers(); }));
    m_following.spawn(superviseWatch(m_cluster.zk, meanwhile, [this] { return lookForPlaces(); }));
}

std::optional<milliseconds> GangScheduler::acquire(const jobs::JobId &gang, const jobs::JobSpec &spec)
{
    const bool permitted = m_limits.allows(spec); // asked first: known by the time that it is its turn
    const bool isOthers = m_assembling && m_assembling != gang;
    if (isOthers || !permitted || jobs::placesFor(spec, m_workers) < spec.gang)
        return std::nullopt;
    const async::TimePoint now = m_cluster.zk.loop().now();
    const std::optional<milliseconds> patience =
        m_forecast.isFresh(now) ? m_forecast.patienceFor(spec, now) : std::nullopt;
    if (patience)
        m_assembling = gang;
    else
        m_asked.set();
    return patience;
}

void GangScheduler::adopt(const jobs::JobId &gang)
{
    if (!m_assembling)
        m_assembling = gang;
}

void GangScheduler::release(const jobs::JobId &gang)
{
    if (m_assembling != gang)
        return;
    m_assembling.reset();
    m_guard.post(m_cluster.zk.loop(), [this] { m_onChange(); });
}

async::Task<void> GangScheduler::followWorkers()
{
    const auto onChange = [this](const zk::Children &) { m_members.set(); };
    co_await recipes::followChildren(m_cluster.zk, m_cluster.layout.members(), onChange);
}

async::Task<void> GangScheduler::readWorkers()
{
    m_members.set();
    for (;;) {
        co_await m_members.wait();
        m_members.reset();
        const std::vector<jobs::StoredMember> members = co_await jobs::readMembers(m_cluster);
        m_workers.clear();
        for (const jobs::StoredMember &member : members) {
            if (member.info) // otherwise its slots are unknown
                m_workers.push_back(*member.info);
        }
        m_onChange();
    }
}

// Runs while gangs ask for their turn.
async::Task<void> GangScheduler::lookForPlaces()
{
    for (;;) {
        co_await m_asked.wait();
        m_asked.reset();
        const async::TimePoint begin = m_cluster.zk.loop().now();
        const std::vector<jobs::StoredMember> members = co_await jobs::readMembers(m_cluster);
        const Answer<zk::Children> cordoned =
            co_await recipes::Persistent(m_cluster.zk).children(m_cluster.layout.cordons());
        const std::vector<jobs::StoredClaim> claims = co_await jobs::readClaims(m_cluster);
        std::vector<jobs::WorkerInfo> workers;
        for (const jobs::StoredMember &member : members) {
            if (mayClaim(member, cordoned.ok() ? cordoned->names : QByteArrayList(), claims))
                workers.push_back(*member.info);
        }
        const async::TimePoint end = m_cluster.zk.loop().now();
        m_forecast.note(std::move(workers), claims, end);
        m_onChange();
        co_await async::sleepFor(m_cluster.zk.loop(), Pause(end - begin));
    }
}

} // namespace drover::workers
