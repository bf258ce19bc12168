#pragma once

#include "trust/signed_text.h"

#include <set>

namespace drover::trust {

// The certificates that are no longer valid, signed by a root key. `number` grows with each change. A process that has
// seen a list refuses one with a lower number, so a tree that was rolled back is noticed.
struct Revocations {
    qint64 number = 0;
    std::set<QByteArray> serials;

    QByteArray encode() const; // the text that is signed: one line of JSON
    static Revocations decode(const QByteArray &text); // throws Untrusted

    QByteArray signedBy(const SigningKey &root, const QByteArray &clusterId) const; // one signed line
};

} // namespace drover::trust
