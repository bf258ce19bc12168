#pragma once

#include "posix/file_descriptor.h"

#include <QString>

namespace drover::app {

// The id of a worker that is given none: the host and a number. The spool keeps it (`ids/<id>`, an empty file), so a
// worker that is started again has it again, with its cordon. A lock on that file keeps other workers of the spool from
// it: each of them has an id of its own. Where the file cannot be made, the number is that of this process.
class KeptWorkerId
{
public:
    // Blocks on the file system.
    explicit KeptWorkerId(const QString &spool);

    const QString &id() const { return m_id; }

private:
    bool take(const QString &folder, const QString &id);

    QString m_id;
    posix::FileDescriptor m_lock; // held as long as the worker runs
};

} // namespace drover::app
