#pragma once

#include "jobs/audit/audit_note.h"
#include "trust/issuer.h"

#include <optional>
#include <vector>

namespace drover::jobs {

// The certificates and the revocation list of a closed cluster, in its znodes. Both are signed by the root key, so
// ZooKeeper only carries them: each reader verifies them with its own TrustStore, which must outlive the task. All
// functions wait out lost connections and throw SessionLost and AccessDenied.

// Publishes the certificate of these credentials, for those who verify what its holder signs. Safe to repeat. Throws
// Untrusted if another certificate has its serial. `note` is for the audit, if an administrator adds a user.
async::Task<void> publishCertificate(Cluster cluster, const trust::Credentials &credentials,
                                     std::optional<AuditNote> note = std::nullopt);

// The certificate with that serial, from `known`, or read and added to it. Throws Untrusted if there is none, and what
// TrustStore::add() throws. Dates and revocation are left to TrustStore::require().
async::Task<trust::Certificate> certificateOf(Cluster cluster, trust::TrustStore &known, QByteArray serial);

struct PublishedCertificate {
    QByteArray serial; // the node's name
    std::optional<trust::Certificate> certificate;
    QString untrusted; // why `certificate` is missing: another program has written there
};

// Lists the published certificates by serial. It adds them to `known`, up to the limit of that store.
async::Task<std::vector<PublishedCertificate>> readCertificates(Cluster cluster, trust::TrustStore &known);

// Takes the published revocation list over. Throws Untrusted if the list is older than one that `known` has seen, or is
// missing. Each closed cluster has one, so a missing list says nothing of who is revoked.
async::Task<void> readRevocations(Cluster cluster, trust::TrustStore &known);

// The node of trust::Renewal lines for the holder of a certificate; empty if there is none, or it may not be read.
async::Task<QByteArray> readRenewals(Cluster cluster, QByteArray serial);

// Adds a line of trust::Renewal for the holder of that certificate, in the place of one of the same step.
async::Task<void> publishRenewal(Cluster cluster, QByteArray serial, QByteArray line);

// Signs a published certificate anew, with the issuer's root key. Nothing but the signature changes. Safe to repeat.
async::Task<void> publishAnew(Cluster cluster, trust::Certificate certificate, const trust::Issuer &issuer);

// What is known of revocations beside the published list.
struct EarlierRevocations {
    QByteArrayList lines{}; // signed lists that were seen before (trust/kept_revocations.h)
    qint64 leastNumber = 0; // the new list's number is greater
    bool replacesForeign = false; // also what no root key has signed, in the place of the list
};

// Adds these serials to the revocation list and returns the new one. It revokes what the published list or one of
// `earlier` revokes, and has a greater number than they have. So no person comes back if the published one was deleted
// or rolled back. `issuer` must outlive the task. Concurrent changes are applied one after the other. Safe to repeat: a
// list that has all that already, and is signed by the issuer's key, is left as it is. Throws Untrusted if the
// published list is not a root key's, unless `earlier` says otherwise. `note` is for the audit.
async::Task<trust::Revocations> revoke(Cluster cluster, const trust::Issuer &issuer, std::set<QByteArray> serials,
                                       std::optional<AuditNote> note = std::nullopt, EarlierRevocations earlier = {});

} // namespace drover::jobs
