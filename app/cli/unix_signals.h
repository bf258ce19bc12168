#pragma once

#include "posix/pipe.h"

#include <QObject>
#include <QSocketNotifier>

#include <functional>

namespace drover::app {

// Delivers SIGINT, SIGTERM and SIGHUP as calls from the event loop. Use one instance. Signals that were ignored when
// the program began (nohup) stay ignored. Children get the default dispositions when they exec.
class UnixSignals : public QObject
{
    Q_OBJECT

public:
    using Handler = std::function<void(int signal)>;

    explicit UnixSignals(Handler handler);
    ~UnixSignals() override;

    // Replaces the present handler by `handler` until the guard is destroyed.
    class [[nodiscard]] Guard
    {
    public:
        Guard(UnixSignals &signalSource, Handler handler)
            : m_signals(signalSource), m_previous(std::exchange(signalSource.m_handler, std::move(handler)))
        {
        }
        Guard(const Guard &) = delete;
        Guard &operator=(const Guard &) = delete;
        ~Guard() { m_signals.m_handler = std::move(m_previous); }

        // Calls the handler that this guard has replaced.
        void passOn(int signal) { m_previous(signal); }

    private:
        UnixSignals &m_signals;
        Handler m_previous;
    };

private:
    void deliver();

    Handler m_handler;
    posix::Pipe m_pipe; // its bytes are the signals
    QSocketNotifier *m_notifier = nullptr;
};

} // namespace drover::app
