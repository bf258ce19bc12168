#include "jobs/cluster/root_rotation.h"

#include "jobs/audit/audit_note.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/cluster/members.h"
#include "jobs/model/errors.h"
#include "recipes/blocks/persistent.h"
#include "trust/role_json.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;

QByteArray RootRotation::encode() const
{
    return QJsonDocument(QJsonObject{{QStringLiteral("new_root"), QString::fromLatin1(newRoot.toText())},
                                     {QStringLiteral("former_identities"), trust::jsonByRole(formerIdentities)},
                                     {QStringLiteral("by"), by}})
        .toJson();
}

std::optional<RootRotation> RootRotation::decode(const QByteArray &bytes)
{
    const QJsonObject json = QJsonDocument::fromJson(bytes).object();
    const std::optional<trust::PublicKey> newRoot = trust::PublicKey::parse(json[u"new_root"].toString().toLatin1());
    if (!newRoot)
        return std::nullopt;
    RootRotation rotation{*newRoot, {}, json[u"by"].toString()};
    const QJsonObject identities = json[u"former_identities"].toObject();
    for (const trust::Role role : trust::AllRoles)
        rotation.formerIdentities[role] = identities[QString::fromLatin1(trust::roleName(role))].toString().toUtf8();
    return rotation;
}

namespace {

AuditNote noteOf(const Cluster &cluster, AuditAction action, const RootRotation &rotation)
{
    return {cluster, action, QStringLiteral("cluster"), QString::fromLatin1(rotation.newRoot.toText())};
}

// False: the node has changed.
async::Task<bool> write(Cluster cluster, QByteArray data, qint32 version, AuditNote note)
{
    zk::Transaction change;
    change.set(cluster.layout.renewals(), data, version);
    const Answer<zk::Committed> written = co_await commitNoted(cluster, change, note);
    co_return written.ok();
}

} // namespace

async::Task<std::optional<RootRotation>> presentRotation(Cluster cluster)
{
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.renewals());
    co_return node.ok() ? RootRotation::decode(node->data) : std::nullopt;
}

async::Task<RootRotation> claimRotation(Cluster cluster, RootRotation rotation)
{
    const zk::Path path = cluster.layout.renewals();
    const AuditNote note = noteOf(cluster, AuditAction::RootRotationBegun, rotation);
    for (;;) {
        co_await cluster.zk.ensurePath(path);
        const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(path);
        if (!node.ok())
            continue; // deleted meanwhile
        const std::optional<RootRotation> there = RootRotation::decode(node->data);
        if (there && there->newRoot == rotation.newRoot)
            co_return *there;
        if (there)
            throw WrongState(QStringLiteral("%1 is replacing the root key with another new one: end that first, with "
                                            "that file")
                                 .arg(there->by));
        const bool claimed = co_await write(cluster, rotation.encode(), node->stat.version, note);
        if (claimed)
            co_return rotation;
    }
}

async::Task<void> releaseRotation(Cluster cluster, RootRotation rotation)
{
    const AuditNote note = noteOf(cluster, AuditAction::RootRotationEnded, rotation);
    for (;;) {
        const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.renewals());
        const std::optional<RootRotation> there = node.ok() ? RootRotation::decode(node->data) : std::nullopt;
        if (!there || there->newRoot != rotation.newRoot)
            co_return;
        const bool released = co_await write(cluster, QByteArray(), node->stat.version, note);
        if (released)
            co_return;
    }
}

async::Task<std::vector<trust::Certificate>> presentHolders(Cluster cluster, trust::Anchors anchors)
{
    trust::TrustStore known(std::move(anchors));
    co_await readRevocations(cluster, known);
    const std::vector<PublishedCertificate> published = co_await readCertificates(cluster, known);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(cluster.zk.loop().wallClock());
    std::vector<trust::Certificate> holders;
    for (const PublishedCertificate &one : published) {
        const bool isOver =
            one.certificate && one.certificate->notAfter.count() > 0 && now >= one.certificate->notAfter;
        if (one.certificate && !isOver && !known.revocations().serials.contains(one.serial))
            holders.push_back(*one.certificate);
    }
    co_return holders;
}

async::Task<void> publishRenewals(Cluster cluster, const trust::Issuer &issuer, std::vector<trust::Certificate> holders,
                                  qint64 number)
{
    for (const trust::Certificate &holder : holders) {
        const QByteArray line = issuer.renewalFor(holder, number);
        co_await publishRenewal(cluster, holder.serial, line);
    }
}

async::Task<QStringList> workersBehind(Cluster cluster, qint64 number)
{
    const std::vector<StoredMember> members = co_await readMembers(cluster);
    QStringList behind;
    for (const StoredMember &member : members) {
        if (member.info && member.info->renewal < number)
            behind.append(member.info->id);
    }
    co_return behind;
}

} // namespace drover::jobs
