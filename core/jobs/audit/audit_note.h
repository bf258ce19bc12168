#pragma once

#include "jobs/audit/audit_entry.h"
#include "jobs/model/cluster.h"
#include "zk/transaction.h"

namespace drover::jobs {

// The entry of one change, ready to be created. In a closed cluster it is signed, which takes some 20 us. Make one for
// each change that is asked for, and use it for every attempt at that change: its node tells whether one has succeeded.
class AuditNote
{
public:
    AuditNote(const Cluster &cluster, AuditAction action, const QString &target, const QString &detail = {});

    const zk::Path &path() const { return m_path; }
    const QByteArray &data() const { return m_data; }

private:
    zk::Path m_path;
    QByteArray m_data;
};

// Commits a change together with its note, so neither is ever there without the other. A note that is missing is not
// created; then this is a plain commit.
//
// Waits out lost connections. After a lost reply it sends the transaction again. If that is refused although the note
// exists, an earlier attempt has succeeded, and so has this call. Otherwise the answer is that of the change alone; its
// results end with that of the note. Throws SessionLost and AccessDenied.
async::Task<zk::Answer<zk::Committed>> commitNoted(Cluster cluster, zk::Transaction change,
                                                   std::optional<AuditNote> note);

} // namespace drover::jobs
