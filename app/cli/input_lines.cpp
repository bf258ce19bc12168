#include "app/cli/input_lines.h"

#include "app/cli/failure.h"

#include <cerrno>
#include <cstring>

#include <fcntl.h>
#include <unistd.h>

namespace drover::app {

namespace {

[[noreturn]] void throwUnreadable()
{
    throw CommandError(
        ExitError, QStringLiteral("cannot read standard input: %1").arg(QString::fromLocal8Bit(std::strerror(errno))));
}

int standardInput()
{
    if (::fcntl(STDIN_FILENO, F_GETFD) < 0)
        throwUnreadable();
    return STDIN_FILENO;
}

} // namespace

InputLines::InputLines(qsizetype longest) : m_longest(longest), m_notifier(standardInput(), QSocketNotifier::Read)
{
    m_notifier.setEnabled(false);
    QObject::connect(&m_notifier, &QSocketNotifier::activated, &m_notifier, [this] {
        m_notifier.setEnabled(false);
        m_readable.set(); // last: who waits may destroy this
    });
}

async::Task<std::optional<InputLines::Line>> InputLines::next()
{
    for (;;) {
        std::optional<Line> line = takeLine();
        if (line || m_atEnd)
            co_return line;
        m_readable.reset();
        m_notifier.setEnabled(true);
        co_await m_readable.wait();
        if (!m_atEnd)
            read();
    }
}

void InputLines::stop()
{
    m_notifier.setEnabled(false);
    m_buffer.clear();
    m_skipping = false;
    m_atEnd = true;
    // From the loop: who calls this may be what the waiting one destroys.
    QMetaObject::invokeMethod(
        &m_notifier, [this] { m_readable.set(); }, Qt::QueuedConnection);
}

// The next whole line, if the buffer holds it; at the end what is left.
std::optional<InputLines::Line> InputLines::takeLine()
{
    const qsizetype end = m_buffer.indexOf('\n');
    const qsizetype length = end < 0 ? m_buffer.size() : end;
    const bool tooLong = m_skipping || length > m_longest;
    const bool whole = end >= 0 || (m_atEnd && (length > 0 || m_skipping));
    if (!whole) {
        m_skipping = tooLong;
        if (tooLong)
            m_buffer.clear();
        return std::nullopt;
    }
    Line line{++m_count, tooLong ? QByteArray() : m_buffer.first(length), tooLong};
    m_buffer.remove(0, end < 0 ? length : end + 1);
    m_skipping = false;
    return line;
}

void InputLines::read()
{
    constexpr qsizetype ChunkSize = 64 * 1024;
    const qsizetype before = m_buffer.size();
    m_buffer.resize(before + ChunkSize);
    const ssize_t count = ::read(STDIN_FILENO, m_buffer.data() + before, ChunkSize);
    const bool again = count < 0 && (errno == EAGAIN || errno == EINTR);
    m_buffer.resize(before + std::max<ssize_t>(count, 0));
    if (count < 0 && !again)
        throwUnreadable();
    m_atEnd = count == 0;
}

} // namespace drover::app
