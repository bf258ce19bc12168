#include "app/lab/comparison.h"

#include "app/bench/figures/grant_log.h"

#include <QThread>

#include <atomic>
#include <mutex>
#include <semaphore>

namespace drover::app {

using namespace std::chrono_literals;

namespace {

constexpr auto LongLease = 30s; // no client may lose it while rates are measured
constexpr auto Patience = 60s; // for the other in a pair, which may have failed

// A thread for each client; QThreads, since a session needs Qt's event loop.
class Clients
{
public:
    ~Clients() { join(); }

    void start(std::function<void()> work)
    {
        m_threads.emplace_back(QThread::create([this, work = std::move(work)] {
            try {
                work();
            } catch (...) {
                const std::lock_guard guard(m_mutex);
                m_failure = std::current_exception();
            }
        }));
        m_threads.back()->start();
    }

    // Waits for all; throws what one of them threw.
    void finish()
    {
        join();
        if (m_failure)
            std::rethrow_exception(m_failure);
    }

private:
    void join()
    {
        for (const auto &thread : m_threads)
            thread->wait();
    }

    std::mutex m_mutex;
    std::exception_ptr m_failure;
    std::vector<std::unique_ptr<QThread>> m_threads;
};

class SharedLog
{
public:
    void granted(qint64 token, async::TimePoint asked)
    {
        const std::lock_guard guard(m_mutex);
        const async::TimePoint now = async::BootClock::now();
        m_log.granted({token, true, now - asked}, now);
    }
    void released()
    {
        const std::lock_guard guard(m_mutex);
        m_log.released(async::BootClock::now());
    }
    void begin()
    {
        const std::lock_guard guard(m_mutex);
        m_log.begin();
    }
    void end()
    {
        const std::lock_guard guard(m_mutex);
        m_log.end();
    }
    void addTo(Figures &figures) const { m_log.addTo(figures, QStringLiteral("hand-off")); }

private:
    std::mutex m_mutex;
    GrantLog m_log;
};

// Two clients of one lock: the holder that stands still, and its successor.
struct Pair {
    std::binary_semaphore held{0};
    std::binary_semaphore succeeded{0};
    std::binary_semaphore written{0};
    std::atomic<qint64> highest = 0; // token that the storage has seen
    bool acceptedWithout = false;
    bool acceptedWith = false;

    void hold(LeaseLock &lock)
    {
        const qint64 token = lock.acquire();
        highest = token;
        held.release();
        if (succeeded.try_acquire_for(Patience)) { // stands still: this thread does nothing at all
            acceptedWithout = true;
            acceptedWith = token >= highest;
        }
        written.release();
    }

    void succeed(LeaseLock &lock)
    {
        highest = lock.acquire();
        succeeded.release();
        (void)written.try_acquire_for(Patience);
        lock.release();
    }
};

} // namespace

Figures contendFor(const LockService &service, int clients, std::chrono::milliseconds duration)
{
    SharedLog log;
    std::atomic<bool> over = false;
    std::atomic<int> warm = 0;
    Clients threads;
    for (int i = 0; i < clients; ++i) {
        threads.start([&] {
            const std::unique_ptr<LeaseLock> lock = service.connect("rate", LongLease);
            for (bool first = true; !over; first = false) {
                const async::TimePoint asked = async::BootClock::now();
                const qint64 token = lock->acquire();
                log.granted(token, asked);
                warm += first ? 1 : 0;
                log.released();
                lock->release();
            }
        });
    }
    for (auto waited = 0ms; warm < clients && waited < Patience; waited += 10ms)
        QThread::msleep(10);
    log.begin();
    QThread::msleep(static_cast<unsigned long>(duration.count()));
    log.end();
    over = true;
    threads.finish();
    Figures figures(service.name);
    log.addTo(figures);
    return figures;
}

Overlaps pauseHolders(const LockService &service, int pauses, std::chrono::milliseconds lease)
{
    std::vector<std::unique_ptr<Pair>> pairs;
    Clients threads;
    for (int i = 0; i < pauses; ++i) {
        const QByteArray name = "pause-" + QByteArray::number(i);
        Pair &pair = *pairs.emplace_back(std::make_unique<Pair>());
        threads.start([&service, &pair, name, lease] {
            const std::unique_ptr<LeaseLock> lock = service.connect(name, lease);
            pair.hold(*lock);
        });
        threads.start([&service, &pair, name] {
            if (!pair.held.try_acquire_for(Patience))
                return;
            const std::unique_ptr<LeaseLock> lock = service.connect(name, LongLease);
            pair.succeed(*lock);
        });
    }
    threads.finish();
    Overlaps overlaps;
    for (const auto &pair : pairs) {
        overlaps.withoutFence += pair->acceptedWithout ? 1 : 0;
        overlaps.withFence += pair->acceptedWith ? 1 : 0;
    }
    return overlaps;
}

} // namespace drover::app
