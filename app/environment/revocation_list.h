#pragma once

#include "jobs/cluster/cluster_trust.h"
#include "trust/kept_revocations.h"

namespace drover::app {

// The revocation list as the holder of the root key sees it: the published one, and those that are kept. They are in
// FILE.revocations, beside the root key's FILE, so they outlive a tree that is rolled back or deleted.
class RevocationList
{
public:
    RevocationList(const QString &rootKeyFile, QByteArray clusterId);

    // What this cluster's administrators believe, and what they have revoked, as far as it is kept here. So a published
    // list that is older is refused. Blocks on the file system. Throws CommandError (Denied).
    trust::TrustStore known(trust::Anchors anchors) const;

    // jobs::revoke() on top of what is kept. The new list is kept, too. Throws CommandError (Denied), and
    // trust::Untrusted as jobs::revoke() does. The issuer must outlive the task.
    async::Task<trust::Revocations> add(jobs::Cluster cluster, const trust::Issuer &issuer,
                                        std::set<QByteArray> serials,
                                        std::optional<jobs::AuditNote> note = std::nullopt) const;

    // As add(), also where the published list is missing or no root key's. If nothing is kept either, the new list gets
    // the number of seconds since the Unix epoch. The cluster can have had no greater one.
    struct Mended {
        trust::Revocations list;
        bool isFromNothing = false; // no earlier list was known: what it revoked is not
    };
    async::Task<Mended> mend(jobs::Cluster cluster, const trust::Issuer &issuer, std::set<QByteArray> serials,
                             std::optional<jobs::AuditNote> note) const;

private:
    async::Task<trust::Revocations> write(jobs::Cluster cluster, const trust::Issuer &issuer,
                                          std::set<QByteArray> serials, std::optional<jobs::AuditNote> note,
                                          jobs::EarlierRevocations earlier) const;

    trust::KeptRevocations m_kept;
};

} // namespace drover::app
