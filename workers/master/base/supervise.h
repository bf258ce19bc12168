#pragma once

#include "workers/master/base/troubles.h"
#include "zk/client.h"

#include <functional>

namespace drover::workers {

// How long a part of the master's work waits after a failure before it is begun again.
inline constexpr std::chrono::seconds RetryPause{5};

// Runs `watch`, which follows something as long as the session lives, and runs it again a RetryPause after each
// failure. It fails if another client has changed the access rights of what it reads, or has written malformed data
// there. Returns when `watch` does. Throws SessionLost.
//
// Of failures in a row only the first is logged: "<meanwhile>: <error>", where `meanwhile` says what is not known until
// then. `onFailure`, if any, is called at each.
async::Task<void> superviseWatch(zk::Client &zk, QString meanwhile, std::function<async::Task<void>()> watch,
                                 std::function<void()> onFailure = {});

// Runs a part of the master's work, and runs it again a RetryPause after each failure. `troubles` shows the failure
// under `subject` until the work has gone well for twice the pause. Other parts go on meanwhile. Returns when `work`
// does. Throws Deposed and SessionLost.
async::Task<void> superviseDuty(zk::Client &zk, Troubles &troubles, QString subject,
                                std::function<async::Task<void>()> work);

} // namespace drover::workers
