#pragma once

#include "trust/certificate.h"
#include "trust/revocations.h"

#include <map>
#include <vector>

namespace drover::trust {

// What a process pins: the cluster, and the root keys whose certificates it believes. There are two roots while a root
// key is replaced. Everything else comes through ZooKeeper and is checked against these.
struct Anchors {
    QByteArray clusterId;
    std::vector<PublicKey> roots;
};

// The certificates and revocations that a process has verified. Not thread-safe. Each function that throws Untrusted
// changes nothing, unless it says so.
class TrustStore
{
public:
    // Certificates that are kept; the least recently added go first.
    static constexpr std::size_t MaxCertificates = 10'000;

    explicit TrustStore(Anchors anchors) : m_anchors(std::move(anchors)) { }

    const Anchors &anchors() const { return m_anchors; }
    const Revocations &revocations() const { return m_revocations; }

    // The certificate with this serial; null if add() has not had it.
    const Certificate *find(const QByteArray &serial) const;

    // Verifies a root's signature and the cluster, and keeps the certificate. Dates and revocation are left to
    // require(), because they change. Throws Untrusted.
    const Certificate &add(const QByteArray &line);

    // Verifies a root's signature and takes the list over. Who was revoked once stays so: later lists only add to it. A
    // list with a lower number than the last one adds to it as well, and throws Outdated. Throws Untrusted.
    void revoke(const QByteArray &line);
    // Whether there was a list that was taken over. Without one it is unknown who is revoked.
    bool hasRevocations() const { return m_hasRevocations; }
    // The number below which lists are refused: that of the last list which this machine has seen.
    void requireRevocations(qint64 number) { m_leastNumber = std::max(m_leastNumber, number); }

    // Takes over what another store of the cluster has verified.
    void adoptRevocations(const TrustStore &other);

    qint64 leastRevocations() const { return std::max(m_leastNumber, m_revocations.number); }

    // Throws Untrusted if the certificate does not have one of the roles at this time (Unix epoch), or is revoked.
    void require(const Certificate &certificate, const Roles &oneOf, std::chrono::seconds now) const;

private:
    SignedText verified(const QByteArray &line, Purpose purpose) const;

    Anchors m_anchors;
    Revocations m_revocations;
    qint64 m_leastNumber = 0;
    bool m_hasRevocations = false;
    std::map<QByteArray, Certificate> m_certificates;
    std::vector<QByteArray> m_order; // serials as they were added
};

} // namespace drover::trust
