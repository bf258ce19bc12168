#pragma once

#include <QByteArray>

namespace drover::text {

// Bytes from outside on their way to a terminal, part by part. The characters that printable() shows appear as \x1b,
// and bytes that are not UTF-8 as \xff. Line ends, tabs and colours (ESC [ ... m) stay as they are.
class TerminalFilter
{
public:
    // What the terminal may get by now. The beginning of a character, a colour or a line end waits for the next part.
    QByteArray pass(const QByteArray &part);
    // At the end: what has waited, and the terminal's own colour again.
    QByteArray finish();

private:
    qsizetype take(QByteArrayView text, QByteArray &shown);

    QByteArray m_waiting;
    bool m_coloured = false;
};

} // namespace drover::text
