#pragma once

#include "app/lab/lease_lock.h"

struct memcached_st;

namespace drover::app {

// The lock that is made of memcached's `add`:
//
//     acquire: add <name> <our id>, with a time of expiry; again after 1 to 5 ms
//     release: get <name>; if it is our id: delete it          -- two steps: it may be another's by then
//
// Leases are whole seconds, two at least, since its clock ticks once a second. Its fence is the number that the server
// gives every item that it stores ("cas unique").
class MemcachedLeaseLock final : public LeaseLock
{
public:
    MemcachedLeaseLock(quint16 port, const QByteArray &name, std::chrono::milliseconds lease);
    ~MemcachedLeaseLock() override;

    qint64 acquire() override;
    void release() override;

private:
    // Of the item, while it is ours; 0: it is not.
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
