#pragma once

#include "async/loop.h"

#include <algorithm>

namespace drover::async {

// The pause after a look that took `taken`, so that looks cost at most one part in `factor` + 1 of the time. `longest`
// bounds it, because the look may have waited out an outage.
struct PauseAfter {
    int factor;
    Duration shortest;
    Duration longest;

    Duration operator()(Duration taken) const
    {
        return taken >= longest ? longest : std::clamp<Duration>(factor * taken, shortest, longest);
    }
};

} // namespace drover::async
