#pragma once

#include <chrono>
#include <condition_variable>
#include <cstddef>
#include <deque>
#include <functional>
#include <mutex>

namespace drover::async {

// Threads for work that blocks rather than computes, and may hang for ever, like a file whose server is dead. It keeps
// its own thread then, and nothing else waiting. While the system refuses another thread, work waits for one that
// becomes free, or until the system has one: QThreadPool would lose it. Any thread may call these.
class Threads
{
public:
    // The only one, which is never destroyed: that would wait for what hangs.
    static Threads &all();

    // Begins the work in a thread of its own. It must not throw.
    void run(std::function<void()> work);

    // Waits until nothing is under way or waits, for so long at most.
    void waitForDone(std::chrono::milliseconds patience);

private:
    Threads() = default;

    void provide();
    void tryLater();
    void serve();

    std::mutex m_mutex;
    std::condition_variable m_added;
    std::condition_variable m_done;
    std::deque<std::function<void()>> m_waiting;
    std::size_t m_idle = 0; // threads
    std::size_t m_count = 0; // threads
    std::size_t m_unfinished = 0; // works
    bool m_triesLater = false;
};

} // namespace drover::async
