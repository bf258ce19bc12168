#include "workers/dispatch/session_load.h"

namespace drover::workers {

namespace {

constexpr qsizetype Length = 4; // before each text of a transaction
// A name that another part follows: "/locks/_c_<uuid>-lock-<sequence>", "/leases/..." and the like, rounded up.
constexpr qsizetype Place = 72;

} // namespace

// Where it waits for a permit it has a place in line and, at the end, the lease beside it.
qsizetype SessionLoad::of(const jobs::Layout &layout, const jobs::JobId &id, const jobs::JobSpec &spec, bool queueLimit)
{
    qsizetype bytes = layout.claim(id).bytes().size() + Length;
    for (const QStringList &locks : {spec.locks, spec.sharedLocks}) {
        for (const QString &lock : locks)
            bytes += layout.lock(lock.toLatin1()).bytes().size() + Place + Length;
    }
    for (const QString &limit : spec.limits)
        bytes += 2 * (layout.limit(limit.toLatin1()).bytes().size() + Place + Length);
    if (queueLimit)
        bytes += 2 * (layout.limit(jobs::Layout::limitOfQueue(id.queue)).bytes().size() + Place + Length);
    if (spec.gang > 0)
        bytes += layout.gang(id, 0).bytes().size() + Place + Length;
    return bytes;
}

std::shared_ptr<const void> SessionLoad::add(qsizetype bytes)
{
    m_state->bytes += bytes;
    const auto release = [state = m_state, bytes](const void *) {
        const bool wasFull = state->bytes > Full;
        state->bytes -= bytes;
        if (wasFull && state->bytes <= Full && state->onRoom)
            state->onRoom();
    };
    return {m_state.get(), release};
}

} // namespace drover::workers
