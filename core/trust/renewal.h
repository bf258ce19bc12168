#pragma once

#include "trust/credentials.h"

namespace drover::trust {

// One step by which a holder's credentials follow a change of the cluster's root key and passwords. It comes through
// ZooKeeper as a line that a root key has signed. The passwords in it are sealed to the holder's key, so others who
// read the line learn nothing. Its text is
//
//     {"v":1, "number":1, "serial":"<of the holder>", "roots":["<public key>", ...], "certificate":"<signed line>",
//      "identities":{...}, "former_identities":{...}, "sealed":"<passwords>"}
//
// The first step adds a root and passwords, and the old root signs it. The second takes the old ones away, and the new
// root signs it. If the change is abandoned, the second takes the new ones away, and the old root signs it. A node
// holds the lines of the last steps, one below the other. So a holder who was away for both takes them one after the
// other.
struct Renewal {
    static constexpr qsizetype MaxSize = 64 * 1024; // bytes of a node
    static constexpr int MostLines = 8; // of a node

    qint64 number = 0; // grows with each step
    std::vector<PublicKey> roots{};
    QByteArray certificate{}; // signed by one of them
    Identities identities{};
    Identities formerIdentities{};
    Passwords passwords{};
    Passwords formerPasswords{};

    QByteArray signedBy(const SigningKey &root, const Certificate &holder) const;
};

// The node's text with this line, in the order of the steps. A line of the same step is replaced, and the oldest go.
QByteArray withLine(const QByteArray &node, const QByteArray &line);

// Takes the steps that these credentials have not seen yet. Returns whether there were any. Throws Untrusted, and
// changes nothing, if none of the lines is signed by a root that they believe, or one does not fit them.
bool takeRenewals(Credentials &mine, const QByteArray &node);

// The two steps for an administrator's own credentials.
void addNewSecrets(Credentials &administrator, const PublicKey &newRoot);
void dropFormerSecrets(Credentials &administrator, const SigningKey &newRoot);
// The second step if the change is abandoned: what was there before the first is there again.
void dropNewSecrets(Credentials &administrator, const SigningKey &oldRoot);

} // namespace drover::trust
