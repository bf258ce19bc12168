#include "trust/trust_store.h"

#include <algorithm>

namespace drover::trust {

const Certificate *TrustStore::find(const QByteArray &serial) const
{
    const auto it = m_certificates.find(serial);
    return it == m_certificates.end() ? nullptr : &it->second;
}

const Certificate &TrustStore::add(const QByteArray &line)
{
    if (line.size() > Certificate::MaxSize)
        throw Untrusted(QStringLiteral("malformed certificate: too long"));
    Certificate certificate = Certificate::decode(verified(line, Purpose::Certificate).text);
    if (certificate.clusterId != m_anchors.clusterId)
        throw Untrusted(QStringLiteral("the certificate is of another cluster"));

    const QByteArray serial = certificate.serial;
    if (!m_certificates.contains(serial)) {
        if (m_order.size() == MaxCertificates) {
            m_certificates.erase(m_order.front());
            m_order.erase(m_order.begin());
        }
        m_order.push_back(serial);
    }
    return m_certificates[serial] = std::move(certificate);
}

void TrustStore::revoke(const QByteArray &line)
{
    Revocations revocations = Revocations::decode(verified(line, Purpose::Revocations).text);
    m_revocations.serials.merge(revocations.serials);
    if (revocations.number < leastRevocations())
        throw Outdated(QStringLiteral("the revocation list is older than one that was seen before"));
    m_revocations.number = revocations.number;
    m_hasRevocations = true;
}

void TrustStore::adoptRevocations(const TrustStore &other)
{
    requireRevocations(other.leastRevocations());
    m_revocations = other.m_revocations;
    m_hasRevocations = other.m_hasRevocations;
}

void TrustStore::require(const Certificate &certificate, const Roles &oneOf, std::chrono::seconds now) const
{
    const QString &name = certificate.name;
    if (m_revocations.serials.contains(certificate.serial))
        throw Untrusted(QStringLiteral("the certificate of %1 is revoked").arg(name));
    if (now < certificate.notBefore)
        throw Untrusted(QStringLiteral("the certificate of %1 is not valid yet").arg(name));
    if (certificate.notAfter.count() > 0 && now >= certificate.notAfter)
        throw Untrusted(QStringLiteral("the certificate of %1 has expired").arg(name));
    const bool hasRole =
        std::any_of(oneOf.begin(), oneOf.end(), [&](Role role) { return certificate.roles.contains(role); });
    if (!hasRole)
        throw Untrusted(QStringLiteral("%1 lacks the role for it").arg(name));
}

SignedText TrustStore::verified(const QByteArray &line, Purpose purpose) const
{
    SignedText text = SignedText::fromLine(line);
    const bool isTrue = std::any_of(m_anchors.roots.begin(), m_anchors.roots.end(), [&](const PublicKey &root) {
        return text.isSignedBy(root, purpose, m_anchors.clusterId);
    });
    if (!isTrue)
        throw Untrusted(purpose == Purpose::Certificate
                            ? QStringLiteral("the certificate is not signed by the cluster's root key")
                            : QStringLiteral("the revocation list is not signed by the cluster's root key"));
    return text;
}

} // namespace drover::trust
