#include "app/cli/unix_signals.h"

#include <cerrno>
#include <csignal>

#include <fcntl.h>
#include <unistd.h>

namespace drover::app {

namespace {

volatile std::sig_atomic_t pipeEnd = -1; // a signal handler has nothing else to reach it by

constexpr int Watched[] = {SIGINT, SIGTERM, SIGHUP};

void onSignal(int signal)
{
    const int saved = errno;
    const auto byte = static_cast<unsigned char>(signal);
    [[maybe_unused]] const ssize_t written = ::write(pipeEnd, &byte, 1); // full: as many signals are pending
    errno = saved;
}

void install(int signal)
{
    struct sigaction present {
    };
    ::sigaction(signal, nullptr, &present);
    if (present.sa_handler == SIG_IGN)
        return;
    struct sigaction action {
    };
    action.sa_handler = onSignal;
    action.sa_flags = SA_RESTART;
    ::sigaction(signal, &action, nullptr);
}

} // namespace

UnixSignals::UnixSignals(Handler handler) : m_handler(std::move(handler)), m_pipe(posix::Pipe::make(O_NONBLOCK))
{
    if (!m_pipe)
        qFatal("no file descriptors left");
    pipeEnd = m_pipe.writer.get();
    m_notifier = new QSocketNotifier(m_pipe.reader.get(), QSocketNotifier::Read, this);
    connect(m_notifier, &QSocketNotifier::activated, this, &UnixSignals::deliver);
    for (const int signal : Watched)
        install(signal);
}

UnixSignals::~UnixSignals()
{
    for (const int signal : Watched)
        ::signal(signal, SIG_IGN); // the program is about to return; an exit code has been decided
    pipeEnd = -1;
}

void UnixSignals::deliver()
{
    unsigned char byte = 0;
    while (::read(m_pipe.reader.get(), &byte, 1) == 1) {
        const Handler handler = m_handler; // it may replace itself
        handler(byte);
    }
}

} // namespace drover::app
