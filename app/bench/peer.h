#pragma once

#include "async/loop.h"
#include "async/task.h"

#include <QJsonObject>
#include <QStringList>

namespace drover::app {

// A program that measures the work with another coordination library (tests/interop/README.md): curator-peer or
// kazoo-peer, beside this program or in the folder of DROVER_PEERS.
class Peer
{
public:
    // `library` is "curator" or "kazoo". Throws CommandError (NotFound).
    explicit Peer(QString library);

    const QString &library() const { return m_library; }

    // Runs one measurement; `words` are the arguments after "bench". Throws CommandError if it fails, or takes longer
    // than `limit`. Destroying the task kills the program.
    async::Task<QJsonObject> measure(async::Loop &loop, QString servers, QStringList words,
                                     std::chrono::milliseconds limit) const;

private:
    QString m_library;
    QString m_program;
};

} // namespace drover::app
