#include "text/terminal_filter.h"

#include "text/printable.h"

#include <optional>
#include <utility>

namespace drover::text {

namespace {

constexpr qsizetype LongestColour = 64; // bytes
constexpr char OwnColour[] = "\x1b[0m";

QByteArray escaped(char byte)
{
    return "\\x" + QByteArray::number(uchar(byte), 16).rightJustified(2, '0');
}

// The length of the colour that begins with this ESC: 0 if it is none, nothing if that is not known yet.
std::optional<qsizetype> colourAt(QByteArrayView text)
{
    if (text.size() > 1 && text[1] != '[')
        return 0;
    for (qsizetype i = 2; i < text.size() && i < LongestColour; ++i) {
        const char c = text[i];
        if (c == 'm')
            return i + 1;
        if (c != ';' && c != ':' && (c < '0' || c > '9'))
            return 0;
    }
    return text.size() < LongestColour ? std::nullopt : std::optional<qsizetype>(0);
}

// The length of the character: 0 if it is not UTF-8, nothing if it is not whole yet.
std::optional<qsizetype> characterAt(QByteArrayView text)
{
    const uchar lead = uchar(text.front());
    const qsizetype length = lead < 0x80 ? 1
        : lead < 0xc2                    ? 0
        : lead < 0xe0                    ? 2
        : lead < 0xf0                    ? 3
        : lead < 0xf5                    ? 4
                                         : 0;
    for (qsizetype i = 1; i < length; ++i) {
        if (i == text.size())
            return std::nullopt;
        if ((uchar(text[i]) & 0xc0) != 0x80)
            return 0;
    }
    return length;
}

} // namespace

QByteArray TerminalFilter::pass(const QByteArray &part)
{
    const QByteArray text = std::exchange(m_waiting, QByteArray()) + part;
    QByteArray shown;
    shown.reserve(text.size());
    for (qsizetype at = 0; at < text.size();) {
        const qsizetype length = take(QByteArrayView(text).sliced(at), shown);
        if (length == 0) {
            m_waiting = text.mid(at);
            break;
        }
        at += length;
    }
    return shown;
}

// Adds what is shown of the first character, and returns its length; 0: what follows decides.
qsizetype TerminalFilter::take(QByteArrayView text, QByteArray &shown)
{
    const char first = text.front();
    if ((first >= ' ' && first <= '~') || first == '\n' || first == '\t') {
        shown += first;
        return 1;
    }
    if (first == '\r' && (text.size() == 1 || text[1] == '\n')) {
        shown += text.size() > 1 ? "\r\n" : "";
        return text.size() > 1 ? 2 : 0;
    }
    if (first == '\x1b') {
        const std::optional<qsizetype> colour = colourAt(text);
        if (colour.value_or(0) > 0) {
            shown += text.first(*colour);
            m_coloured = true;
        }
        if (colour != 0)
            return colour.value_or(0);
    }
    const std::optional<qsizetype> length = characterAt(text);
    if (!length)
        return 0;
    const QString character = QString::fromUtf8(text.first(*length));
    if (*length == 0 || (character.contains(QChar::ReplacementCharacter) && text.first(*length) != "\xef\xbf\xbd")) {
        shown += escaped(first);
        return 1;
    }
    shown += printable(character).toUtf8();
    return *length;
}

QByteArray TerminalFilter::finish()
{
    QByteArray shown;
    for (const char byte : std::exchange(m_waiting, QByteArray()))
        shown += byte >= ' ' && byte <= '~' ? QByteArray(1, byte) : escaped(byte);
    if (std::exchange(m_coloured, false))
        shown += OwnColour;
    return shown;
}

} // namespace drover::text
