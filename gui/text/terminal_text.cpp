#include "gui/text/terminal_text.h"

#include "gui/text/marks.h"

#include <QStringList>

#include <utility>

namespace drover::gui {

namespace {

constexpr QChar Escape(0x1b);
constexpr qsizetype MaxSequence = 64; // characters; what is longer is no sequence

} // namespace

QList<TerminalText::Line> TerminalText::add(const QString &text)
{
    m_rest += text;
    qsizetype place = 0;
    while (place < m_rest.size()) {
        const QChar c = m_rest[place];
        if (c == Escape) {
            if (!takeSequence(place))
                break;
            continue;
        }
        if (c == u'\n') {
            m_ended.append(runsOf(std::exchange(m_cells, {})));
            m_column = 0;
        } else if (c == u'\r') {
            m_column = 0;
        } else {
            if (c.isHighSurrogate() && place + 1 == m_rest.size())
                break; // its other half is to come
            const bool isPair = c.isHighSurrogate() && m_rest[place + 1].isLowSurrogate();
            put(isPair ? QChar::surrogateToUcs4(c, m_rest[place + 1]) : char32_t(c.unicode()));
            place += isPair ? 1 : 0;
        }
        ++place;
    }
    m_rest.remove(0, place);
    return std::exchange(m_ended, {});
}

TerminalText::Line TerminalText::current() const
{
    return runsOf(m_cells);
}

void TerminalText::put(char32_t character)
{
    if (m_column == MaxLine) {
        m_ended.append(runsOf(std::exchange(m_cells, {})));
        m_column = 0;
    }
    const Cell cell{character, m_style};
    if (m_column < m_cells.size())
        m_cells[m_column] = cell;
    else
        m_cells.append(cell);
    ++m_column;
}

// "\x1b[", parameters, and a letter that says what to do.
bool TerminalText::takeSequence(qsizetype &place)
{
    const QStringView rest = QStringView(m_rest).mid(place);
    if (rest.size() == 1)
        return false;
    qsizetype end = 2;
    while (rest[1] == u'[' && end < rest.size() && end < MaxSequence
           && (rest[end].isDigit() || rest[end] == u';' || rest[end] == u':'))
        ++end;
    if (rest[1] == u'[' && end == rest.size() && end < MaxSequence)
        return false;
    const QString parameters = rest.mid(2, end - 2).toString();
    if (rest[1] == u'[' && end < rest.size() && rest[end] == u'm') {
        obeySgr(parameters);
    } else if (rest[1] == u'[' && end < rest.size() && rest[end] == u'K') {
        erase(parameters);
    } else {
        put(Escape.unicode()); // a mark; what follows is text
        ++place;
        return true;
    }
    place += end + 1;
    return true;
}

void TerminalText::erase(const QString &parameter)
{
    if (parameter == u"2")
        m_cells.clear();
    else if (parameter != u"1")
        m_cells.resize(std::min(m_column, m_cells.size()));
    while (m_cells.size() < m_column) // the column stays
        m_cells.append(Cell{U' ', {}});
}

void TerminalText::obeySgr(const QString &parameters)
{
    const QStringList codes = QString(parameters).replace(u':', u';').split(u';');
    for (qsizetype i = 0; i < codes.size(); ++i) {
        const int code = codes[i].toInt();
        if (code == 0)
            m_style = {};
        else if (code == 1 || code == 22)
            m_style.bold = code == 1;
        else if (code == 3 || code == 23)
            m_style.italic = code == 3;
        else if (code == 4 || code == 24)
            m_style.underlined = code == 4;
        else if (code == 7 || code == 27)
            m_style.inverse = code == 7;
        else if (code >= 30 && code <= 37)
            m_style.foreground = code - 30;
        else if (code >= 90 && code <= 97)
            m_style.foreground = code - 90 + 8;
        else if (code >= 40 && code <= 47)
            m_style.background = code - 40;
        else if (code >= 100 && code <= 107)
            m_style.background = code - 100 + 8;
        else if (code == 39)
            m_style.foreground = Style::Usual;
        else if (code == 49)
            m_style.background = Style::Usual;
        else if (code == 38 || code == 48)
            i += takeColour(codes, i + 1, code == 38 ? m_style.foreground : m_style.background);
    }
}

// After 38 or 48: "5;N" of 256 colours, or "2;R;G;B". Returns how many codes these are.
qsizetype TerminalText::takeColour(const QStringList &codes, qsizetype at, int &colour) const
{
    const auto byte = [&](qsizetype place) { return codes.value(place).toInt() & 0xff; };
    if (codes.value(at) == u"5") {
        colour = byte(at + 1);
        return 2;
    }
    if (codes.value(at) == u"2") {
        colour = Style::Rgb | byte(at + 1) << 16 | byte(at + 2) << 8 | byte(at + 3);
        return 4;
    }
    return 0;
}

TerminalText::Line TerminalText::runsOf(const QList<Cell> &cells)
{
    Line line;
    for (const Cell &cell : cells) {
        if (line.isEmpty() || line.last().style != cell.style)
            line.append(Run{{}, cell.style});
        if (cell.character < 0x10000)
            line.last().text += QChar(char16_t(cell.character)); // also half of a pair, as a mark
        else
            line.last().text += QString::fromUcs4(&cell.character, 1);
    }
    for (Run &run : line)
        run.text = marked(run.text, text::LineEnds::Keep);
    return line;
}

} // namespace drover::gui
