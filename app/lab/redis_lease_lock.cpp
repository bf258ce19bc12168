#include "app/lab/lease_lock.h"

#include <QUuid>

#include <stdexcept>

#include <hiredis.h>

namespace drover::app {

namespace {

constexpr const char *Acquire = "if redis.call('SET', KEYS[1], ARGV[1], 'NX', 'PX', ARGV[2]) "
                                "then return redis.call('INCR', KEYS[2]) else return 0 end";
constexpr const char *Release = "if redis.call('GET', KEYS[1]) == ARGV[1] "
                                "then return redis.call('DEL', KEYS[1]) else return 0 end";

struct FreeRedis {
    void operator()(redisContext *context) const { redisFree(context); }
    void operator()(redisReply *reply) const { freeReplyObject(reply); }
};

// The lock of the Redis manual ("Distributed Locks with Redis", one instance):
//
//     acquire: SET <name> <our id> NX PX <lease>; retry after 1 to 5 ms, because Redis wakes no waiter
//     release: if <name> is still <our id>: delete it, in one script
//
// Redis has no fencing token. The token here is a counter that the script increases when it sets the key.
class RedisLeaseLock final : public LeaseLock
{
public:
    RedisLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease)
        : m_context(redisConnectWithTimeout("127.0.0.1", port, timeval{10, 0})), m_name(name),
          m_counter(name + "-fence"), m_id(QUuid::createUuid().toByteArray(QUuid::WithoutBraces)),
          m_lease(QByteArray::number(lease.count()))
    {
        if (!m_context || m_context->err)
            throw std::runtime_error(std::string("cannot connect to Redis: ")
                                     + (m_context ? m_context->errstr : "no memory"));
    }

    qint64 acquire() override
    {
        for (;;) {
            if (const qint64 token = evaluate(Acquire, m_lease))
                return token;
            pauseBeforeRetry();
        }
    }

    void release() override { evaluate(Release, {}); }

private:
    // Runs the script and returns the number that it gives.
    qint64 evaluate(const char *script, const QByteArray &argument)
    {
        const std::unique_ptr<redisReply, FreeRedis> reply(
            static_cast<redisReply *>(redisCommand(m_context.get(), "EVAL %s 2 %s %s %s %s", script, m_name.constData(),
                                                   m_counter.constData(), m_id.constData(), argument.constData())));
        if (!reply || reply->type != REDIS_REPLY_INTEGER)
            throw std::runtime_error(std::string("Redis: ") + (reply && reply->str ? reply->str : m_context->errstr));
        return reply->integer;
    }

    std::unique_ptr<redisContext, FreeRedis> m_context;
    QByteArray m_name;
    QByteArray m_counter;
    QByteArray m_id;
    QByteArray m_lease;
};

} // namespace

std::unique_ptr<LeaseLock> redisLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease)
{
    return std::make_unique<RedisLeaseLock>(port, name, lease);
}

} // namespace drover::app
