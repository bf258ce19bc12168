#pragma once

#include "async/task.h"

#include <QByteArray>
#include <QString>

#include <stdexcept>

namespace drover::zk {

// Nobody answered: the connection was refused, broken, or the host is unknown.
class NoAnswer : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Asks a ZooKeeper server one of its administrative commands ("srvr", "mntr", "ruok", ...) and returns the whole
// answer. It needs no session and no majority: a server without one answers that it is not serving. A command missing
// in the server's 4lw.commands.whitelist is answered by a sentence that says so.
//
// Runs on the Qt loop of the calling thread; has no time limit of its own (async::orTimeout). Throws NoAnswer.
async::Task<QByteArray> fourLetterWord(QString host, quint16 port, QByteArray word);

// The value after `Name: ` in an answer to srvr or stat, or after `name=` (conf), or `name<TAB>` (mntr); empty if
// absent.
QByteArray fieldOf(const QByteArray &answer, const QByteArray &name);

} // namespace drover::zk
