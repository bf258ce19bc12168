#pragma once

#include "jobs/model/job_spec.h"
#include "jobs/model/layout.h"

#include <functional>
#include <memory>

namespace drover::workers {

// Counts the bytes of ephemeral paths that a worker's session holds for its jobs: claims, permits, locks, gang places.
// The server writes all paths of a session into the transaction that closes it. An ensemble where that becomes larger
// than jute.maxbuffer (1 MB) stops, and cannot be started again (ZOOKEEPER-4306). So a worker claims no more than fits,
// however many slots it has. Belongs to the session's thread.
class SessionLoad
{
public:
    static constexpr qsizetype Most = 900'000; // leaves room for membership and places in lines
    // From here on the claims of one transaction might not fit.
    static constexpr qsizetype Full = Most - 64'000;

    // The most bytes that a job takes, from its claim to its report. `queueLimit`: its queue has a limit.
    static qsizetype of(const jobs::Layout &layout, const jobs::JobId &id, const jobs::JobSpec &spec, bool queueLimit);

    // `onRoom` is called when the session is no longer full.
    explicit SessionLoad(std::function<void()> onRoom) : m_state(std::make_shared<State>(State{0, std::move(onRoom)}))
    {
    }
    SessionLoad(const SessionLoad &) = delete;
    SessionLoad &operator=(const SessionLoad &) = delete;
    ~SessionLoad() { m_state->onRoom = {}; }

    qsizetype bytes() const { return m_state->bytes; }
    bool isFull() const { return bytes() > Full; }
    // Adds bytes until the last copy of the pointer is gone. The pointer may outlive this object.
    std::shared_ptr<const void> add(qsizetype bytes);

private:
    struct State {
        qsizetype bytes;
        std::function<void()> onRoom;
    };
    const std::shared_ptr<State> m_state;
};

} // namespace drover::workers
