#include "jobs/events/audit_log.h"

#include "jobs/cluster/cluster_trust.h"
#include "jobs/cluster/read_nodes.h"
#include "jobs/model/errors.h"
#include "recipes/blocks/persistent.h"

#include <QHash>

#include <algorithm>

namespace drover::jobs {

using zk::Answer;

namespace {

// A certificate, or why there is none to believe.
struct Signatory {
    std::optional<trust::Certificate> certificate{};
    QString trouble{};
};

async::Task<Signatory> signatoryOf(Cluster cluster, trust::TrustStore &known, QByteArray serial)
{
    Signatory found;
    try {
        if (known.revocations().serials.contains(serial))
            throw trust::Untrusted(QStringLiteral("the certificate is revoked"));
        const trust::Certificate certificate = co_await certificateOf(cluster, known, serial);
        found.certificate = certificate;
    } catch (const trust::Untrusted &error) {
        found.trouble = QString::fromUtf8(error.what());
    }
    co_return found;
}

struct Read {
    AuditRecord record;
    SignedEntry stored{};
};

Read readEntry(const QByteArray &name, const zk::Node &node)
{
    Read read{.record = {.at = std::chrono::milliseconds(node.stat.ctime), .zxid = node.stat.czxid}};
    read.record.entry.id = name;
    try {
        read.stored = SignedEntry::decode(node.data);
        const AuditEntry entry = AuditEntry::decode(read.stored.text.toUtf8());
        read.record.entry = entry;
        read.record.serial = read.stored.certificate;
        if (entry.id != name)
            read.record.unproven = QStringLiteral("copied from another entry");
        else if (read.stored.signature.isEmpty())
            read.record.unproven = QStringLiteral("not signed");
    } catch (const Malformed &error) {
        read.record.unproven = QStringLiteral("malformed: %1").arg(QString::fromUtf8(error.what()));
    }
    return read;
}

// The name is the certificate's, whatever the text says.
QString troubleWith(const Read &read, const Signatory &signatory, const QByteArray &clusterId)
{
    if (!signatory.certificate)
        return signatory.trouble;
    if (!read.stored.isSignedBy(signatory.certificate->key, clusterId))
        return QStringLiteral("the signature is not that of %1").arg(signatory.certificate->name);
    if (read.record.entry.by != signatory.certificate->name)
        return QStringLiteral("signed by %1").arg(signatory.certificate->name);
    return {};
}

async::Task<void> prove(Cluster cluster, std::vector<Read> &entries)
{
    trust::TrustStore known(cluster.credentials->anchors);
    QString noList;
    try {
        co_await readRevocations(cluster, known);
    } catch (const trust::Untrusted &error) {
        noList = QString::fromUtf8(error.what());
    }
    QHash<QByteArray, Signatory> signatories;
    for (Read &read : entries) {
        if (!read.record.isProven())
            continue;
        const QByteArray serial = read.record.serial;
        if (!signatories.contains(serial)) {
            const Signatory found = co_await signatoryOf(cluster, known, serial);
            signatories.insert(serial, found);
        }
        read.record.unproven =
            noList.isEmpty() ? troubleWith(read, signatories[serial], cluster.credentials->anchors.clusterId) : noList;
    }
}

} // namespace

async::Task<std::vector<AuditRecord>> readAudit(Cluster cluster)
{
    const Answer<zk::Children> names = co_await recipes::Persistent(cluster.zk).children(cluster.layout.audit());
    std::vector<AuditRecord> records;
    if (!names.ok())
        co_return records;
    std::vector<zk::Path> paths;
    for (const QByteArray &name : names->names)
        paths.push_back(cluster.layout.audit() / name);
    const std::vector<Answer<zk::Node>> nodes = co_await readNodes(cluster.zk, paths);
    std::vector<Read> entries;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        if (nodes[i].ok())
            entries.push_back(readEntry(paths[i].name(), *nodes[i]));
    }
    if (cluster.credentials)
        co_await prove(cluster, entries);
    std::sort(entries.begin(), entries.end(),
              [](const Read &a, const Read &b) { return a.record.zxid < b.record.zxid; });
    for (const Read &read : entries)
        records.push_back(read.record);
    co_return records;
}

} // namespace drover::jobs
