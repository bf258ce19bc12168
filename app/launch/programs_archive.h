#pragma once

#include <QByteArray>
#include <QString>

namespace drover::app {

// The programs that a worker needs, as they are on this machine: drover and drover-runner.
struct ProgramsArchive {
    enum class Contents {
        Programs,
        Tree, // with lib and plugins beside them: what they need of this machine but the C library
    };

    QString release; // the version and a hash of what is packed: two that differ have different ones
    QString system; // what they run on: "Linux-x86_64"
    QByteArray bytes; // a tar file, compressed; empty if it is not needed

    // Blocks: it reads the programs and runs ldd and tar. Throws CommandError.
    static ProgramsArchive make(Contents contents, bool isNeeded);
};

} // namespace drover::app
