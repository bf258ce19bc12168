#pragma once

#include "recipes/line.h"
#include "recipes/lock.h"

namespace drover::recipes {

// A line whose head is a lock, re-entrant by owner: what Mutex and both halves of ReadWriteLock are made of. Outlives
// its tasks. Errors as in takeTurn().
class OwnedLine
{
public:
    OwnedLine(zk::Coordinator &zk, zk::Path directory, Ticket::Form form, Precedence precedence = Precedence())
        : m_zk(zk), m_directory(std::move(directory)), m_form(std::move(form)), m_precedence(precedence)
    {
    }

    const zk::Path &directory() const { return m_directory; }

    async::Task<Lock> acquire(QByteArray about, Owner owner);
    async::Task<std::optional<Lock>> tryAcquire(QByteArray about, Owner owner);

    std::shared_ptr<Lock::Hold> heldBy(const Owner &owner) const { return m_holds.of(owner); }
    // A ticket that was taken in another way.
    Lock add(Ticket ticket, Owner owner) { return m_holds.add(std::move(ticket), std::move(owner)); }

private:
    zk::Coordinator &m_zk;
    zk::Path m_directory;
    Ticket::Form m_form;
    Precedence m_precedence;
    Holds m_holds;
};

} // namespace drover::recipes
