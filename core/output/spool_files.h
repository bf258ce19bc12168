#pragma once

#include "output/output_request.h"

#include <QString>

namespace drover::output {

// The two files of one attempt, wherever its worker keeps them. Beside each may be segments (output/segment.h).
struct SpoolFiles {
    QString output;
    QString error;
};

// What they hold of what is asked for, now: the request's wait is not waited. Of a stream that was longer than its cap
// the beginning and the end are there, and what a reply says was skipped is not; its end may move from file to file
// meanwhile. Blocks; files only, a symbolic link is
// none. Throws std::system_error if a file is there that cannot be read.
OutputReply readSpool(const SpoolFiles &files, const OutputRequest &request);

// Which directory this is, told apart from every other of this or any other machine, for as long as the machine runs:
// two processes that see the same one are on the same machine, whatever their paths and host names say. Empty if it
// cannot be told.
QString placeOf(const QString &directory);

} // namespace drover::output
