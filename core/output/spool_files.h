#pragma once

#include "output/output_request.h"

#include <QString>

namespace drover::output {

// The two files of one attempt in its worker's spool: <spool>/<id>.<attempt>.out and .err. Segments may stand beside
// each (output/segment.h). `attempt` is the version of the claim.
struct SpoolFiles {
    static SpoolFiles of(const QString &spool, const jobs::JobId &id, int attempt);

    QString output;
    QString error;
};

// Reads what the files hold now of the requested bytes; the request's `wait` is ignored. Of a stream that was longer
// than its cap the beginning and the end exist; the reply counts the bytes between them as skipped. The end may move
// from file to file meanwhile. Blocks. Symbolic links are not followed. Throws std::system_error if an existing file
// cannot be read.
OutputReply readSpool(const SpoolFiles &files, const OutputRequest &request);

// Identifies a directory among all directories of all machines, until the machine reboots. Two processes that get equal
// texts are on one machine, whatever their paths and host names say. Empty if it cannot be determined.
QString placeOf(const QString &directory);

} // namespace drover::output
