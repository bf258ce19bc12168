#pragma once

#include "async/event.h"
#include "async/task.h"

#include <QByteArray>
#include <QSocketNotifier>

#include <optional>

namespace drover::app {

// Standard input line by line, without blocking the loop: a signal ends the command while it waits for input. Holds no
// more than one line.
class InputLines
{
public:
    struct Line {
        qint64 number = 0; // from 1
        QByteArray text; // without its end
        bool tooLong = false; // then there is no text
    };

    // Throws CommandError if there is no standard input.
    explicit InputLines(qsizetype longest);

    // Nothing at the end. Throws CommandError.
    async::Task<std::optional<Line>> next();

    // The end is here: what has not been returned yet never is.
    void stop();

private:
    std::optional<Line> takeLine();
    void read();

    qsizetype m_longest;
    qint64 m_count = 0;
    QByteArray m_buffer;
    bool m_skipping = false; // the rest of a line that is too long
    bool m_atEnd = false;
    async::Event m_readable;
    QSocketNotifier m_notifier;
};

} // namespace drover::app
