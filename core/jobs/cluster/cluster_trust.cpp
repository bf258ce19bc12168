#include "jobs/cluster/cluster_trust.h"

#include "jobs/cluster/read_nodes.h"
#include "recipes/blocks/persistent.h"
#include "trust/renewal.h"

#include <algorithm>

namespace drover::jobs {

using recipes::Persistent;
using trust::Certificate;
using trust::Untrusted;
using zk::Answer;

namespace {

// Nodes may hold anything: only what names itself as its node does is the certificate of that serial.
Certificate addAs(trust::TrustStore &known, const QByteArray &serial, const QByteArray &line)
{
    const Certificate certificate = known.add(line);
    if (certificate.serial != serial)
        throw Untrusted(QStringLiteral("another certificate is in the place of %1").arg(QString::fromLatin1(serial)));
    return certificate;
}

PublishedCertificate published(trust::TrustStore &known, const QByteArray &serial, const Answer<zk::Node> &node)
{
    PublishedCertificate found{serial, std::nullopt, {}};
    try {
        if (!node.ok())
            throw Untrusted(QStringLiteral("the certificate may not be read"));
        found.certificate = addAs(known, serial, node->data);
    } catch (const Untrusted &error) {
        found.untrusted = QString::fromUtf8(error.what());
    }
    return found;
}

// A list that is older than the known ones adds to them.
void addPublished(trust::TrustStore &known, const QByteArray &line, bool ignoresForeign)
{
    try {
        known.revoke(line);
    } catch (const trust::Outdated &) {
    } catch (const Untrusted &) {
        if (!ignoresForeign)
            throw;
    }
}

// A list of a root key that was replaced is not believed: its successor is kept as well.
trust::TrustStore withEarlier(trust::TrustStore known, const EarlierRevocations &earlier)
{
    for (const QByteArray &line : earlier.lines) {
        try {
            known.revoke(line);
        } catch (const Untrusted &) {
        }
    }
    return known;
}

} // namespace

async::Task<void> publishCertificate(Cluster cluster, const trust::Credentials &credentials,
                                     std::optional<AuditNote> note)
{
    const QByteArray line = credentials.certificate;
    const zk::Path path = cluster.layout.certificate(credentials.ownCertificate().serial);
    zk::Transaction create;
    create.create(path, line);
    for (;;) {
        const Answer<zk::Committed> created = co_await commitNoted(cluster, create, note);
        if (created.ok())
            co_return;
        if (created.is(zk::Code::NoNode)) {
            co_await cluster.zk.ensurePath(cluster.layout.certificates());
            continue;
        }
        created.requireUnless(zk::Code::NodeExists);
        const Answer<zk::Node> there = co_await Persistent(cluster.zk).get(path);
        if (there.is(zk::Code::NoNode))
            continue; // it was removed meanwhile
        if (there->data != line)
            throw Untrusted(QStringLiteral("another certificate is at %1").arg(QString::fromUtf8(path.c_str())));
        co_return;
    }
}

async::Task<Certificate> certificateOf(Cluster cluster, trust::TrustStore &known, QByteArray serial)
{
    if (!Certificate::isSerial(serial))
        throw Untrusted(QStringLiteral("malformed serial of a certificate"));
    if (const Certificate *certificate = known.find(serial))
        co_return *certificate;
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.certificate(serial));
    if (node.is(zk::Code::NoNode))
        throw Untrusted(QStringLiteral("there is no certificate %1").arg(QString::fromLatin1(serial)));
    co_return addAs(known, serial, node->data);
}

async::Task<std::vector<PublishedCertificate>> readCertificates(Cluster cluster, trust::TrustStore &known)
{
    const Answer<zk::Children> children = co_await Persistent(cluster.zk).children(cluster.layout.certificates());
    std::vector<PublishedCertificate> list;
    if (children.is(zk::Code::NoNode))
        co_return list;
    QByteArrayList serials = children->names;
    serials.removeIf([](const QByteArray &name) { return !Certificate::isSerial(name); });
    std::sort(serials.begin(), serials.end());
    std::vector<zk::Path> paths;
    for (const QByteArray &serial : serials)
        paths.push_back(cluster.layout.certificate(serial));
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, paths);
    for (std::size_t i = 0; i < nodes.size(); ++i)
        if (!nodes[i].is(zk::Code::NoNode))
            list.push_back(published(known, serials[qsizetype(i)], nodes[i]));
    co_return list;
}

async::Task<void> readRevocations(Cluster cluster, trust::TrustStore &known)
{
    const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.revocations());
    if (node.ok())
        known.revoke(node->data);
    else
        throw Untrusted(known.leastRevocations() > 0
                            ? QStringLiteral("the revocation list is missing, but there was one")
                            : QStringLiteral("the revocation list is missing"));
}

async::Task<QByteArray> readRenewals(Cluster cluster, QByteArray serial)
{
    try {
        const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(cluster.layout.renewal(serial));
        co_return node.ok() ? node->data : QByteArray();
    } catch (const zk::AccessDenied &) {
        co_return QByteArray();
    }
}

async::Task<void> publishRenewal(Cluster cluster, QByteArray serial, QByteArray line)
{
    const zk::Path path = cluster.layout.renewal(serial);
    for (;;) {
        const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(path);
        if (node.ok()) {
            const QByteArray lines = trust::withLine(node->data, line);
            const Answer<zk::Stat> set = co_await Persistent(cluster.zk).set(path, lines, node->stat.version);
            if (set.ok())
                co_return;
        } else {
            co_await cluster.zk.ensurePath(path.parent());
            const Answer<zk::Created> created = co_await Persistent(cluster.zk).create(path, line);
            if (created.ok())
                co_return;
        }
    }
}

async::Task<void> publishAnew(Cluster cluster, Certificate certificate, const trust::Issuer &issuer)
{
    const QByteArray line = certificate.signedBy(issuer.root().key);
    const Answer<zk::Stat> set =
        co_await Persistent(cluster.zk).set(cluster.layout.certificate(certificate.serial), line);
    set.requireUnless(zk::Code::NoNode);
}

async::Task<trust::Revocations> revoke(Cluster cluster, const trust::Issuer &issuer, std::set<QByteArray> serials,
                                       std::optional<AuditNote> note, EarlierRevocations earlier)
{
    const zk::Path path = cluster.layout.revocations();
    const trust::TrustStore before = withEarlier(trust::TrustStore(issuer.anchors()), earlier);
    for (;;) {
        const Answer<zk::Node> node = co_await Persistent(cluster.zk).get(path);
        trust::TrustStore known = before;
        if (node.ok())
            addPublished(known, node->data, earlier.replacesForeign);
        trust::Revocations next = known.revocations();
        next.serials.insert(serials.begin(), serials.end());
        // Also after a lost reply of the write below.
        if (node.ok() && issuer.sign(next) == node->data)
            co_return next;
        next.number = std::max(next.number, earlier.leastNumber) + 1;
        const QByteArray line = issuer.sign(next);
        zk::Transaction write;
        if (node.ok())
            write.set(path, line, node->stat.version);
        else
            write.create(path, line);
        const Answer<zk::Committed> written = co_await commitNoted(cluster, write, note);
        if (written.ok())
            co_return next;
        if (!node.ok())
            written.requireUnless(zk::Code::NodeExists);
    }
}

} // namespace drover::jobs
