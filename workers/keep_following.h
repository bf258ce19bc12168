#pragma once

#include "zk/coordinator.h"

#include <functional>

namespace drover::workers {

// Does `follow`, which watches something as long as the session lives, and again 5 s after it has failed: somebody has
// changed who may read what it looks at, or has written there what makes no sense. Returns when `follow` does. Throws
// SessionLost.
//
// Of failures in a row one is logged: "<meanwhile>: <error>", where `meanwhile` says what is not known until then.
// `onFailure`, if any, is called at each.
async::Task<void> keepFollowing(zk::Coordinator &zk, QString meanwhile, std::function<async::Task<void>()> follow,
                                std::function<void()> onFailure = {});

} // namespace drover::workers
