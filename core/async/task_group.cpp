#include "async/task_group.h"

#include <QLoggingCategory>

namespace drover::async {

Q_LOGGING_CATEGORY(lcAsync, "drover.async")

// The coroutine that carries one task of a group: it links itself into the group and, at its end, leaves and frees
// itself. The frame is destroyed while suspended, so nothing of it is running then.
class TaskGroup::Background
{
public:
    struct promise_type : ListHook {
        promise_type(TaskGroup &owner, Task<void> &) : group(owner) { }

        Background get_return_object() { return Background{Handle::from_promise(*this)}; }
        std::suspend_always initial_suspend() const noexcept { return {}; }
        void return_void() const noexcept { }
        void unhandled_exception() const { group.m_onError(std::current_exception()); }

        struct Leave {
            bool await_ready() const noexcept { return false; }
            void await_suspend(std::coroutine_handle<promise_type> finished) const noexcept
            {
                TaskGroup &left = finished.promise().group;
                finished.destroy();
                if (--left.m_size == 0)
                    left.m_empty.notify();
            }
            void await_resume() const noexcept { }
        };
        Leave final_suspend() const noexcept { return {}; }

        TaskGroup &group;
    };
    using Handle = std::coroutine_handle<promise_type>;

    static Background run(TaskGroup &, Task<void> task) { co_await task; }

    Handle handle;
};

TaskGroup::TaskGroup()
    : TaskGroup([](const std::exception_ptr &error) {
          qCCritical(lcAsync, "a background task failed: %ls", qUtf16Printable(describe(error)));
      })
{
}

TaskGroup::TaskGroup(ErrorHandler onError) : m_onError(std::move(onError)) { }

TaskGroup::~TaskGroup()
{
    cancelAll();
}

void TaskGroup::spawn(Task<void> task)
{
    const Background background = Background::run(*this, std::move(task));
    background.handle.promise().appendTo(m_running);
    ++m_size;
    background.handle.resume();
}

void TaskGroup::cancelAll()
{
    while (m_running.linked()) {
        auto &promise = static_cast<Background::promise_type &>(*m_running.next());
        promise.unlink();
        --m_size;
        Background::Handle::from_promise(promise).destroy();
    }
    m_empty.notify();
}

Task<void> TaskGroup::drained()
{
    while (m_size > 0)
        co_await m_empty.wait();
}

QString describe(const std::exception_ptr &error)
{
    try {
        std::rethrow_exception(error);
    } catch (const std::exception &e) {
        return QString::fromUtf8(e.what());
    } catch (...) {
        return QStringLiteral("an exception of unknown type");
    }
}

} // namespace drover::async
