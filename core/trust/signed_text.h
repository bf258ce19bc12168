#pragma once

#include "trust/key.h"

namespace drover::trust {

// What a signature is for. A text that was signed for one purpose, or in one cluster, means nothing in another.
enum class Purpose {
    Certificate,
    Revocations,
    Job,
    Schedule,
    Renewal,
    KeyRequest,
    Audit,
};

// A text and its signature. What is signed are the bytes
//
//     "drover <purpose> 1" NUL <cluster id> NUL <text>
//
// The text is verified as it came, before it is decoded. So no two encodings of one value have to agree.
struct SignedText {
    QByteArray text;
    QByteArray signature; // bytes, not base64

    static QByteArray messageOf(Purpose purpose, const QByteArray &clusterId, const QByteArray &text);

    static SignedText sign(const SigningKey &key, Purpose purpose, const QByteArray &clusterId, QByteArray text);
    bool isSignedBy(const PublicKey &key, Purpose purpose, const QByteArray &clusterId) const;

    // One line: the signature in base64, a space, the text. A text must not contain a line break.
    QByteArray toLine() const;
    // Throws Untrusted. One line break at the end is left out.
    static SignedText fromLine(const QByteArray &line);
};

} // namespace drover::trust
