#pragma once

#include "trust/role.h"
#include "trust/signed_text.h"

#include <QByteArrayList>
#include <QStringList>

#include <chrono>

namespace drover::trust {

// What the root key says of another key: whose it is, and what it may do. A certificate is signed by a root key and by
// nothing else: there are no chains.
struct Certificate {
    static constexpr qsizetype MaxSize = 16 * 1024; // bytes of a line

    QByteArray clusterId{}; // ClusterIdSize hex digits
    QByteArray serial{}; // SerialSize hex digits; the name of its znode
    QString name{}; // of a person or a machine
    PublicKey key{};
    Roles roles{};
    QByteArrayList queues{}; // the queues that it may submit to; empty: all
    QStringList runAs{}; // the users that its jobs may run as; empty: only the worker's own
    std::chrono::seconds notBefore{}; // Unix epoch
    std::chrono::seconds notAfter{}; // Unix epoch; 0: it never ends

    static constexpr qsizetype ClusterIdSize = 32;
    static constexpr qsizetype SerialSize = 32;
    static QByteArray newClusterId() { return randomHex(ClusterIdSize / 2); }
    static QByteArray newSerial() { return randomHex(SerialSize / 2); }

    static bool isSerial(const QByteArray &text); // so it is safe in a path

    bool maySubmitTo(const QByteArray &queue) const { return queues.isEmpty() || queues.contains(queue); }

    QByteArray encode() const; // the text that is signed: one line of JSON
    static Certificate decode(const QByteArray &text); // throws Untrusted

    // The certificate as one signed line, as credentials files and znodes hold it.
    QByteArray signedBy(const SigningKey &root) const;
};

} // namespace drover::trust
