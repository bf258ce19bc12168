#pragma once

#include "trust/credentials.h"

namespace drover::trust {

// The private half of a cluster's root key. Its file signs certificates and revocations and is needed for nothing else,
// so it can be kept offline. Its JSON is
//
//     {"v":1, "cluster":"default", "id":"<cluster id>", "root":"<private key>"}
struct RootKey {
    QByteArray cluster{}; // its name
    QByteArray clusterId{};
    SigningKey key = SigningKey::generate();

    QByteArray encode() const;
    static RootKey decode(const QByteArray &bytes); // throws BadCredentials, without a file's name

    // Both block on the file system and throw BadCredentials. read() refuses what readPrivateFile() refuses. write()
    // creates the file, or replaces it at once, with mode 0600.
    static RootKey read(const QString &path);
    void write(const QString &path) const;
};

// Names of people and machines in certificates: 1 to 64 letters, digits and . _ @ -, beginning with a letter or a
// digit. So a name is safe in a file name and on a terminal.
bool isHolderName(const QString &name);
inline constexpr char HolderNameRule[] =
    "use 1 to 64 letters, digits, '.', '_', '@' and '-', beginning with a letter or a digit";

// What a new certificate is to say.
struct Grant {
    QString name; // isHolderName()
    Roles roles{};
    QByteArrayList queues{}; // empty: all
    QStringList runAs{}; // empty: only the worker's own user
    std::chrono::seconds notBefore{}; // Unix epoch
    std::chrono::seconds notAfter{}; // Unix epoch; 0: it never ends
};

// Makes credentials of one cluster. It needs the root key for the certificates, and an administrator's credentials for
// the passwords of the roles. Only these credentials hold the passwords of all roles.
class Issuer
{
public:
    // A new cluster: its id, root key, and a password of each role.
    static Issuer found(QByteArray cluster, QString servers);

    // Throws BadCredentials if the administrator does not believe this root key, as that of another cluster.
    Issuer(RootKey root, const Credentials &administrator);

    const RootKey &root() const { return m_root; }
    const Anchors &anchors() const { return m_anchors; }
    const Identities &identities() const { return m_identities; }

    // New credentials with a key and a serial of their own. They have the passwords of their roles, and an
    // administrator's have all passwords. Throws BadCredentials if the password of a role is not known, or for a name
    // that isHolderName() refuses.
    Credentials issue(const Grant &grant) const;

    QByteArray sign(const Revocations &revocations) const; // one signed line

    // The line for the holder of a certificate (renewal.h). It has this issuer's roots, the passwords of the holder's
    // roles, and the certificate as this root key signs it.
    QByteArray renewalFor(const Certificate &holder, qint64 number) const;

private:
    explicit Issuer(RootKey root);

    RootKey m_root;
    QString m_servers;
    Anchors m_anchors;
    Passwords m_passwords;
    Identities m_identities;
    Passwords m_formerPasswords;
    Identities m_formerIdentities;
    qint64 m_renewal = 0;
};

} // namespace drover::trust
