#include "app/top/full_screen.h"

#include <array>
#include <cstdio>

#include <sys/ioctl.h>
#include <unistd.h>

namespace drover::app {

namespace {

// ECMA-48 and xterm's private modes.
constexpr const char *EnterScreen = "\x1b[?1049h\x1b[?25l";
constexpr const char *LeaveScreen = "\x1b[?25h\x1b[?1049l";
constexpr const char *ToTheTop = "\x1b[H";
constexpr const char *ClearToLineEnd = "\x1b[K";
constexpr const char *ClearBelow = "\x1b[J";

void write(const QByteArray &bytes)
{
    std::fwrite(bytes.constData(), 1, static_cast<std::size_t>(bytes.size()), stdout);
    std::fflush(stdout);
}

winsize size()
{
    winsize found{};
    if (::ioctl(STDOUT_FILENO, TIOCGWINSZ, &found) != 0 || found.ws_col == 0 || found.ws_row == 0)
        found = {24, 80, 0, 0};
    return found;
}

} // namespace

FullScreen::FullScreen() : m_keys(STDIN_FILENO, QSocketNotifier::Read)
{
    m_hasKeys = ::tcgetattr(STDIN_FILENO, &m_before) == 0;
    if (m_hasKeys) {
        termios raw = m_before;
        raw.c_lflag &= ~static_cast<tcflag_t>(ICANON | ECHO); // signals stay: Ctrl-C works
        ::tcsetattr(STDIN_FILENO, TCSANOW, &raw);
    }
    m_keys.setEnabled(m_hasKeys);
    QObject::connect(&m_keys, &QSocketNotifier::activated, &m_keys, [this] { readKeys(); });
    write(EnterScreen);
}

FullScreen::~FullScreen()
{
    write(LeaveScreen);
    if (m_hasKeys)
        ::tcsetattr(STDIN_FILENO, TCSANOW, &m_before);
}

int FullScreen::width() const
{
    return size().ws_col;
}

int FullScreen::height() const
{
    return size().ws_row;
}

void FullScreen::show(const QStringList &lines)
{
    QByteArray bytes = ToTheTop;
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (i > 0)
            bytes += "\r\n";
        bytes += lines[i].toUtf8() + ClearToLineEnd;
    }
    write(bytes + ClearBelow);
}

void FullScreen::readKeys()
{
    std::array<char, 64> keys{};
    const ssize_t count = ::read(STDIN_FILENO, keys.data(), keys.size());
    const QByteArrayView pressed(keys.data(), std::max<ssize_t>(0, count));
    if (count == 0)
        m_keys.setEnabled(false);
    if (count == 0 || pressed.contains('q') || pressed.contains('Q'))
        m_quit.set();
}

} // namespace drover::app
