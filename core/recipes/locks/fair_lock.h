#pragma once

#include "recipes/blocks/line.h"
#include "recipes/blocks/participants.h"
#include "recipes/locks/lock.h"

namespace drover::recipes {

// A lock that is granted in the order of the requests: its holder is the head of a line (see awaitTurn()). Mutex and
// both sides of ReadWriteLock are such locks. It must outlive its tasks. It throws the errors of takeTurn().
class FairLock : public ReentrantLock
{
public:
    FairLock(zk::Client &zk, zk::Path directory, Ticket::Form form, LineRules rules = LineRules())
        : m_zk(zk), m_directory(std::move(directory)), m_form(std::move(form)), m_rules(std::move(rules))
    {
    }

    const zk::Path &path() const override { return m_directory; }

    // The holders, then the waiters in their order. Throws SessionLost.
    async::Task<std::vector<Participant>> participants() { return recipes::participants(m_zk, m_directory); }

protected:
    async::Task<OwnNode> take(QByteArray about, Owner owner) override;
    async::Task<std::optional<OwnNode>> tryTake(QByteArray about, Owner owner) override;

private:
    zk::Client &m_zk;
    zk::Path m_directory;
    Ticket::Form m_form;
    LineRules m_rules;
};

} // namespace drover::recipes
