#pragma once

#include "app/lab/lease_lock.h"

struct memcached_st;

namespace drover::app {

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
    MemcachedLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease);
    ~MemcachedLeaseLock() override;

    qint64 acquire() override;
    void release() override;

private:
    // The item's number; 0 if the item is not ours.
    qint64 ourNumber();

    struct Free {
        void operator()(memcached_st *client) const;
    };
    std::unique_ptr<memcached_st, Free> m_client;
    QByteArray m_name;
    QByteArray m_id;
    std::chrono::seconds m_lease;
};

} // namespace drover::app
