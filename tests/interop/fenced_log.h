#pragma once

#include "zk/types.h"

#include <QStringList>
#include <QTemporaryFile>

#include <map>

namespace drover::test {

// What the holders of one thing did, in the order in which it happened: a file to which all of them append, whatever
// program they are part of.
//
//     begin <who> <mode> <token>        once it holds it
//     end <who> <mode> <token>          before it gives it back
//
// The mode is the peers' name of what it held (README.md): "read" excludes writers, of "semaphore" there are a number
// of permits, the locks exclude everybody. The token is the czxid of the znode that it held by. A line is a single
// write to a file that is open for appending, so none is torn and their order is that of the calls.
class FencedLog
{
public:
    enum class Event { Begin, End };
    struct Entry {
        Event event;
        QByteArray who;
        QByteArray mode;
        zk::Zxid token;
    };

    FencedLog();

    QByteArray path() const { return m_file.fileName().toUtf8(); }
    void begin(const QByteArray &who, const QByteArray &mode, zk::Zxid token);
    void end(const QByteArray &who, const QByteArray &mode, zk::Zxid token);

    // Throws std::runtime_error about a line that is none.
    std::vector<Entry> entries() const;

private:
    void append(const QByteArray &line);

    QTemporaryFile m_file;
};

// The faults of a log. It is in order if holders that exclude each other never overlapped, and if each that began
// has ended. Of two that exclude each other, the one with the lower token must have come first.
QStringList faults(const std::vector<FencedLog::Entry> &log, int permits = 1);

// How often each has held it.
std::map<QByteArray, int> rounds(const std::vector<FencedLog::Entry> &log);

// How often it went from one to another. A log with few of these proves little.
int handOvers(const std::vector<FencedLog::Entry> &log);

} // namespace drover::test
