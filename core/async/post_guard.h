#pragma once

#include "async/loop.h"

#include <memory>

namespace drover::async {

// Guards callbacks that must not run once their object has been destroyed. It is a member of that object, and lives on
// the loop's thread.
class PostGuard
{
public:
    PostGuard() = default;
    PostGuard(const PostGuard &) = delete;
    PostGuard &operator=(const PostGuard &) = delete;

    // Calls `callback` from the loop, unless this guard has been destroyed by then.
    void post(Loop &loop, std::function<void()> callback) const { loop.post(wrap(std::move(callback))); }

    // `callback`, which does nothing once this guard has been destroyed.
    std::function<void()> wrap(std::function<void()> callback) const
    {
        return [alive = std::weak_ptr(m_alive), callback = std::move(callback)] {
            if (!alive.expired())
                callback();
        };
    }

private:
    std::shared_ptr<char> m_alive = std::make_shared<char>();
};

} // namespace drover::async
