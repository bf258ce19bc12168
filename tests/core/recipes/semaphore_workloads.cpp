#include "async/or_timeout.h"
#include "core/recipes/undermined.h"
#include "recipes/locks/semaphore.h"
#include "recipes/values/counter.h"

namespace drover::test {

using namespace std::chrono_literals;
using namespace recipes;
using async::Task;

namespace {

const zk::Path Place("/workload/semaphore");
const zk::Path Count("/workload/count");

// Everybody takes one permit or two: waits, tries, or gives up while waiting.
class PermitWorkload : public Workload
{
protected:
    // How many permits there were at most since a process began to ask.
    struct Asking {
        int most = 0;
    };

    Task<void> takeOnce(Process &process, Semaphore &semaphore, async::Duration patience)
    {
        const auto asking = std::make_shared<Asking>(Asking{m_permits});
        m_asking.push_back(asking);
        std::vector<Lease> leases = co_await take(process, semaphore, patience);
        std::vector<std::unique_ptr<InvariantChecker::Hold>> holds;
        for (const Lease &lease : leases)
            holds.push_back(std::make_unique<InvariantChecker::Hold>(process.checker, "permits", lease.fence(),
                                                                     *process.zk,
                                                                     InvariantChecker::Hold::Share{1, asking->most}));
        if (leases.empty())
            co_return;
        ++process.held;
        co_await process.rest(300ms);
    }

    void setPermits(int permits)
    {
        m_permits = permits;
        std::erase_if(m_asking, [](const auto &asking) { return asking.expired(); });
        for (const auto &weak : m_asking)
            weak.lock()->most = std::max(weak.lock()->most, permits);
    }

private:
    static Task<std::vector<Lease>> take(Process &process, Semaphore &semaphore, async::Duration patience)
    {
        const int wanted = 1 + process.random.below(2);
        std::vector<Lease> leases;
        if (process.random.chance(0.2)) {
            std::optional<std::vector<Lease>> tried = co_await semaphore.tryAcquire(wanted);
            if (tried)
                leases = std::move(*tried);
            co_return leases;
        }
        const async::Duration limit = process.random.chance(0.3) ? process.some(500ms) : patience;
        try {
            leases = co_await async::orTimeout(process.loop, semaphore.acquire(wanted), limit);
        } catch (const async::Timeout &) {
        }
        co_return leases;
    }

    int m_permits = 0;
    std::vector<std::weak_ptr<Asking>> m_asking;
};

// Three, as all know.
class FixedPermitsWorkload final : public PermitWorkload
{
    static constexpr int Permits = 3;

public:
    FixedPermitsWorkload() { setPermits(Permits); }

    Task<void> run(Process &process) override
    {
        Semaphore semaphore(*process.zk, Place, Permits);
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            co_await takeOnce(process, semaphore, 10min);
        }
    }
};

// One to four permits, as the first participant has written last. If it lowers the number, held leases stay. No process
// is admitted beyond the number that it may have read.
class SharedPermitsWorkload final : public PermitWorkload
{
public:
    Task<void> run(Process &process) override
    {
        Semaphore semaphore(*process.zk, Place, Count);
        SharedCount count(*process.zk, Count);
        co_await count.compareAndSet(0, 3); // unless there is a number
        for (; process.rounds > 0; --process.rounds) {
            co_await process.rest(100ms);
            if (process.number == 0)
                co_await count.set(1 + process.random.below(4));
            co_await takeOnce(process, semaphore, 5s); // two may be more than there will ever be
        }
    }

    void committed(const FakeTree &tree) override
    {
        const FakeTree::Znode *count = tree.find(Count);
        if (count && count->data.size() == 4)
            setPermits(count->data.at(3));
    }
};

} // namespace

std::vector<WorkloadKind> semaphoreWorkloads()
{
    const QByteArrayList furniture = {"/workload/semaphore", "/workload/semaphore/leases", "/workload/semaphore/locks"};
    return {
        {.name = "Semaphore", .make = makeWorkload<FixedPermitsWorkload>, .processes = 4, .furniture = furniture},
        {.name = "Semaphore of a shared number",
         .make = makeWorkload<SharedPermitsWorkload>,
         .processes = 4,
         .furniture = furniture + QByteArrayList{"/workload/count"}},
        {.name = "Semaphore, undermined",
         .make = [] { return undermine<FixedPermitsWorkload>(Place); },
         .processes = 4,
         .furniture = furniture},
    };
}

} // namespace drover::test
