#include "jobs/audit/audit_note.h"

#include "jobs/audit/actor_name.h"
#include "trust/signed_text.h"

namespace drover::jobs {

using zk::Answer;
using zk::Code;

namespace {

SignedEntry signedBy(const trust::Credentials *credentials, AuditEntry entry)
{
    SignedEntry stored;
    if (!credentials) {
        entry.by = submitterName();
        stored.text = QString::fromUtf8(entry.encode());
        return stored;
    }
    const trust::Certificate own = credentials->ownCertificate();
    entry.by = own.name;
    const QByteArray text = entry.encode();
    stored.text = QString::fromUtf8(text);
    stored.certificate = own.serial;
    stored.signature =
        trust::toText(trust::SignedText::sign(credentials->key, trust::Purpose::Audit, own.clusterId, text).signature);
    return stored;
}

Answer<zk::Committed> carriedOut(const zk::Path &path)
{
    return {Code::Ok, {}, "multi", path};
}

} // namespace

AuditNote::AuditNote(const Cluster &cluster, AuditAction action, const QString &target, const QString &detail)
    : m_path(cluster.layout.audit())
{
    AuditEntry entry;
    entry.id = cluster.zk.loop().makeUuid().toByteArray(QUuid::Id128);
    entry.action = actionName(action);
    entry.target = target.left(AuditEntry::MaxDetail);
    entry.detail = detail.simplified().left(AuditEntry::MaxDetail);
    entry.at = cluster.zk.loop().wallClock();
    m_path = cluster.layout.audit() / entry.id;
    m_data = signedBy(cluster.credentials.get(), std::move(entry)).encode();
}

async::Task<Answer<zk::Committed>> commitNoted(Cluster cluster, zk::Transaction change, std::optional<AuditNote> note)
{
    const std::size_t place = change.size(); // of the note
    if (note)
        change.create(note->path(), note->data());
    bool uncertain = false;
    for (;;) {
        try {
            const Answer<zk::Committed> committed = co_await cluster.zk.commit(change);
            const bool isOfNote = note && committed->refusedAt() == place;
            if (isOfNote && committed.is(Code::NodeExists))
                co_return carriedOut(note->path());
            if (isOfNote && committed.is(Code::NoNode)) {
                co_await cluster.zk.ensurePath(cluster.layout.audit()); // a cluster from before there were notes
                continue;
            }
            if (committed.ok() || !note || !uncertain)
                co_return committed;
            const Answer<zk::Stat> noted = co_await cluster.zk.exists(note->path());
            if (noted.ok())
                co_return carriedOut(note->path());
            co_return committed;
        } catch (const zk::ConnectionLoss &) {
            uncertain = true;
        }
        co_await cluster.zk.connected();
    }
}

} // namespace drover::jobs
