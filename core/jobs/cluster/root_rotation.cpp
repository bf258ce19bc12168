#include "jobs/cluster/root_rotation.h"

#include "jobs/audit/audit_note.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/cluster/members.h"
#include "jobs/model/errors.h"
#include "recipes/blocks/persistent.h"
#include "trust/role_json.h"

#include <QJsonDocument>
#include <QJsonObject>

#include <utility>

namespace drover::jobs {

using recipes::Persistent;
using zk::Answer;

namespace {

using End = RootRotation::End;

constexpr std::pair<End, QLatin1StringView> Ends[] = {{End::Finished, QLatin1StringView("finish")},
                                                      {End::Abandoned, QLatin1StringView("abandon")}};

// "finish"; empty: open.
QString nameOf(End end)
{
    for (const auto &[one, name] : Ends)
        if (one == end)
            return name;
    return {};
}

End endOf(const QString &text)
{
    for (const auto &[one, name] : Ends)
        if (name == text)
            return one;
    return End::Open;
}

trust::Identities identitiesOf(const QJsonObject &json)
{
    trust::Identities identities;
    for (const trust::Role role : trust::AllRoles)
        identities[role] = json[QString::fromLatin1(trust::roleName(role))].toString().toUtf8();
    return identities;
}

} // namespace

QByteArray RootRotation::encode() const
{
    return QJsonDocument(QJsonObject{{QStringLiteral("new_root"), QString::fromLatin1(newRoot.toText())},
                                     {QStringLiteral("former_identities"), trust::jsonByRole(formerIdentities)},
                                     {QStringLiteral("by"), by},
                                     {QStringLiteral("end"), nameOf(end)},
                                     {QStringLiteral("last_step"), lastStep},
                                     {QStringLiteral("new_identities"), trust::jsonByRole(newIdentities)}})
        .toJson();
}

std::optional<RootRotation> RootRotation::decode(const QByteArray &bytes)
{
    const QJsonObject json = QJsonDocument::fromJson(bytes).object();
    const std::optional<trust::PublicKey> newRoot = trust::PublicKey::parse(json[u"new_root"].toString().toLatin1());
    if (!newRoot)
        return std::nullopt;
    const QJsonObject newIdentities = json[u"new_identities"].toObject();
    return RootRotation{.newRoot = *newRoot,
                        .formerIdentities = identitiesOf(json[u"former_identities"].toObject()),
                        .by = json[u"by"].toString(),
                        .end = endOf(json[u"end"].toString()),
                        .lastStep = json[u"last_step"].toInteger(),
                        .newIdentities = newIdentities.isEmpty() ? trust::Identities() : identitiesOf(newIdentities)};
}

namespace {

AuditNote noteOf(const Cluster &cluster, AuditAction action, const RootRotation &rotation)
{
    return {cluster, action, QStringLiteral("cluster"), QString::fromLatin1(rotation.newRoot.toText())};
}

void requireOpen(const RootRotation &rotation)
{
    if (rotation.end != End::Open)
        throw WrongState(QStringLiteral("an administrator has begun to end this change of the root key: go on with "
                                        "drover key rotate --root --%1")
                             .arg(nameOf(rotation.end)));
}

// False: the node has changed.
async::Task<bool> write(Cluster cluster, QByteArray data, qint32 version, std::optional<AuditNote> note)
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
        if (there && there->newRoot != rotation.newRoot)
            throw WrongState(QStringLiteral("%1 is replacing the root key with another new one: end that first, with "
                                            "that file, or abandon it: drover key rotate --root --abandon")
                                 .arg(there->by));
        if (there) {
            requireOpen(*there);
            co_return *there;
        }
        const bool claimed = co_await write(cluster, rotation.encode(), node->stat.version, note);
        if (claimed)
            co_return rotation;
    }
}

async::Task<RootRotation> chooseEnd(Cluster cluster, RootRotation rotation)
{
    for (;;) {
        const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.renewals());
        const std::optional<RootRotation> there = node.ok() ? RootRotation::decode(node->data) : std::nullopt;
        if (!there || there->newRoot != rotation.newRoot)
            throw WrongState(QStringLiteral("another administrator has ended this change of the root key"));
        if (there->end == rotation.end)
            co_return *there;
        requireOpen(*there);
        const std::optional<AuditNote> none;
        const bool chosen = co_await write(cluster, rotation.encode(), node->stat.version, none);
        if (chosen)
            co_return rotation;
    }
}

async::Task<void> releaseRotation(Cluster cluster, RootRotation rotation)
{
    const AuditNote note = noteOf(
        cluster, rotation.end == End::Abandoned ? AuditAction::RootRotationAbandoned : AuditAction::RootRotationEnded,
        rotation);
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

async::Task<std::vector<trust::Certificate>> presentHolders(Cluster cluster, trust::TrustStore known)
{
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
