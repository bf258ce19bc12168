#pragma once

#include <QByteArray>
#include <QString>

#include <stdexcept>
#include <vector>

namespace drover::app {

class ReportError : public std::runtime_error
{
public:
    explicit ReportError(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The file that all jobs of the demo write to: one line a counted file, "<words> <name>\n", as wc prints it. In a name
// a backslash and a line feed are written as \\ and \n.
//
// What a killed job may have left behind, and what append() does about it:
//   a torn last line: cut off, for its writer died before it had written it all
//   its whole line: kept, and not written a second time
class Report
{
public:
    struct Line {
        qint64 words = 0;
        QString name;

        QByteArray bytes() const; // with its line feed
    };

    explicit Report(QString file) : m_file(std::move(file)) { }

    const QString &file() const { return m_file; }

    // Adds the line with one write, and returns when the disk has it; false if it was there already. Only for the
    // holder of the report's lock. Blocks. Throws ReportError.
    bool append(const Line &line) const;

    struct Content {
        std::vector<Line> lines;
        int malformed = 0; // lines that are not whole
    };
    // Empty if there is no file. Throws ReportError.
    Content read() const;

private:
    QString m_file;
};

} // namespace drover::app
