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

// The file to which all jobs of the demo write: one line for each counted file, "<words> <name>\n", as wc prints it. In
// a name a backslash and a line feed are written as \\ and \n.
//
// A killed job may leave behind:
//   a part of its line at the end: append() cuts it off, because its writer died while writing it
//   its whole line: append() keeps it, and does not write it again
class DemoReport
{
public:
    struct Line {
        qint64 words = 0;
        QString name;

        QByteArray bytes() const; // with the line feed
    };

    explicit DemoReport(QString file) : m_file(std::move(file)) { }

    const QString &file() const { return m_file; }

    // Adds the line with one write, and returns when it is on the disk. Returns false if the line existed already. Only
    // the holder of the report's lock may call it. Blocks. Throws ReportError.
    bool append(const Line &line) const;

    struct Content {
        std::vector<Line> lines;
        int malformed = 0; // lines that are not complete
    };
    // Returns an empty content if the file does not exist. Throws ReportError.
    Content read() const;

private:
    QString m_file;
};

} // namespace drover::app
