#pragma once

#include "app/environment/child_process.h"
#include "async/loop.h"

#include <QTemporaryDir>

#include <optional>

namespace drover::app {

// A server other than ZooKeeper, on a free port of 127.0.0.1, with a temporary directory. Server and directory are
// removed with this object.
class ScratchDaemon
{
public:
    using Arguments = std::function<QStringList(quint16 port, const QString &directory)>;

    // The path of the installed program; empty if it is not installed.
    static QString find(const QString &program);

    // Returns when it accepts connections. Throws CommandError with the end of its log.
    async::Task<void> start(async::Loop &loop, QString program, Arguments arguments);

    quint16 port() const { return m_port; }

private:
    quint16 m_port = 0;
    QTemporaryDir m_directory;
    std::optional<ChildProcess> m_process;
};

} // namespace drover::app
