#pragma once

#include "jobs/model/cluster.h"
#include "trust/issuer.h"

#include <QStringList>

#include <vector>

namespace drover::jobs {

// Replaces the root key of a closed cluster and the passwords of all roles while it works. `drover key rotate --root`
// (app/trust/new_root.h) takes these steps. Each may be repeated, and is after a lost reply.
//
// The beginning. Programs that have not heard of it go on as before.
//
//  1. The new root key is in a file. If the process stops, the next call finds it there.
//  2. claimRotation(): the node `renewals` names it. Of two administrators who begin at once the second is refused, and
//     has changed nothing.
//  3. The administrator's credentials get the new root and passwords beside the old ones, and are written. If the
//     process stops before, none of the new passwords has been used.
//  4. publishRenewals(): each valid certificate gets a line (trust/renewal.h), signed by the old root. Workers take it
//     at once, other programs when they begin.
//  5. addIdentities() (close_tree.h): ACLs name the new identities as well. Nodes that are made meanwhile by those who
//     know only the former ones name only these, which all still have.
//
// The end. Programs that have not heard of the beginning are left behind, until they read their two lines.
//
//  1. workersBehind() is empty, or the administrator insists.
//  2. publishAnew() for each certificate, and revoke(): the new root signs what the old one has signed, word for word.
//     So signed jobs that wait are run as before: their signatures are their people's, and the serials stay.
//  3. publishRenewals(): a second line, signed by the new root, takes the old root and passwords away.
//  4. replaceIdentities(): ACLs name the new identities alone. Workers have taken the second line by then, so they make
//     no more nodes that name the former ones.
//  5. The files of administrator and root key are replaced. Until then the step can be repeated.
//  6. releaseRotation().
//
// claimRotation() and releaseRotation() are noted in the audit.

// What the node `renewals` says while it lasts. It has no signature, so no root key is believed because of it.
struct RootRotation {
    trust::PublicKey newRoot{};
    trust::Identities formerIdentities{};
    QString by{}; // the administrator's name

    QByteArray encode() const;
    static std::optional<RootRotation> decode(const QByteArray &bytes); // nothing: none is under way
};

// Nothing: no root key is being replaced.
async::Task<std::optional<RootRotation>> presentRotation(Cluster cluster);
// Returns the one that is under way: this one, or what an earlier call of it has claimed. Throws WrongState if another
// new root key is there.
async::Task<RootRotation> claimRotation(Cluster cluster, RootRotation rotation);
// Does nothing if that one is not under way, for a lost reply has ended it, or another administrator begun the next.
async::Task<void> releaseRotation(Cluster cluster, RootRotation rotation);

// The published certificates that a root signs, that are not over and not revoked. Throws Untrusted.
async::Task<std::vector<trust::Certificate>> presentHolders(Cluster cluster, trust::Anchors anchors);

// One line for each of them. `issuer` must outlive the task.
async::Task<void> publishRenewals(Cluster cluster, const trust::Issuer &issuer, std::vector<trust::Certificate> holders,
                                  qint64 number);

// The ids of the workers that have not taken the step of this number.
async::Task<QStringList> workersBehind(Cluster cluster, qint64 number);

} // namespace drover::jobs
