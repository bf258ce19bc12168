#pragma once

#include "trust/errors.h"

#include <QByteArrayList>

namespace drover::trust {

// The revocation lists that a machine has seen, in a file beside what they protect: a worker's spool, or an
// administrator's root key. So a list that is deleted, rolled back or made anew in ZooKeeper brings no one back, also
// after a restart.
//
// A line is "<cluster id> <the list as it was signed>". A list goes when a later one of its cluster names all that it
// names. There are several if two administrators have published lists without knowing of each other's. Nothing here is
// verified: who reads verifies, and who keeps has verified. Who may write the file can delete it, and forge nothing.
//
// All functions block on the file system. Any number of processes may use the file: a change is made under a lock, and
// replaces the file in one step.
class KeptRevocations
{
public:
    KeptRevocations(QString path, QByteArray clusterId);

    const QString &path() const { return m_path; }

    // The signed lines of this cluster, the oldest first; none without a file. Throws BadCredentials if it cannot be
    // read.
    QByteArrayList read() const;

    // Adds a verified line, unless the kept ones name all that it names and one has its number. Throws BadCredentials
    // if the file cannot be written, and Untrusted for what is no list.
    void keep(const QByteArray &line) const;

private:
    QByteArrayList allLines() const;

    QString m_path;
    QByteArray m_clusterId;
};

} // namespace drover::trust
