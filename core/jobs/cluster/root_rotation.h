#pragma once

#include "jobs/model/cluster.h"
#include "trust/issuer.h"

#include <QStringList>

#include <vector>

namespace drover::jobs {

// Replaces the root key of a closed cluster and the passwords of all roles while it works. `drover key rotate --root`
// (app/trust/new_root.h) takes these steps. Each may be repeated, and is after a lost reply.
//
// The beginning. Programs that do not know it go on as before.
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
// The end. Programs that do not know the beginning are left behind, until they read their two lines.
//
//  1. workersBehind() is empty, or the administrator insists. chooseEnd(): from now on it cannot be abandoned.
//  2. publishAnew() for each certificate, and revoke(): the new root signs what the old one has signed, word for word.
//     So signed jobs that wait are run as before: their signatures are their people's, and the serials stay.
//  3. publishRenewals(): a second line, signed by the new root, takes the old root and passwords away.
//  4. replaceIdentities(): ACLs name the new identities alone. Workers have taken the second line by then, so they make
//     no more nodes that name the former ones.
//  5. The files of administrator and root key are replaced. Until then the step can be repeated.
//  6. releaseRotation().
//
// It is abandoned instead (`--abandon`) if the new root key is lost, or may be stolen. That needs the old
// root key alone. All programs go on, for the old passwords are valid all the time.
//
//  1. chooseEnd(): of an end and an abandonment at once the second is refused. The node says which step takes the new
//     root key and passwords away, and their identities, so that the next call can go on.
//  2. revoke(): the old root signs the revocation list, and publishRenewals() a line that takes them away. Certificates
//     that only the new root signs are worth nothing.
//  3. replaceIdentities(): ACLs name the old identities alone. A beginning that still goes on finds itself abandoned
//     after its last step, also when all this is over, and does the same.
//  4. The administrator's credentials are replaced. releaseRotation().
//
// claimRotation() and releaseRotation() are noted in the audit.

// What the node `renewals` says while it lasts. It has no signature, so no root key is believed because of it.
struct RootRotation {
    enum class End {
        Open, // no end has begun
        Finished,
        Abandoned,
    };

    trust::PublicKey newRoot{};
    trust::Identities formerIdentities{};
    QString by{}; // the administrator's name
    End end = End::Open; // what has begun
    qint64 lastStep = 0; // Abandoned: the number of the renewal that takes the new secrets away
    trust::Identities newIdentities{}; // Abandoned: what ACLs name no longer; empty: they do not name them yet

    QByteArray encode() const;
    static std::optional<RootRotation> decode(const QByteArray &bytes); // nothing: none is under way
};

// Nothing: no root key is being replaced.
async::Task<std::optional<RootRotation>> presentRotation(Cluster cluster);
// Returns the one that is under way: this one, or what an earlier call of it has claimed. Throws WrongState if another
// new root key is there, or the end of this one has begun.
async::Task<RootRotation> claimRotation(Cluster cluster, RootRotation rotation);
// Writes how the rotation ends, before anything changes for it. Returns what an earlier call has written of the same
// end. Throws WrongState if the other end has begun, or that rotation is not under way.
async::Task<RootRotation> chooseEnd(Cluster cluster, RootRotation rotation);
// Does nothing if that one is not under way, for a lost reply has ended it, or another administrator begun the next.
async::Task<void> releaseRotation(Cluster cluster, RootRotation rotation);

// The published certificates that a root signs, that are not over and not revoked. Throws Untrusted, also if the
// revocation list is missing or older than the one that `known` has: revoked people would get the new secrets.
async::Task<std::vector<trust::Certificate>> presentHolders(Cluster cluster, trust::TrustStore known);

// One line for each of them. `issuer` must outlive the task.
async::Task<void> publishRenewals(Cluster cluster, const trust::Issuer &issuer, std::vector<trust::Certificate> holders,
                                  qint64 number);

// The ids of the workers that have not taken the step of this number.
async::Task<QStringList> workersBehind(Cluster cluster, qint64 number);

} // namespace drover::jobs
