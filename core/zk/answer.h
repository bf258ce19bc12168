#pragma once

#include "async/future.h"
#include "zk/error.h"
#include "zk/request.h"

namespace drover::zk {

// The server's answer to one operation: Ok with a value, or another code (see isAnswer). A failure is thrown instead.
template <typename T>
class Answer
{
public:
    Answer(Code code, T value, const char *operation, Path path)
        : m_code(code), m_value(std::move(value)), m_operation(operation), m_path(std::move(path))
    {
    }

    Code code() const { return m_code; }
    bool ok() const { return m_code == Code::Ok; }
    bool is(Code code) const { return m_code == code; }

    // Throws UnexpectedAnswer unless ok().
    const T &value() const
    {
        require();
        return m_value;
    }
    void require() const
    {
        if (!ok())
            throw UnexpectedAnswer(
                m_code,
                QStringLiteral("%1 %2: %3")
                    .arg(QLatin1String(m_operation), m_path.toString(), QLatin1String(name(m_code))));
    }

    // Throws UnexpectedAnswer unless ok() or the answer is this code.
    void requireUnless(Code expected) const
    {
        if (!is(expected))
            require();
    }

    // Does not check. The value is meaningful only if ok(). A failed transaction is an exception: its value says which
    // operation failed.
    const T *operator->() const { return &m_value; }
    const T &operator*() const { return m_value; }

private:
    Code m_code;
    T m_value;
    const char *m_operation;
    Path m_path;
};

struct Nothing {
};

// An operation in progress. Calling the operation sends it, and the server carries out one session's requests in the
// order of the calls. Several operations that are sent before the first is awaited share a round trip. Awaiting gives
// an Answer or throws (see error.h). Destroying a Reply forgets the result; the operation is carried out.
template <typename T>
class [[nodiscard]] Reply
{
public:
    using Convert = T (*)(Response &&);

    Reply(async::Future<Response> response, const char *operation, Path path, Convert convert)
        : m_response(std::move(response)), m_operation(operation), m_path(std::move(path)), m_convert(convert)
    {
    }

    bool ready() const { return m_response.ready(); }

    class Awaiter
    {
    public:
        explicit Awaiter(const Reply &reply) : m_reply(reply), m_inner(reply.m_response.operator co_await()) { }

        bool await_ready() const noexcept { return m_inner.await_ready(); }
        void await_suspend(std::coroutine_handle<> waiter) noexcept { m_inner.await_suspend(waiter); }
        Answer<T> await_resume()
        {
            Response response = m_inner.await_resume();
            const Code code = response.code;
            if (!isAnswer(code))
                throwFailure(code, m_reply.m_operation, m_reply.m_path);
            return Answer<T>(code, m_reply.m_convert(std::move(response)), m_reply.m_operation, m_reply.m_path);
        }

    private:
        const Reply &m_reply;
        typename async::Future<Response>::Awaiter m_inner;
    };
    Awaiter operator co_await() const { return Awaiter(*this); }

private:
    async::Future<Response> m_response;
    const char *m_operation;
    Path m_path;
    Convert m_convert;
};

} // namespace drover::zk
