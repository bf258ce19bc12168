#pragma once

#include "zk/client.h"

#include <functional>

namespace drover::recipes {

using namespace std::chrono_literals;

// The pauses between two sessions. Each session that never connected makes the next pause longer; after a session that
// did connect, the pause is `first`.
struct SessionPauses {
    std::chrono::milliseconds first = 500ms;
    std::chrono::milliseconds longest = 30s;
};

// Runs a body with one session after the other. A Client that is Lost stays lost. So a membership, a candidacy or a
// watch that must survive an expiry begins again with the next session.
//
//     loop:
//       make a session; run body(session)
//       if the body returns: done
//       if it throws SessionLost: call onLoss, destroy the session, pause, repeat
//
// Any other error ends it. The body gets a session that may not be connected yet. It must throw SessionLost when the
// session ends, as every recipe does; run a body that may wait for other things in whileAlive(). All that the body made
// for the session must be gone when it returns. Destroying the task destroys the body, then the session. `connect` may
// return a shared session, so that the caller closes it, or one that is already connected.
using Connect = std::function<std::shared_ptr<zk::Client>()>;
using SessionBody = std::function<async::Task<void>(zk::Client &)>;
using OnSessionLoss = std::function<void(const zk::SessionLost &, std::chrono::milliseconds pause)>;

async::Task<void> forEachSession(async::Loop &loop, Connect connect, SessionBody body, OnSessionLoss onLoss = nullptr,
                                 SessionPauses pauses = SessionPauses());

// Runs `task` until it ends. If the session is lost before that, it destroys `task` and throws SessionLost.
async::Task<void> whileAlive(zk::Client &zk, async::Task<void> task);

} // namespace drover::recipes
