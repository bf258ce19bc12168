#pragma once

#include <memory>

namespace drover::runner {

class CommandStart;

// Threads in which the starts of commands wait, because each may hang for ever. There are as many as starts were
// under way at a time. They live as long as the process: a job's process dies with the thread that made it.
class StartThreads
{
public:
    StartThreads();

    // Launches it in a thread that is idle, or in a new one. Returns false if there can be no thread: errno says why.
    bool launch(std::shared_ptr<CommandStart> start);

private:
    struct Queue;
    static void serve(const std::shared_ptr<Queue> &queue);

    std::shared_ptr<Queue> m_queue;
};

} // namespace drover::runner
