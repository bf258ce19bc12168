#pragma once

#include "zk/coordinator.h"

#include <functional>

namespace drover::recipes {

using namespace std::chrono_literals;

// How long to pause between two sessions: longer each time that none has connected, and the first after one that has.
struct SessionPauses {
    std::chrono::milliseconds first = 500ms;
    std::chrono::milliseconds longest = 30s;
};

// What is wanted of a session as long as there is one: a Coordinator that is Lost stays lost, and what has to go on
// after an expiry (a membership, standing for election, watches) begins anew with the next session.
//
//     loop:
//       make a session; run body(session)
//       if the body returns: done
//       if it throws SessionLost: tell onLoss, destroy the session, pause, again
//
// Other errors end it. The body gets a session that may not be connected yet, waits as long as it wants, and must throw
// SessionLost when that ends, as every recipe does; one that may wait for something else goes into whileAlive(). What
// it made for the session is gone when it returns. Destroying the task destroys body, then session; who shares a
// session with it may close that properly, or begin with one that is connected.
using Connect = std::function<std::shared_ptr<zk::Coordinator>()>;
using SessionBody = std::function<async::Task<void>(zk::Coordinator &)>;
using OnSessionLoss = std::function<void(const zk::SessionLost &, std::chrono::milliseconds pause)>;

async::Task<void> forEachSession(async::Loop &loop, Connect connect, SessionBody body, OnSessionLoss onLoss = nullptr,
                                 SessionPauses pauses = SessionPauses());

// Runs `task` until it ends; when the session is lost before that, destroys it and throws SessionLost.
async::Task<void> whileAlive(zk::Coordinator &zk, async::Task<void> task);

} // namespace drover::recipes
