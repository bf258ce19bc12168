#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <stdexcept>
#include <utility>
#include <variant>

namespace drover::async {

// The promise was destroyed without a value: a bug in whoever made it.
class BrokenPromise : public std::logic_error
{
public:
    BrokenPromise() : std::logic_error("the promise was dropped without a result") { }
};

template <typename T>
class Future;
template <typename A, typename B>
class EitherReady;

// The producing end of a one-shot result. One thread. set() and fail() resume the awaiting coroutine before they
// return.
template <typename T>
class Promise
{
public:
    Promise() : m_cell(std::make_shared<Cell>()) { }
    Promise(Promise &&) noexcept = default;
    Promise &operator=(Promise &&other) noexcept
    {
        std::swap(m_cell, other.m_cell);
        return *this;
    }
    ~Promise()
    {
        if (m_cell && !settled())
            fail(std::make_exception_ptr(BrokenPromise()));
    }

    Future<T> future() const { return Future<T>(m_cell); }
    bool settled() const { return m_cell->result.index() != 0; }

    void set(T value)
    {
        settle([&](auto &result) { result.template emplace<1>(std::move(value)); });
    }
    void fail(std::exception_ptr error)
    {
        settle([&](auto &result) { result.template emplace<2>(std::move(error)); });
    }

private:
    friend class Future<T>;

    struct Cell {
        std::variant<std::monostate, T, std::exception_ptr> result;
        std::coroutine_handle<> waiter;
    };

    template <typename Store>
    void settle(Store store)
    {
        if (settled())
            return;
        const std::shared_ptr<Cell> cell = m_cell; // the waiter may destroy this promise
        store(cell->result);
        if (cell->waiter)
            std::exchange(cell->waiter, nullptr).resume();
    }

    std::shared_ptr<Cell> m_cell;
};

// The consuming end: eager (the work goes on whether anyone awaits it or not), awaited at most once. Destroying a
// Future, or the coroutine that awaits it, only forgets the result.
template <typename T>
class [[nodiscard]] Future
{
    using Cell = typename Promise<T>::Cell;

public:
    class Awaiter
    {
    public:
        explicit Awaiter(std::shared_ptr<Cell> cell) : m_cell(std::move(cell)) { }
        Awaiter(const Awaiter &) = delete;
        Awaiter &operator=(const Awaiter &) = delete;
        ~Awaiter() { m_cell->waiter = nullptr; }

        bool await_ready() const noexcept { return m_cell->result.index() != 0; }
        void await_suspend(std::coroutine_handle<> waiter) noexcept { m_cell->waiter = waiter; }
        T await_resume()
        {
            if (m_cell->result.index() == 2)
                std::rethrow_exception(std::get<2>(m_cell->result));
            return std::move(std::get<1>(m_cell->result));
        }

    private:
        std::shared_ptr<Cell> m_cell;
    };

    bool ready() const { return m_cell->result.index() != 0; }
    Awaiter operator co_await() const noexcept { return Awaiter(m_cell); }

private:
    friend class Promise<T>;
    template <typename A, typename B>
    friend class EitherReady;
    explicit Future(std::shared_ptr<Cell> cell) : m_cell(std::move(cell)) { }

    std::shared_ptr<Cell> m_cell;
};

// co_await eitherReady(a, b);  Returns when one of the two has a result or an error, without taking it: ask ready(),
// then await that one, which does not suspend.
template <typename A, typename B>
class EitherReady
{
public:
    EitherReady(const Future<A> &a, const Future<B> &b) : m_a(a.m_cell), m_b(b.m_cell) { }
    EitherReady(const EitherReady &) = delete;
    EitherReady &operator=(const EitherReady &) = delete;
    ~EitherReady() { await(nullptr); }

    bool await_ready() const noexcept { return m_a->result.index() != 0 || m_b->result.index() != 0; }
    void await_suspend(std::coroutine_handle<> waiter) noexcept { await(waiter); }
    void await_resume() noexcept { await(nullptr); }

private:
    void await(std::coroutine_handle<> waiter) noexcept { m_a->waiter = m_b->waiter = waiter; }

    std::shared_ptr<typename Future<A>::Cell> m_a;
    std::shared_ptr<typename Future<B>::Cell> m_b;
};

template <typename A, typename B>
EitherReady<A, B> eitherReady(const Future<A> &a, const Future<B> &b)
{
    return EitherReady<A, B>(a, b);
}

} // namespace drover::async
