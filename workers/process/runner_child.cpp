#include "workers/process/runner_child.h"

#include "posix/pipe.h"
#include "workers/process/runner.h"
#include "workers/process/runner_protocol.h"

#include <QLoggingCategory>
#include <QPointer>
#include <QScopeGuard>

#include <algorithm>
#include <array>
#include <utility>

#include <fcntl.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

namespace drover::workers {

Q_LOGGING_CATEGORY(lcRunnerChild, "drover.workers.runner_child")

namespace {

constexpr std::chrono::milliseconds outOfMemoryPause{10};

// Jobs can read the runner's environment, and a worker's holds passwords (PGPASSWORD, DROVER_AUTH). Only what the
// dynamic linker, sanitizers and faketime look for is passed on.
QByteArrayList runnerEnvironment()
{
    QByteArrayList environment;
    for (char **entry = environ; *entry; ++entry) {
        const QByteArray variable(*entry);
        const QByteArray name = variable.first(std::max<qsizetype>(0, variable.indexOf('=')));
        if (name.startsWith("LD_") || name.startsWith("FAKETIME") || name.startsWith("DONT_FAKE")
            || name.endsWith("SAN_OPTIONS"))
            environment.append(variable);
    }
    return environment;
}

QString describe(pid_t pid, int status)
{
    const QString how = WIFSIGNALED(status) ? QStringLiteral("by signal %1").arg(WTERMSIG(status))
                                            : QStringLiteral("with exit code %1").arg(WEXITSTATUS(status));
    return QStringLiteral("the job runner (process %1) ended %2; its jobs were killed with it").arg(pid).arg(how);
}

} // namespace

RunnerChild::RunnerChild(const QString &program, const QByteArrayList &arguments, int leaseFd, int stateFd,
                         ProcessView view)
{
    const posix::FileDescriptor itsEnd = connectEnds(program);
    std::vector<RunnerLaunch::Descriptor> descriptors{
        {itsEnd.get(), protocol::controlFd}, {leaseFd, protocol::leaseFd}, {stateFd, protocol::stateFd}};
    posix::Pipe words = posix::Pipe::make();
    if (words) {
        ::fcntl(words.reader.get(), F_SETFL, O_NONBLOCK);
        descriptors.push_back({words.writer.get(), STDERR_FILENO});
        m_words = std::move(words.reader);
    }
    start({.program = program,
           .arguments = arguments,
           .environment = runnerEnvironment(),
           .descriptors = std::move(descriptors),
           .view = view});
}

RunnerChild::RunnerChild(const QString &program, bool foreground, const QByteArrayList &command,
                         const QByteArrayList &environment, ProcessView view)
{
    const posix::FileDescriptor itsEnd = connectEnds(program); // it has this number in the runner, too
    const QByteArray ground = foreground ? "foreground" : "background";
    start({.program = program,
           .arguments = QByteArrayList{"guard", QByteArray::number(itsEnd.get()), ground} + command,
           .environment = environment,
           .descriptors = {{itsEnd.get(), itsEnd.get()}},
           .view = view});
}

// Returns the runner's end.
posix::FileDescriptor RunnerChild::connectEnds(const QString &program)
{
    std::array<int, 2> ends;
    if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends.data()) != 0)
        failToLaunch(program, errno);
    for (const int end : ends) {
        const int size = 2 * 1024 * 1024; // as far as the kernel allows; maxMessage fits without it
        ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &size, sizeof size);
    }
    m_socket = posix::FileDescriptor(ends[0]);
    return posix::FileDescriptor(ends[1]);
}

void RunnerChild::start(const RunnerLaunch &launch)
{
    const LaunchedRunner started = launchRunner(launch);
    m_pid = started.pid;
    m_ownPids = started.ownPids;
    m_process = posix::HeldProcess(m_pid);
    if (!m_process) { // nothing would tell of its end, and who destroys this object would wait for it without limit
        const int error = errno;
        ::kill(m_pid, SIGKILL); // it has begun no job
        ::waitpid(std::exchange(m_pid, 0), nullptr, 0);
        failToLaunch(launch.program, error);
    }

    connect(&m_readable, &QSocketNotifier::activated, this, &RunnerChild::readAll);
    connect(&m_writable, &QSocketNotifier::activated, this, &RunnerChild::flush);
    connect(&m_dead, &QSocketNotifier::activated, this, &RunnerChild::reap);
    m_retry.setSingleShot(true);
    connect(&m_retry, &QTimer::timeout, this, &RunnerChild::flush);
    m_readable.setSocket(m_socket.get());
    m_readable.setEnabled(true);
    m_writable.setSocket(m_socket.get());
    m_dead.setSocket(m_process.get());
    m_dead.setEnabled(true);
    if (m_words) {
        connect(&m_speaking, &QSocketNotifier::activated, this, &RunnerChild::passWordsOn);
        m_speaking.setSocket(m_words.get());
        m_speaking.setEnabled(true);
    }
}

RunnerChild::~RunnerChild()
{
    end();
}

bool RunnerChild::end()
{
    m_readable.setEnabled(false);
    m_writable.setEnabled(false);
    m_dead.setEnabled(false);
    m_speaking.setEnabled(false);
    m_retry.stop();
    m_socket.reset();
    const pid_t pid = std::exchange(m_pid, 0);
    if (pid == 0)
        return true;
    const auto hearAll = qScopeGuard([this] { passWordsOn(); });
    constexpr std::chrono::seconds patience{6}; // the runner's own is 5 s
    const bool byItself = m_process.hasEnded(patience);
    if (!byItself) {
        ::kill(pid, SIGKILL);
        if (!m_process.hasEnded(patience)) {
            qCWarning(lcRunnerChild, "drover-runner %d does not die: a process of a job may hang in the kernel", pid);
            return false;
        }
    }
    ::waitpid(pid, nullptr, 0);
    return byItself;
}

void RunnerChild::send(std::string message)
{
    m_outgoing.push_back(std::move(message));
    if (m_outgoing.size() == 1)
        flush();
}

void RunnerChild::flush()
{
    while (!m_outgoing.empty()) {
        const std::string &next = m_outgoing.front();
        if (::send(m_socket.get(), next.data(), next.size(), MSG_NOSIGNAL) < 0) {
            if (errno == EINTR)
                continue;
            if (errno == ENOBUFS || errno == ENOMEM) {
                m_writable.setEnabled(false); // it would say at once that there is room
                m_retry.start(outOfMemoryPause);
                return;
            }
            if (errno != EAGAIN)
                giveUp();
            break;
        }
        m_outgoing.pop_front();
    }
    m_writable.setEnabled(!m_outgoing.empty());
}

// A message that cannot be delivered may be an order to kill: the runner cannot serve us any more, whatever it is
// doing. m_dead tells of its death.
void RunnerChild::giveUp()
{
    m_outgoing.clear();
    if (m_pid != 0)
        ::kill(m_pid, SIGKILL);
}

void RunnerChild::readAll()
{
    const QPointer<RunnerChild> alive(this);
    m_incoming.resize(protocol::maxMessage);
    for (;;) {
        const ssize_t got = ::recv(m_socket.get(), m_incoming.data(), m_incoming.size(), 0);
        if (got > 0) {
            m_spoke = true;
            Q_EMIT received({m_incoming.data(), std::size_t(got)});
            if (!alive)
                return;
            continue;
        }
        if (got < 0 && errno == EINTR)
            continue;
        if (got == 0 || errno != EAGAIN) {
            m_readable.setEnabled(false);
            giveUp();
        }
        return;
    }
}

// As much as a pipe holds.
void RunnerChild::passWordsOn()
{
    std::array<char, 64 * 1024> words;
    const ssize_t got = m_words ? ::read(m_words.get(), words.data(), words.size()) : -1;
    for (ssize_t passed = 0; passed < got;) {
        const ssize_t some = ::write(STDERR_FILENO, words.data() + passed, std::size_t(got - passed));
        if (some < 0 && errno != EINTR)
            break; // such as a disk that is full
        passed += std::max<ssize_t>(some, 0);
    }
    if (got == 0)
        m_speaking.setEnabled(false); // it has closed its end
}

void RunnerChild::reap()
{
    m_dead.setEnabled(false);
    m_speaking.setEnabled(false);
    m_writable.setEnabled(false);
    m_retry.stop();
    const QPointer<RunnerChild> alive(this);
    if (m_readable.isEnabled())
        readAll();
    if (!alive)
        return;
    m_readable.setEnabled(false);
    passWordsOn();
    int status = 0;
    ::waitpid(m_pid, &status, 0);
    // As it does when it cannot begin its work or does not understand ours: it may be of another build by now. By a
    // signal it may have died because of a job.
    m_startedNoJob = !m_spoke && WIFEXITED(status);
    const QString reason = describe(m_pid, status);
    m_pid = 0;
    Q_EMIT died(reason);
}

} // namespace drover::workers
