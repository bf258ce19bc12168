#pragma once

#include <QByteArray>
#include <QString>

#include <chrono>
#include <functional>
#include <memory>

namespace drover::app {

// A lock with a lease, as one client sees it. All calls block, so each client has a thread of its own; made, used and
// destroyed there. Throws std::runtime_error when the service fails.
class LeaseLock
{
public:
    LeaseLock() = default;
    LeaseLock(const LeaseLock &) = delete;
    LeaseLock &operator=(const LeaseLock &) = delete;
    virtual ~LeaseLock() = default;

    // Waits until it is held. Returns the fencing token: greater than that of every earlier holder.
    virtual qint64 acquire() = 0;
    // If the service still knows us as the holder.
    virtual void release() = 0;
};

// Locks of one kind; thread-safe.
struct LockService {
    using Connect = std::function<std::unique_ptr<LeaseLock>(const QByteArray &name, std::chrono::milliseconds lease)>;

    QString name;
    QString missing; // why it cannot be tried here; empty: it can
    Connect connect{};
};

} // namespace drover::app
