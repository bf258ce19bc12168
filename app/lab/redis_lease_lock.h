#pragma once

#include "app/lab/lease_lock.h"

struct redisContext;

namespace drover::app {

// The lock of the Redis manual ("Distributed Locks with Redis", one instance):
//
//     acquire: SET <name> <our id> NX PX <lease>; retry after 1 to 5 ms, because Redis wakes no waiter
//     release: if <name> is still <our id>: delete it, in one script
//
// Redis has no fencing token. The token here is a counter that the script increases when it sets the key.
class RedisLeaseLock final : public LeaseLock
{
public:
    RedisLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease);
    ~RedisLeaseLock() override;

    qint64 acquire() override;
    void release() override;

private:
    // Runs the script and returns the number that it gives.
    qint64 evaluate(const char *script, const QByteArray &argument);

    struct Close {
        void operator()(redisContext *context) const;
    };
    std::unique_ptr<redisContext, Close> m_context;
    QByteArray m_name;
    QByteArray m_counter;
    QByteArray m_id;
    QByteArray m_lease;
};

} // namespace drover::app
