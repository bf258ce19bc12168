#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QByteArray>
#include <QSocketNotifier>

#include <optional>

namespace drover::app {

// Reads standard input line by line without blocking the loop, so a signal can end the command while it waits for
// input. Holds at most one line.
class InputLines
{
public:
    struct Line {
        qint64 number = 0; // from 1
        QByteArray text; // without the line end
        bool tooLong = false; // true: `text` is empty
    };

    // Lines of more than `longest` bytes are too long. Throws CommandError if standard input is closed.
    explicit InputLines(qsizetype longest);

    // Returns the next line; nothing at the end. Throws CommandError.
    async::Task<std::optional<Line>> next();

    // Ends the input: next() returns no further lines.
    void stop();

private:
    std::optional<Line> takeLine();
    void read();

    qsizetype m_longest;
    qint64 m_count = 0;
    QByteArray m_buffer;
    bool m_skipping = false; // inside a line that is too long
    bool m_atEnd = false;
    async::Event m_readable;
    QSocketNotifier m_notifier;
};

} // namespace drover::app
