#pragma once

#include "async/loop.h"

#include <algorithm>

namespace drover::async {

// The pause after a look that took `taken`, so that looks cost at most one part in `factor` + 1 of the time. `longest`
// bounds it, because the look may have waited out an outage: what people or jobs wait for is to go on soon after that.
struct PauseAfter {
    int factor;
    Duration shortest;
    Duration longest = std::chrono::seconds(2);

    Duration operator()(Duration taken) const
    {
        return taken >= longest ? longest : std::clamp<Duration>(factor * taken, shortest, longest);
    }
};

} // namespace drover::async
