#pragma once

#include "async/future.h"
#include "async/loop.h"
#include "async/task.h"

#include <functional>
#include <memory>
#include <optional>

namespace drover::async {

// Runs `work` on a thread where it may block. Returns its result or rethrows its exception. Cancelling forgets the
// result, but the work goes on to its end: `work` must own all that it refers to.
template <typename T>
Task<T> offload(Loop &loop, std::function<T()> work)
{
    struct Job {
        std::function<T()> work;
        std::optional<T> value;
        std::exception_ptr error;
        Promise<bool> ended;
    };
    const auto job = std::make_shared<Job>();
    job->work = std::move(work);
    const Future<bool> ended = job->ended.future();
    loop.offload(
        [job] {
            try {
                job->value.emplace(job->work());
            } catch (...) {
                job->error = std::current_exception();
            }
        },
        [job] { job->ended.set(true); });
    co_await ended;
    if (job->error)
        std::rethrow_exception(job->error);
    co_return std::move(*job->value);
}

} // namespace drover::async
