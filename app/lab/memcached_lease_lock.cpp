#include "app/lab/memcached_lease_lock.h"

#include "app/lab/retry_pause.h"

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

void require(bool good, memcached_st *client, memcached_return_t code)
{
    if (!good)
        throw std::runtime_error(std::string("memcached: ") + memcached_strerror(client, code));
}

} // namespace

void MemcachedLeaseLock::Free::operator()(memcached_st *client) const
{
    memcached_free(client);
}

MemcachedLeaseLock::MemcachedLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease)
    : m_client(memcached_create(nullptr)), m_name(name), m_id(QUuid::createUuid().toByteArray(QUuid::WithoutBraces)),
      m_lease(std::max(2s, std::chrono::ceil<std::chrono::seconds>(lease)))
{
    memcached_behavior_set(m_client.get(), MEMCACHED_BEHAVIOR_SUPPORT_CAS, 1);
    memcached_behavior_set(m_client.get(), MEMCACHED_BEHAVIOR_TCP_NODELAY, 1);
    const memcached_return_t code = memcached_server_add(m_client.get(), "127.0.0.1", port);
    require(memcached_success(code), m_client.get(), code);
}

MemcachedLeaseLock::~MemcachedLeaseLock() = default;

qint64 MemcachedLeaseLock::acquire()
{
    for (;;) {
        const memcached_return_t code = memcached_add(m_client.get(), m_name.constData(), length(m_name),
                                                      m_id.constData(), length(m_id), m_lease.count(), 0);
        require(memcached_success(code) || code == MEMCACHED_NOTSTORED, m_client.get(), code);
        if (const qint64 number = code == MEMCACHED_NOTSTORED ? 0 : ourNumber())
            return number;
        pauseBeforeRetry();
    }
}

void MemcachedLeaseLock::release()
{
    if (!ourNumber())
        return;
    const memcached_return_t code = memcached_delete(m_client.get(), m_name.constData(), length(m_name), 0);
    require(memcached_success(code) || code == MEMCACHED_NOTFOUND, m_client.get(), code);
}

qint64 MemcachedLeaseLock::ourNumber()
{
    const char *const keys[] = {m_name.constData()};
    const std::size_t lengths[] = {length(m_name)};
    memcached_return_t code = memcached_mget(m_client.get(), keys, lengths, 1);
    require(memcached_success(code), m_client.get(), code);
    qint64 number = 0;
    while (memcached_result_st *const item = memcached_fetch_result(m_client.get(), nullptr, &code)) {
        const QByteArray value(memcached_result_value(item), static_cast<qsizetype>(memcached_result_length(item)));
        if (value == m_id)
            number = static_cast<qint64>(memcached_result_cas(item));
        memcached_result_free(item);
    }
    require(memcached_success(code) || code == MEMCACHED_END || code == MEMCACHED_NOTFOUND, m_client.get(), code);
    return number;
}

} // namespace drover::app
