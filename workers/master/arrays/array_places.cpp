#include "workers/master/arrays/array_places.h"

#include <algorithm>
#include <array>

namespace drover::workers {

using jobs::QueueEntry;

namespace {

using CountByPriority = std::array<int, jobs::JobSpec::MaxPriority + 1>;

int &of(const QueueEntry &entry, CountByPriority &count)
{
    return count[static_cast<std::size_t>(entry.priority)];
}

// Nothing that the master could do brings it forward now.
bool isIdle(const ArrayPlaces::AtWork &atWork, async::TimePoint now)
{
    const bool isBlocked = atWork.share.claimed() == 0 && atWork.share.isStalled(now);
    return atWork.array->waits() || (atWork.array->sharesRoom() && isBlocked);
}

} // namespace

void ArrayPlaces::setListed(std::vector<QueueEntry> arrays)
{
    std::sort(arrays.begin(), arrays.end());
    m_listed = std::move(arrays);
    std::erase_if(m_steppedAside, [this](const auto &aside) {
        return !std::binary_search(m_listed.begin(), m_listed.end(), aside.first);
    });
}

// A place goes first to arrays that have not been at work yet, in order, then to those that have stepped aside, in
// turn.
std::vector<QueueEntry> ArrayPlaces::assign(async::TimePoint now)
{
    stepAside(waitingForPlace(), now);
    CountByPriority count{};
    for (const auto &[entry, array] : m_arrays)
        ++of(entry, count);
    std::vector<QueueEntry> entries;
    for (const QueueEntry &entry : waitingForPlace()) { // with those that have just stepped aside
        if (of(entry, count) >= MaxArrays)
            continue;
        entries.push_back(entry);
        ++of(entry, count);
    }
    for (const auto &[entry, atWork] : m_arrays)
        entries.push_back(entry);
    return entries;
}

ExpandingArray &ArrayPlaces::admit(const QueueEntry &entry, std::unique_ptr<ExpandingArray> array, async::TimePoint now)
{
    m_steppedAside.erase(entry);
    AtWork atWork{std::move(array), OpenShare(now), ++m_steps};
    return *m_arrays.insert_or_assign(entry, std::move(atWork)).first->second.array;
}

void ArrayPlaces::drop(const QueueEntry &array)
{
    std::erase(m_listed, array);
    m_steppedAside.erase(array);
    release(array);
}

void ArrayPlaces::list(const QueueEntry &array)
{
    const auto place = std::lower_bound(m_listed.begin(), m_listed.end(), array);
    if (place == m_listed.end() || *place != array)
        m_listed.insert(place, array);
}

bool ArrayPlaces::isCrowded() const
{
    return std::any_of(m_listed.begin(), m_listed.end(),
                       [this](const QueueEntry &entry) { return !m_arrays.contains(entry); });
}

std::vector<QueueEntry> ArrayPlaces::waitingForPlace() const
{
    std::vector<QueueEntry> waiting;
    for (const QueueEntry &entry : m_listed) {
        if (!m_arrays.contains(entry))
            waiting.push_back(entry);
    }
    const auto steppedAside = [this](const QueueEntry &entry) {
        const auto aside = m_steppedAside.find(entry);
        return aside == m_steppedAside.end() ? 0 : aside->second.since;
    };
    std::stable_sort(waiting.begin(), waiting.end(),
                     [&](const QueueEntry &a, const QueueEntry &b) { return steppedAside(a) < steppedAside(b); });
    return waiting;
}

// As many arrays step aside as others wait for a place: of the idle ones those that have been at work the longest.
void ArrayPlaces::stepAside(const std::vector<QueueEntry> &waiting, async::TimePoint now)
{
    CountByPriority missing{}; // places
    missing.fill(-MaxArrays);
    for (const QueueEntry &entry : waiting)
        ++of(entry, missing);
    std::vector<std::pair<quint64, QueueEntry>> idle;
    for (const auto &[entry, atWork] : m_arrays) {
        ++of(entry, missing);
        if (isIdle(atWork, now))
            idle.emplace_back(atWork.since, entry);
    }
    std::sort(idle.begin(), idle.end());
    for (const auto &[since, entry] : idle) {
        if (of(entry, missing)-- <= 0)
            continue;
        m_steppedAside[entry] = {++m_steps, m_arrays.at(entry).unclaimed()};
        m_arrays.erase(entry);
    }
}

// The unclaimed tasks of stalled arrays do not take room from an array whose tasks run.
int ArrayPlaces::mayBeOpen(const QueueEntry &array, async::TimePoint now) const
{
    const OpenShare &own = m_arrays.at(array).share;
    const bool moves = own.runs() && !own.isStalled(now);
    int unclaimed = 0; // of the others
    for (const auto &[entry, other] : m_arrays) {
        const bool counts = entry.priority == array.priority && entry != array;
        unclaimed += counts && !(moves && other.share.isStalled(now)) ? other.unclaimed() : 0;
    }
    for (const auto &[entry, aside] : m_steppedAside)
        unclaimed += entry.priority == array.priority && !moves ? aside.unclaimed : 0;
    return own.mayBeOpen(unclaimed);
}

bool ArrayPlaces::awaits(const jobs::JobId &task) const
{
    for (int priority = 0; priority <= jobs::JobSpec::MaxPriority; ++priority) {
        const QueueEntry entry{QueueEntry::Class::Array, priority, task.number};
        const auto atWork = m_arrays.find(entry);
        if (atWork != m_arrays.end())
            return atWork->second.array->isOpen(task.task);
        if (std::binary_search(m_listed.begin(), m_listed.end(), entry))
            return true; // its turn is to come, perhaps again
    }
    return false;
}

} // namespace drover::workers
