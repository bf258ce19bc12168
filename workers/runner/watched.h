#pragma once

namespace drover::runner {

// An object whose address is registered with the runner's epoll.
class Watched
{
public:
    Watched() = default;
    Watched(const Watched &) = delete;
    Watched &operator=(const Watched &) = delete;
    virtual ~Watched() = default;

    // Called when its descriptor is readable or writable, or its other end is closed.
    virtual void onReady() = 0;
};

} // namespace drover::runner
