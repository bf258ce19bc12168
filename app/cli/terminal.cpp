#include "app/cli/terminal.h"

#include <clocale>
#include <cwchar>

#include <sys/ioctl.h>
#include <unistd.h>

namespace drover::app {

namespace {

// The program prints UTF-8 in each locale. The locale "C" knows the width of ASCII characters alone.
class Utf8Widths
{
public:
    Utf8Widths() : m_before(::uselocale(utf8())) { }
    Utf8Widths(const Utf8Widths &) = delete;
    Utf8Widths &operator=(const Utf8Widths &) = delete;
    ~Utf8Widths() { ::uselocale(m_before); }

    int operator()(char32_t character) const { return std::max(0, ::wcwidth(static_cast<wchar_t>(character))); }

private:
    static ::locale_t utf8() // null, which changes nothing, on a machine that does not have it
    {
        static const ::locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
        return locale;
    }

    const ::locale_t m_before;
};

} // namespace

Terminal Terminal::of(int fd)
{
    Terminal terminal;
    terminal.isTerminal = ::isatty(fd) != 0;
    if (!terminal.isTerminal)
        return terminal;
    const QByteArray kind = qgetenv("TERM");
    terminal.canBeDrawn = !kind.isEmpty() && kind != "dumb";
    terminal.colour = terminal.canBeDrawn && qEnvironmentVariableIsEmpty("NO_COLOR");
    winsize size{};
    terminal.width = ::ioctl(fd, TIOCGWINSZ, &size) == 0 && size.ws_col > 0 ? size.ws_col : 80;
    return terminal;
}

int displayWidth(const QString &text)
{
    const Utf8Widths columnsOf;
    int width = 0;
    for (const char32_t character : text.toUcs4())
        width += columnsOf(character);
    return width;
}

QString elided(const QString &text, int width)
{
    if (displayWidth(text) <= width)
        return text;
    const Utf8Widths columnsOf;
    QString result;
    int used = 1; // the ellipsis
    for (const char32_t character : text.toUcs4()) {
        used += columnsOf(character);
        if (used > width)
            break;
        result += QString::fromUcs4(&character, 1);
    }
    return result + QChar(u'…');
}

QStringList wrapped(const QString &text, int width)
{
    if (width <= 0)
        return {text};
    QStringList lines;
    for (const QString &word : text.split(u' ')) {
        const bool fits = !lines.isEmpty() && displayWidth(lines.last()) + 1 + displayWidth(word) <= width;
        if (fits)
            lines.last() += u' ' + word;
        else
            lines.append(word);
    }
    return lines;
}

} // namespace drover::app
