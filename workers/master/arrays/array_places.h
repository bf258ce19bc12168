#pragma once

#include "workers/master/arrays/expanding_array.h"
#include "workers/master/arrays/open_share.h"

#include <map>

namespace drover::workers {

// Which arrays of one queue are at work in the master, which wait for a place, and how many tasks each may have open.
// The decisions alone: it reads and writes no znode.
//
// At most MaxArrays arrays of one priority are at work. Some cannot proceed: held arrays, gangs that wait, arrays whose
// tasks no worker takes. Such an array steps aside when another one waits for its place, and comes back in turn, so it
// does not block the others. All state of an array is in its node, so stepping aside loses nothing.
class ArrayPlaces
{
public:
    static constexpr int MaxArrays = 100; // of one priority at work

    struct AtWork {
        std::unique_ptr<ExpandingArray> array;
        OpenShare share;
        quint64 since; // m_steps at its admission

        int unclaimed() const { return array->sharesRoom() ? std::max(0, array->open() - share.claimed()) : 0; }
    };

    // The arrays that are in the queue now.
    void setListed(std::vector<jobs::QueueEntry> arrays);
    // Lets idle arrays step aside for those that wait. Returns the arrays that get a place, then those at work.
    std::vector<jobs::QueueEntry> assign(async::TimePoint now);
    // Gives a place to an array that assign() has returned.
    ExpandingArray &admit(const jobs::QueueEntry &entry, std::unique_ptr<ExpandingArray> array, async::TimePoint now);
    // Takes its place away. It gets one again while it is listed.
    void release(const jobs::QueueEntry &array) { m_arrays.erase(array); }
    // It has ended, or is set aside: as release(), and it counts as no longer listed.
    void drop(const jobs::QueueEntry &array);
    // An array that was dropped is listed again.
    void list(const jobs::QueueEntry &array);

    // Those at work, in the order of dispatch.
    std::map<jobs::QueueEntry, AtWork> &atWork() { return m_arrays; }
    const std::map<jobs::QueueEntry, AtWork> &atWork() const { return m_arrays; }
    // Whether a listed array has no place.
    bool isCrowded() const;
    // How many tasks this array, which is at work, may have open. Tasks that were created since the listing count.
    int mayBeOpen(const jobs::QueueEntry &array, async::TimePoint now) const;
    // True while the end of this task has to be counted.
    bool awaits(const jobs::JobId &task) const;

private:
    struct SteppedAside {
        quint64 since; // m_steps when it stepped aside
        int unclaimed; // tasks in the queue
    };

    std::vector<jobs::QueueEntry> waitingForPlace() const;
    void stepAside(const std::vector<jobs::QueueEntry> &waiting, async::TimePoint now);

    std::vector<jobs::QueueEntry> m_listed; // sorted
    std::map<jobs::QueueEntry, AtWork> m_arrays;
    std::map<jobs::QueueEntry, SteppedAside> m_steppedAside; // listed, and waiting for a place again
    quint64 m_steps = 0; // counts both
};

} // namespace drover::workers
