#pragma once

#include <coroutine>
#include <exception>
#include <memory>
#include <stdexcept>
#include <tuple>
#include <utility>
#include <variant>

namespace drover::async {

// The promise was destroyed without a value: a bug in its producer.
class BrokenPromise : public std::logic_error
{
public:
    BrokenPromise() : std::logic_error("the promise was dropped without a result") { }
};

template <typename T>
class Future;
template <typename... Ts>
class AnyReady;

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

// The consuming end. The work goes on even if no coroutine awaits the Future. It is awaited at most once. Destroying a
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
    template <typename... Ts>
    friend class AnyReady;
    explicit Future(std::shared_ptr<Cell> cell) : m_cell(std::move(cell)) { }

    std::shared_ptr<Cell> m_cell;
};

// co_await anyReady(a, b, c);  Returns when one of the futures has a result or an error, without taking it. Then ask
// each for ready(), and await the ready one, which does not suspend.
template <typename... Ts>
class AnyReady
{
public:
    explicit AnyReady(const Future<Ts> &...futures) : m_cells(futures.m_cell...) { }
    AnyReady(const AnyReady &) = delete;
    AnyReady &operator=(const AnyReady &) = delete;
    ~AnyReady() { await(nullptr); }

    bool await_ready() const noexcept
    {
        return std::apply([](const auto &...cells) { return ((cells->result.index() != 0) || ...); }, m_cells);
    }
    void await_suspend(std::coroutine_handle<> waiter) noexcept { await(waiter); }
    void await_resume() noexcept { await(nullptr); }

private:
    void await(std::coroutine_handle<> waiter) noexcept
    {
        std::apply([waiter](const auto &...cells) { ((cells->waiter = waiter), ...); }, m_cells);
    }

    std::tuple<std::shared_ptr<typename Future<Ts>::Cell>...> m_cells;
};

template <typename... Ts>
AnyReady<Ts...> anyReady(const Future<Ts> &...futures)
{
    return AnyReady<Ts...>(futures...);
}

} // namespace drover::async
