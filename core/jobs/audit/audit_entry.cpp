#include "jobs/audit/audit_entry.h"

#include "jobs/model/json_fields.h"
#include "trust/signed_text.h"

#include <array>

namespace drover::jobs {

namespace {

constexpr std::array Names{"job-cancelled",
                           "job-held",
                           "job-released",
                           "job-requeued",
                           "job-signalled",
                           "job-priority",
                           "job-moved",
                           "queue-paused",
                           "queue-resumed",
                           "queue-limited",
                           "limit-set",
                           "worker-cordoned",
                           "worker-drained",
                           "worker-uncordoned",
                           "cron-added",
                           "cron-replaced",
                           "cron-removed",
                           "cron-paused",
                           "cron-resumed",
                           "settings-changed",
                           "master-deposed",
                           "user-added",
                           "user-removed",
                           "key-rotated",
                           "key-revoked",
                           "revocations-published",
                           "root-rotation-begun",
                           "root-rotation-ended",
                           "root-rotation-abandoned",
                           "cluster-closed",
                           "znode-created",
                           "znode-written",
                           "znode-acl-changed",
                           "znodes-copied",
                           "znodes-moved",
                           "znodes-deleted",
                           "znodes-imported",
                           "lock-asked",
                           "lock-broken"};

} // namespace

QString actionName(AuditAction action)
{
    return QLatin1String(Names[static_cast<std::size_t>(action)]);
}

template <class Fields, class Record>
void AuditEntry::fields(Fields &each, Record &entry)
{
    each("id", entry.id);
    each("action", entry.action);
    each("target", entry.target);
    each("detail", entry.detail);
    each("by", entry.by);
    each("at_ms", entry.at);
}

QByteArray AuditEntry::encode() const
{
    return encodeRecord(*this);
}

AuditEntry AuditEntry::decode(const QByteArray &bytes)
{
    auto entry = decodeRecord<AuditEntry>(bytes);
    for (const QString *const text : {&entry.action, &entry.target, &entry.detail, &entry.by}) {
        if (text->size() > MaxDetail)
            throw Malformed(QStringLiteral("a text of it is too long"));
    }
    return entry;
}

template <class Fields, class Record>
void SignedEntry::fields(Fields &each, Record &entry)
{
    each("text", entry.text);
    each("sig", entry.signature);
    each("cert", entry.certificate);
}

bool SignedEntry::isSignedBy(const trust::PublicKey &key, const QByteArray &clusterId) const
{
    const std::optional<QByteArray> bytes = trust::fromText(signature, trust::SigningKey::SignatureSize);
    return bytes && trust::SignedText{text.toUtf8(), *bytes}.isSignedBy(key, trust::Purpose::Audit, clusterId);
}

QByteArray SignedEntry::encode() const
{
    return encodeRecord(*this);
}

SignedEntry SignedEntry::decode(const QByteArray &bytes)
{
    return decodeRecord<SignedEntry>(bytes);
}

} // namespace drover::jobs
