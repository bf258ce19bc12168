#pragma once

#include "async/task.h"

#include <QByteArray>
#include <QString>

#include <stdexcept>

namespace drover::zk {

// The connection was refused or broken, the host is unknown, or the answer is longer than a ZooKeeper server's.
class NoAnswer : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Sends a ZooKeeper server one of its administrative commands ("srvr", "mntr", "ruok", ...). Returns all bytes that
// arrive before the server closes the connection; another program may answer anything. Throws NoAnswer after 1 MiB. A
// web server waits for a blank line: one is sent after a moment. The call needs no session and no majority: a server
// without a majority answers that it is not serving. If 4lw.commands.whitelist lacks the command, the server answers
// with a sentence that says so.
//
// Runs on the Qt loop of the calling thread. Has no time limit of its own; use async::orTimeout. Throws NoAnswer.
async::Task<QByteArray> fourLetterWord(QString host, quint16 port, QByteArray word);

// Whether this answer to srvr is a ZooKeeper server's.
bool isOfZooKeeper(const QByteArray &answer);
// The end of a sentence about an address whose answer is not ZooKeeper's: "is the port of another program, which
// answers ..."
QString anotherProgram(const QByteArray &answer);
// Whether the answer says that the word is missing in the server's whitelist.
bool isRefusedByWhitelist(const QByteArray &answer);

// The value after `Name: ` in an answer to srvr or stat, or after `name=` (conf), or `name<TAB>` (mntr); empty if
// absent.
QByteArray fieldOf(const QByteArray &answer, const QByteArray &name);

} // namespace drover::zk
