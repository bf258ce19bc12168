#include "workers/runner/start_status.h"

#include "posix/files.h"
#include "posix/pipe.h"
#include "workers/process/runner_protocol.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <iterator>

#include <fcntl.h>

namespace drover::runner {

using namespace posix;

namespace {

// A message is a letter of CopyStep, the same in upper case when it is left, or a failure: its kind, its exit code, its
// reason, NUL. Each is one write of less than PIPE_BUF, so that two writers do not mix.
constexpr char failed = 'F';
constexpr char lease = 'L';
constexpr std::size_t longestReason = 3000;

char upper(CopyStep step)
{
    return char(char(step) - 'a' + 'A');
}

// A file server or a disk that fails is no job's fault, nor is a machine that has run out of something.
bool isOfMachine(int error)
{
    constexpr int errors[] = {EMFILE,    ENFILE,       ENOMEM,     EIO,          ESTALE,    ENOTCONN,
                              ETIMEDOUT, ECONNABORTED, ECONNRESET, EHOSTUNREACH, EHOSTDOWN, EREMOTEIO};
    return std::find(std::begin(errors), std::end(errors), error) != std::end(errors);
}

} // namespace

StartFailure startFailure(int exitCode, const std::string &what, int error)
{
    return {.exitCode = isOfMachine(error) ? workers::protocol::machineIsShort : exitCode,
            .reason = what + ": " + std::strerror(error)};
}

void StatusWriter::enter(CopyStep step) const
{
    const char code = char(step);
    [[maybe_unused]] const ssize_t size = ::write(m_fd, &code, 1);
}

void StatusWriter::leave(CopyStep step) const
{
    const char code = upper(step);
    [[maybe_unused]] const ssize_t size = ::write(m_fd, &code, 1);
}

void StatusWriter::fail(const StartFailure &failure) const
{
    std::string message{failure.leasePassed ? lease : failed, char(failure.exitCode)};
    message += failure.reason.substr(0, longestReason);
    message += '\0';
    [[maybe_unused]] const ssize_t size = ::write(m_fd, message.data(), message.size());
    ::_exit(127);
}

FileDescriptor StatusReader::open()
{
    Pipe pipe = Pipe::make();
    if (!pipe)
        return FileDescriptor();
    m_pipe = std::move(pipe.reader);
    ::fcntl(m_pipe.get(), F_SETFL, O_NONBLOCK);
    return std::move(pipe.writer);
}

void StatusReader::look()
{
    while (m_pipe) {
        char buffer[512];
        const ssize_t got = ::read(m_pipe.get(), buffer, sizeof buffer);
        for (ssize_t i = 0; i < got; ++i)
            take(buffer[i]);
        if (got == 0)
            m_pipe.reset();
        else if (got < 0 && errno != EINTR)
            return;
    }
}

void StatusReader::take(char code)
{
    if (!m_text.empty() || code == failed || code == lease) {
        m_text += code;
        if (m_text.size() <= 2 || code != '\0')
            return;
        if (!m_failure)
            m_failure = {.exitCode = m_text[1],
                         .reason = m_text.substr(2, m_text.size() - 3),
                         .leasePassed = m_text[0] == lease};
        m_text.clear();
    } else if (code == upper(CopyStep::Output) || code == upper(CopyStep::Error)) {
        std::erase(m_steps, char(code - 'A' + 'a'));
    } else {
        m_steps += code;
    }
}

} // namespace drover::runner
