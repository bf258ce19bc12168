#pragma once

#include "gui/text/terminal_text.h"
#include "posix/file_descriptor.h"

#include <QByteArray>

#include <vector>

namespace drover::gui {

// The output of an attempt on this machine's disk, in a file that has no name. The system removes it with this object,
// or with the process. In memory is one place for some 64 KiB of it. Lines are counted from 0; output_lines.h says what
// a line is. First one thread at a time appends. When that is over, all threads may read.
class OutputFile
{
public:
    OutputFile(); // throws std::system_error if there can be no such file

    // As written by the job. Throws std::system_error if the disk is full; the object is of no use then.
    void append(const QByteArray &bytes);

    qint64 size() const { return m_size; } // in bytes
    qint64 lines() const { return m_ended + (m_open.isEmpty() ? 0 : 1); }

    // Whole lines that follow each other, some 64 KiB, at most twice as much.
    struct Block {
        qint64 first = 0; // the number of its first line
        TerminalText::Style style{}; // that the first line begins with
        QByteArray bytes{};
    };
    int blocks() const { return static_cast<int>(m_places.size()); } // at least one; the last one may be empty
    Block block(int index) const; // with less bytes if the disk is broken
    int blockOf(qint64 line) const; // the last one for a line that does not exist

    // Replaces the file at `path`, or makes it, at once. Blocks. Returns why it cannot be written, or nothing.
    QString copyTo(const QString &path) const;

private:
    // Where a block begins.
    struct Place {
        qint64 offset = 0;
        qint64 line = 0;
        TerminalText::Style style{};
    };

    QByteArray read(qint64 offset, qint64 count) const;

    posix::FileDescriptor m_file;
    qint64 m_size = 0;
    qint64 m_ended = 0; // lines
    QByteArray m_open; // the line that has not ended
    TerminalText::Style m_style; // of what follows the lines that have ended
    std::vector<Place> m_places; // never empty
};

} // namespace drover::gui
