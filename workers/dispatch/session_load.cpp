#include "workers/dispatch/session_load.h"

#include "zk/chroot.h"

namespace drover::workers {

namespace {

// A path as the server writes it: its length, the chroot, which may be the longest one, and what the client sees.
qsizetype written(const zk::Path &path)
{
    return 4 + zk::Chroot::MaxBytes + path.bytes().size();
}

// Of a child of this node: "/locks/_c_<uuid>-lock-<sequence>", "/leases/..." and the like, rounded up.
qsizetype placeIn(const zk::Path &path)
{
    return written(path) + 72;
}

} // namespace

// Where it waits for a permit it has a place in line and, at the end, the lease beside it.
qsizetype SessionLoad::of(const jobs::Layout &layout, const jobs::JobId &id, const jobs::JobSpec &spec, bool queueLimit)
{
    qsizetype bytes = written(layout.claim(id));
    for (const QStringList &locks : {spec.locks, spec.sharedLocks}) {
        for (const QString &lock : locks)
            bytes += placeIn(layout.lock(lock.toLatin1()));
    }
    for (const QString &limit : spec.limits)
        bytes += 2 * placeIn(layout.limit(limit.toLatin1()));
    if (queueLimit)
        bytes += 2 * placeIn(layout.limit(jobs::Layout::limitOfQueue(id.queue)));
    if (spec.gang > 0)
        bytes += placeIn(layout.gang(id, 0));
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
