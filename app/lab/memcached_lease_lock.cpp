#include "app/lab/lease_lock.h"

#include <QUuid>

#include <stdexcept>

#include <libmemcached/memcached.h>

namespace drover::app {

namespace {

using namespace std::chrono_literals;

std::size_t length(const QByteArray &text)
{
    return static_cast<std::size_t>(text.size());
}

struct FreeMemcached {
    void operator()(memcached_st *client) const { memcached_free(client); }
};

// A lock made with memcached's `add`:
//
//     acquire: add <name> <our id>, with an expiry; retry after 1 to 5 ms
//     release: get <name>; if it is our id: delete it          -- two steps: another client may own it by then
//
// Leases are whole seconds, at least two, because memcached's clock ticks once a second. The fencing token is the
// number that the server gives every stored item ("cas unique").
class MemcachedLeaseLock final : public LeaseLock
{
public:
    MemcachedLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease)
        : m_client(memcached_create(nullptr)), m_name(name),
          m_id(QUuid::createUuid().toByteArray(QUuid::WithoutBraces)),
          m_lease(std::max(2s, std::chrono::ceil<std::chrono::seconds>(lease)))
    {
        memcached_behavior_set(m_client.get(), MEMCACHED_BEHAVIOR_SUPPORT_CAS, 1);
        memcached_behavior_set(m_client.get(), MEMCACHED_BEHAVIOR_TCP_NODELAY, 1);
        const memcached_return_t code = memcached_server_add(m_client.get(), "127.0.0.1", port);
        require(memcached_success(code), code);
    }

    qint64 acquire() override
    {
        for (;;) {
            const memcached_return_t code = memcached_add(m_client.get(), m_name.constData(), length(m_name),
                                                          m_id.constData(), length(m_id), m_lease.count(), 0);
            require(memcached_success(code) || code == MEMCACHED_NOTSTORED, code);
            if (const qint64 number = code == MEMCACHED_NOTSTORED ? 0 : ourNumber())
                return number;
            pauseBeforeRetry();
        }
    }

    void release() override
    {
        if (!ourNumber())
            return;
        const memcached_return_t code = memcached_delete(m_client.get(), m_name.constData(), length(m_name), 0);
        require(memcached_success(code) || code == MEMCACHED_NOTFOUND, code);
    }

private:
    // The item's number; 0 if the item is not ours.
    qint64 ourNumber()
    {
        const char *const keys[] = {m_name.constData()};
        const std::size_t lengths[] = {length(m_name)};
        memcached_return_t code = memcached_mget(m_client.get(), keys, lengths, 1);
        require(memcached_success(code), code);
        qint64 number = 0;
        while (memcached_result_st *const item = memcached_fetch_result(m_client.get(), nullptr, &code)) {
            const QByteArray value(memcached_result_value(item), static_cast<qsizetype>(memcached_result_length(item)));
            if (value == m_id)
                number = static_cast<qint64>(memcached_result_cas(item));
            memcached_result_free(item);
        }
        require(memcached_success(code) || code == MEMCACHED_END || code == MEMCACHED_NOTFOUND, code);
        return number;
    }

    void require(bool good, memcached_return_t code) const
    {
        if (!good)
            throw std::runtime_error(std::string("memcached: ") + memcached_strerror(m_client.get(), code));
    }

    std::unique_ptr<memcached_st, FreeMemcached> m_client;
    QByteArray m_name;
    QByteArray m_id;
    std::chrono::seconds m_lease;
};

} // namespace

std::unique_ptr<LeaseLock> memcachedLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease)
{
    return std::make_unique<MemcachedLeaseLock>(port, name, lease);
}

} // namespace drover::app
