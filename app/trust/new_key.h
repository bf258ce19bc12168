#pragma once

#include "app/trust/administrator.h"

namespace drover::app {

// A new key and certificate for the holder of credentials, beside the old ones, which stay valid until their end.
//
//  1. The new key is written to FILE.next, beside the credentials. If the process stops, the next call goes on with it.
//  2. A certificate of it is published: certify(). It says what the old one says, and lasts as long from now on. Only
//     who has the root key can make it: the holder, or the administrator who gets the holder's request. After a lost
//     reply, and in the next call, the published one is found by its key.
//  3. FILE gets the new key and certificate in one step.
//  4. FILE.next is deleted. If the process stops before, the next call finds FILE's own key there, and makes another.
//
// A new key is abandoned by deleting FILE.next: abandon(). A certificate of it that is published already is left to an
// administrator.
//
// Of two calls at once for one FILE, the last to write it wins. What it writes is a key with its certificate.
class NewKey
{
public:
    // Deletes FILE.next. False: there is no key that FILE does not have. Blocks on the file system. Throws CommandError
    // (Error).
    static bool abandon(const trust::Credentials &present, const QString &file);

    // Reads FILE.next, or makes it. Blocks on the file system. Throws CommandError (Denied).
    NewKey(const trust::Credentials &present, QString file);

    trust::PublicKey publicKey() const { return m_key.publicKey(); }

    // Steps 3 and 4. Throws CommandError (Denied).
    void use(const trust::Credentials &present, const QByteArray &certificate);

private:
    QString m_file;
    trust::SigningKey m_key;
};

// What the holder asks an administrator for: one word, signed with the old key.
struct KeyRequestText {
    trust::SignedText text;
    QByteArray serial{}; // of the present certificate
    trust::PublicKey newKey{};

    static KeyRequestText sign(const trust::Credentials &present, const trust::PublicKey &newKey);
    QByteArray word() const;
    // Verifies nothing. Throws trust::Untrusted for what is no such word.
    static KeyRequestText parse(const QByteArray &word);
};

struct KeyRequest {
    trust::Certificate holder;
    trust::PublicKey newKey;
};
// Throws CommandError (Denied) for a word that no holder of a valid certificate has signed.
async::Task<KeyRequest> readRequest(jobs::Cluster cluster, trust::TrustStore known, QByteArray word);

// The published certificate of that key which says what the holder's says, as a signed line; empty: there is none.
// Throws CommandError (Denied) if each such certificate is revoked. So it does if the revocation list is missing, or
// older than what `known` has.
async::Task<QByteArray> publishedFor(jobs::Cluster cluster, trust::TrustStore known, KeyRequest request);
// As publishedFor(); it is made and published if there is none. The administrator must outlive the task.
async::Task<QByteArray> certify(const Administrator &administrator, KeyRequest request);
// Revokes the certificate of the old key. certify() and this are noted in the audit, by the cluster's credentials.
async::Task<void> revokeOld(jobs::Cluster cluster, const Administrator &administrator, trust::Certificate old);

} // namespace drover::app
