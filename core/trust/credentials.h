#pragma once

#include "trust/trust_store.h"

#include <map>

namespace drover::trust {

// The digest identities of a cluster's roles, as ZooKeeper's ACLs name them: "drover-<cluster>-<role>:<hash>". They
// are no secrets: each client needs all of them, to set the ACLs of the nodes that it creates.
using Identities = std::map<Role, QByteArray>;

// What a person or a machine has to join a closed cluster: one file, for its owner's eyes alone. Its JSON is
//
//     {"v":1, "cluster":"default", "id":"<cluster id>", "servers":"zk1:2181,zk2:2181", "roots":["<public key>"],
//      "key":"<private key>", "certificate":"<signed line>",
//      "passwords":{"submit":"<password>"}, "identities":{"viewer":"<user>:<hash>", ...}}
struct Credentials {
    QByteArray cluster{}; // its name
    QString servers{}; // a connect string; empty: not known
    Anchors anchors{};
    SigningKey key = SigningKey::generate();
    QByteArray certificate{}; // a signed line, of `key`
    std::map<Role, QByteArray> passwords{}; // digest passwords of the roles that it has
    Identities identities{}; // of all roles

    QByteArray encode() const;
    // Checks the certificate's signature, cluster and key, but not its dates. Throws BadCredentials, without a file's
    // name.
    static Credentials decode(const QByteArray &bytes);

    // Blocks on the file system. Throws BadCredentials, also for a file that readPrivateFile() refuses.
    static Credentials read(const QString &path);
    // Creates the file, or replaces it at once, with mode 0600. Throws BadCredentials.
    void write(const QString &path) const;

    Certificate ownCertificate() const;

    // The user name and password of a role, for ZooKeeper's scheme "digest".
    QByteArray digestSecret(Role role) const; // "drover-<cluster>-<role>:<password>"; empty: not known
};

// A new password for ZooKeeper's digest scheme, 192 random bits, and the identity that ACLs name.
QByteArray newPassword();
QByteArray digestUser(const QByteArray &cluster, Role role); // "drover-default-submit"
QByteArray digestIdentity(const QByteArray &user, const QByteArray &password); // "user:base64(sha1(user:password))"

} // namespace drover::trust
