#pragma once

#include "workers/master/arrays/expanding_array.h"

namespace drover::workers {

// An array whose tasks run independently. It opens as many as its limit and the room in its queue allow, counts how
// they end, and ends with the last of them.
class PlainArray final : public ExpandingArray
{
public:
    PlainArray(const ArrayContext &context, jobs::QueueEntry entry) : ExpandingArray(context, entry) { }

    bool waits() const override { return !m_spec.notes.cancelled && !m_spec.notes.heldBy.isEmpty(); }
    bool hasMore() const override;
    bool sharesRoom() const override { return true; }

private:
    bool isOfThisKind(const jobs::JobSpec &spec) const override { return spec.gang == 0; }
    async::Task<Step> bringForward(ListedTasks listed, Ended ended, int mayBeOpen) override;
    async::Task<bool> expand(jobs::ArrayProgress progress, int mayBeOpen);
    async::Task<Step> endWith(jobs::ArrayProgress progress);
};

} // namespace drover::workers
