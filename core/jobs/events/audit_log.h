#pragma once

#include "jobs/audit/audit_entry.h"
#include "jobs/model/cluster.h"

#include <vector>

namespace drover::jobs {

// An entry of the audit, and whether it is proven who made it.
struct AuditRecord {
    AuditEntry entry{};
    std::chrono::milliseconds at{}; // when ZooKeeper created it, Unix epoch
    zk::Zxid zxid = 0; // the transaction that made the change
    QByteArray serial{}; // of the certificate that the entry names; empty: none
    QString unproven{}; // why `entry.by` is not proven; empty: its key has signed this entry for this cluster

    bool isProven() const { return unproven.isEmpty(); }
};

// Reads the entries, oldest first. Of an entry that cannot be read, `entry` has the id alone. Entries are proven with
// the cluster's credentials: a certificate of a root that they pin, which is not revoked. Waits out lost connections;
// throws SessionLost and AccessDenied.
async::Task<std::vector<AuditRecord>> readAudit(Cluster cluster);

} // namespace drover::jobs
