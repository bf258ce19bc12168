#pragma once

#include <QList>
#include <QString>

namespace drover::gui {

// The output of a program as a terminal shows it, line by line. It obeys line ends, carriage returns, SGR ("\x1b[31m",
// ECMA-48) and the erasing of a line ("\x1b[K"). All other control characters stay as marks, as gui/text/marks.h
// makes them. A sequence may arrive in pieces.
class TerminalText
{
public:
    static constexpr qsizetype MaxLine = 4096; // characters; a longer line is broken

    struct Style {
        static constexpr int Usual = -1;
        static constexpr int Rgb = 0x1000000; // and the colour in the other bits; below it is one of the 256 colours

        int foreground = Usual;
        int background = Usual;
        bool bold = false;
        bool italic = false;
        bool underlined = false;
        bool inverse = false;

        friend bool operator==(const Style &, const Style &) = default;
    };
    struct Run {
        QString text;
        Style style{};

        friend bool operator==(const Run &, const Run &) = default;
    };
    using Line = QList<Run>;

    TerminalText() = default;
    explicit TerminalText(const Style &style) : m_style(style) { } // of what follows

    // Returns the lines that have ended.
    QList<Line> add(const QString &text);
    Line current() const; // the line that has not ended yet
    const Style &style() const { return m_style; } // of what is added next
    void clear() { *this = TerminalText(); }

private:
    struct Cell {
        char32_t character;
        Style style;
    };

    void put(char32_t character);
    bool takeSequence(qsizetype &place); // at an escape; false: the rest of it is still to come
    void obeySgr(const QString &parameters);
    qsizetype takeColour(const QStringList &codes, qsizetype at, int &colour) const;
    void erase(const QString &parameter);
    static Line runsOf(const QList<Cell> &cells);

    QString m_rest; // the beginning of a sequence
    QList<Cell> m_cells; // of the line
    qsizetype m_column = 0;
    Style m_style;
    QList<Line> m_ended;
};

} // namespace drover::gui
