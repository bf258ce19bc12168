#pragma once

#include "app/support/drover_program.h"

#include <unistd.h>

namespace drover::test {

// Whether this machine lets a process have mounts of its own, as startElsewhere() needs it.
inline bool hasElsewhere()
{
    QProcess unshare;
    unshare.start(QStringLiteral("unshare"),
                  ::geteuid() == 0 ? words("--mount true") : words("--mount --map-root-user true"));
    return unshare.waitForFinished() && unshare.exitCode() == 0;
}

// Starts the program as on a machine that shares nothing with the others of `drover` but ZooKeeper: nothing is where
// these keep their files.
inline std::unique_ptr<QProcess> startElsewhere(const DroverProgram &drover, const QStringList &arguments)
{
    QStringList command{QStringLiteral("--mount")};
    if (::geteuid() != 0)
        command += QStringLiteral("--map-root-user");
    command += {QStringLiteral("sh"),
                QStringLiteral("-c"),
                QStringLiteral("mount -t tmpfs none \"$1\" && mkdir -p \"$XDG_STATE_HOME\" \"$XDG_RUNTIME_DIR\" && "
                               "shift && exec \"$@\""),
                QStringLiteral("sh"),
                drover.directory(),
                qEnvironmentVariable("DROVER_BIN_DIR") + QStringLiteral("/drover")};
    auto process = std::make_unique<QProcess>();
    process->setProcessEnvironment(drover.environment());
    process->start(QStringLiteral("unshare"), command + arguments);
    process->closeWriteChannel();
    return process;
}

} // namespace drover::test
