#pragma once

#include <QByteArray>
#include <QString>

namespace drover::app {

// Storage that is shared by the holders of a lock: a file of lines "TOKEN NAME RECORD PART". A record has Parts lines.
// With a fence it refuses a line whose token is lower than that of a line before it; without one it takes all.
class RecordFile
{
public:
    static constexpr int Parts = 8;

    RecordFile(QString file, bool isFenced) : m_file(std::move(file)), m_isFenced(isFenced) { }

    // Returns false if the line was refused. It blocks. Throws std::runtime_error.
    bool append(qint64 token, const QByteArray &name, int record, int part) const;

private:
    QString m_file;
    bool m_isFenced;
};

} // namespace drover::app
