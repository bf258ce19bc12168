#include "app/environment/revocation_list.h"

#include "app/cli/output.h"
#include "app/environment/or_denied.h"
#include "recipes/blocks/persistent.h"

namespace drover::app {

namespace {

bool isList(trust::TrustStore known, const QByteArray &line)
{
    try {
        known.revoke(line);
    } catch (const trust::Outdated &) {
    } catch (const trust::Untrusted &) {
        return false;
    }
    return true;
}

} // namespace

RevocationList::RevocationList(const QString &rootKeyFile, QByteArray clusterId)
    : m_kept(rootKeyFile + QStringLiteral(".revocations"), std::move(clusterId))
{
}

trust::TrustStore RevocationList::known(trust::Anchors anchors) const
{
    trust::TrustStore known(std::move(anchors));
    const QByteArrayList lines = orDenied([this] { return m_kept.read(); });
    for (const QByteArray &line : lines) {
        try {
            known.revoke(line);
        } catch (const trust::Untrusted &) { // of a root key that was replaced: its successor is kept as well
        }
    }
    return known;
}

async::Task<trust::Revocations> RevocationList::add(jobs::Cluster cluster, const trust::Issuer &issuer,
                                                    std::set<QByteArray> serials,
                                                    std::optional<jobs::AuditNote> note) const
{
    jobs::EarlierRevocations earlier;
    earlier.lines = orDenied([this] { return m_kept.read(); });
    co_return co_await write(cluster, issuer, std::move(serials), std::move(note), std::move(earlier));
}

async::Task<RevocationList::Mended> RevocationList::mend(jobs::Cluster cluster, const trust::Issuer &issuer,
                                                         std::set<QByteArray> serials,
                                                         std::optional<jobs::AuditNote> note) const
{
    jobs::EarlierRevocations earlier;
    earlier.lines = orDenied([this] { return m_kept.read(); });
    earlier.replacesForeign = true;
    const zk::Answer<zk::Node> node = co_await recipes::Persistent(cluster.zk).get(cluster.layout.revocations());
    const trust::TrustStore kept = known(issuer.anchors());
    Mended mended;
    mended.isFromNothing = !kept.hasRevocations() && !(node.ok() && isList(kept, node->data));
    if (mended.isFromNothing)
        earlier.leastNumber = std::chrono::duration_cast<std::chrono::seconds>(cluster.zk.loop().wallClock()).count();
    const trust::Revocations list =
        co_await write(cluster, issuer, std::move(serials), std::move(note), std::move(earlier));
    mended.list = list;
    co_return mended;
}

async::Task<trust::Revocations> RevocationList::write(jobs::Cluster cluster, const trust::Issuer &issuer,
                                                      std::set<QByteArray> serials, std::optional<jobs::AuditNote> note,
                                                      jobs::EarlierRevocations earlier) const
{
    const trust::Revocations list =
        co_await jobs::revoke(cluster, issuer, std::move(serials), std::move(note), std::move(earlier));
    try {
        m_kept.keep(issuer.sign(list));
    } catch (const trust::BadCredentials &error) { // the list is published all the same
        Output::message(QStringLiteral("the list of the revoked is published, but not kept beside the root key: %1")
                            .arg(QString::fromUtf8(error.what())));
    }
    co_return list;
}

} // namespace drover::app
