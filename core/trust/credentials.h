#pragma once

#include "trust/trust_store.h"

#include <map>

namespace drover::trust {

// The digest identities of a cluster's roles, as ZooKeeper's ACLs name them: "<role>:<hash>". They are no secrets: each
// client needs all of them, to set the ACLs of the nodes that it creates. The hash tells clusters apart. A user's name
// would tell it five times in each node's ACL, which servers encode letter by letter.
using Identities = std::map<Role, QByteArray>;
using Passwords = std::map<Role, QByteArray>;

// What a person or a machine has to join a closed cluster: one file, for its owner's eyes alone. Its JSON is
//
//     {"v":1, "cluster":"default", "id":"<cluster id>", "servers":"zk1:2181,zk2:2181", "roots":["<public key>"],
//      "key":"<private key>", "certificate":"<signed line>",
//      "passwords":{"submit":"<password>"}, "identities":{"viewer":"<user>:<hash>", ...}}
//
// While root key and passwords are replaced (renewal.h), "former_passwords" and "former_identities" are there as well,
// and "roots" has two. "renewal" is the number of the last step that the file has taken part in.
struct Credentials {
    QByteArray cluster{}; // its name
    QString servers{}; // a connect string; empty: not known
    Anchors anchors{};
    SigningKey key = SigningKey::generate();
    QByteArray certificate{}; // a signed line, of `key`
    Passwords passwords{}; // digest passwords of the roles that it has
    Identities identities{}; // of all roles
    Passwords formerPasswords{}; // valid as well, while passwords are replaced
    Identities formerIdentities{};
    qint64 renewal = 0; // the last Renewal::number

    QByteArray encode() const;
    // Checks the certificate's signature, cluster and key, but not its dates. Throws BadCredentials, without a file's
    // name.
    static Credentials decode(const QByteArray &bytes);

    // Blocks on the file system. Throws BadCredentials, also for a file that readPrivateFile() refuses.
    static Credentials read(const QString &path);
    // Creates the file, or replaces it at once, with mode 0600. Throws BadCredentials.
    void write(const QString &path) const;

    Certificate ownCertificate() const;

    Credentials copy() const;

    // "<user>:<password>" of a role, for ZooKeeper's scheme "digest". Its identity names the user. Empty: not known.
    QByteArray digestSecret(Role role) const;
    QByteArrayList digestSecrets() const; // of all its roles, former ones included
};

// A new password for ZooKeeper's digest scheme, 192 random bits, and the identity that ACLs name.
QByteArray newPassword();
QByteArray digestIdentity(const QByteArray &user, const QByteArray &password); // "user:base64(sha1(user:password))"

} // namespace drover::trust
