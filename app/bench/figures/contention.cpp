#include "app/bench/figures/contention.h"

#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "recipes/locks/simple_lock.h"

namespace drover::app {

namespace {

template <typename Lock>
class OneLock final : public Contention
{
public:
    template <typename... Arguments>
    explicit OneLock(Arguments &&...arguments) : m_lock(std::forward<Arguments>(arguments)...)
    {
    }

    recipes::Lockable &of(int) override { return m_lock; }

private:
    Lock m_lock;
};

class NineReadsToOneWrite final : public Contention
{
public:
    NineReadsToOneWrite(zk::Client &zk, const zk::Path &directory, int participant)
        : m_lock(zk, directory), m_offset(participant)
    {
    }

    recipes::Lockable &of(int round) override { return isExclusive(round) ? m_lock.writer() : m_lock.reader(); }
    bool isExclusive(int round) const override { return (round + m_offset) % 10 == 0; }

private:
    recipes::ReadWriteLock m_lock;
    int m_offset; // so that they do not all write in the same round
};

} // namespace

std::unique_ptr<Contention> contendForMutex(zk::Client &zk, const zk::Path &directory, int)
{
    return std::make_unique<OneLock<recipes::Mutex>>(zk, directory);
}

std::unique_ptr<Contention> contendForWriteLock(zk::Client &zk, const zk::Path &directory, int)
{
    return std::make_unique<OneLock<recipes::Mutex>>(zk, directory, recipes::Mutex::zooKeeper());
}

std::unique_ptr<Contention> contendForSimpleLock(zk::Client &zk, const zk::Path &directory, int)
{
    return std::make_unique<OneLock<recipes::SimpleLock>>(zk, directory / "held");
}

std::unique_ptr<Contention> contendForReadWriteLock(zk::Client &zk, const zk::Path &directory, int participant)
{
    return std::make_unique<NineReadsToOneWrite>(zk, directory, participant);
}

} // namespace drover::app
