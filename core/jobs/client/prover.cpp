#include "jobs/client/prover.h"

#include "jobs/cluster/cluster_trust.h"

#include <QJsonDocument>

namespace drover::jobs {

using std::chrono::milliseconds;
using trust::Untrusted;

namespace {

Untrusted notSigned(const QString &what, const QString &why, const QString &advice)
{
    return Untrusted(QStringLiteral("%1 is not signed in your name: %2; %3").arg(what, why, advice));
}

QString jobText(const JobId &id)
{
    return QStringLiteral("job %1").arg(id.toString());
}

trust::Purpose purposeOf(const JobRecord &record)
{
    return record.isOfSchedule() ? trust::Purpose::Schedule : trust::Purpose::Job;
}

// Of another person's words nothing is theirs but what the signature covers.
void requireSubmitter(const JobSpec &job, const trust::Certificate &signer)
{
    if (job.submitter != signer.name)
        throw Untrusted(QStringLiteral("%1 signed it as a job of another person").arg(signer.name));
}

void requireQueue(const JobSpec &job, const QByteArray &queue, const trust::Certificate &signer)
{
    if (job.terms.queue != queue)
        throw Untrusted(QStringLiteral("%1 signed it for another queue").arg(signer.name));
}

} // namespace

Prover::Prover(Cluster cluster) : m_cluster(std::move(cluster))
{
    if (m_cluster.credentials)
        m_known.emplace(m_cluster.credentials->anchors);
}

async::Task<void> Prover::learn(QByteArray serial)
{
    if (!m_known)
        co_return;
    if (!m_hasRevocations) {
        co_await readRevocations(m_cluster, *m_known);
        m_hasRevocations = true;
    }
    try {
        co_await certificateOf(m_cluster, *m_known, serial);
    } catch (const Untrusted &) { // it is found missing
    }
}

trust::Certificate Prover::requireSigner(const JobRecord &record, trust::Purpose purpose, milliseconds at)
{
    if (!record.isSigned())
        throw Untrusted(QStringLiteral("no person has signed it"));
    const trust::Certificate *const signer = m_known->find(record.certificate);
    if (!signer)
        throw Untrusted(QStringLiteral("the cluster does not have the certificate of its signer"));
    m_known->require(*signer, {trust::Role::Submit}, std::chrono::floor<std::chrono::seconds>(at));
    if (!m_verifier.isSigned(record.signature, signer->key, purpose, m_known->anchors().clusterId, record.text))
        throw Untrusted(QStringLiteral("its signature is not one of %1").arg(signer->name));
    return *signer;
}

void Prover::requireWaiting(const JobId &id, const QByteArray &stored)
{
    if (!m_known)
        return;
    try {
        const JobRecord record = JobRecord::parse(stored);
        const trust::Certificate signer = requireSigner(record, purposeOf(record), m_cluster.zk.loop().wallClock());
        const JobSpec job = JobSpec::decode(record, id.queue, QueueEntry::DefaultPriority);
        requireSubmitter(job, signer);
        requireQueue(job, id.queue, signer);
    } catch (const Untrusted &error) {
        throw notSigned(jobText(id), QString::fromUtf8(error.what()),
                        QStringLiteral("no worker would run it as it is, and drover cancel ends it"));
    }
}

async::Task<JobSpec> Prover::jobToResubmit(JobView view, Resubmission resubmission)
{
    JobSpec job = jobs::jobToResubmit(view, resubmission);
    if (!m_known)
        co_return job;
    if (!view.record) {
        const std::optional<JobRecord> waiting = tryParse(view.stored);
        const QByteArray serial = waiting ? waiting->certificate : QByteArray();
        co_await learn(serial);
        requireWaiting(view.id, view.stored);
        co_return job;
    }
    const JobRecord record = view.record->signedJob().value_or(JobRecord());
    co_await learn(record.certificate);
    try {
        JobSpec asked;
        if (record.isSigned())
            asked = JobSpec::decode(record, view.id.queue, QueueEntry::DefaultPriority);
        const trust::Certificate signer = requireSigner(record, purposeOf(record), asked.terms.signedAt);
        requireSubmitter(asked, signer);
        requireQueue(asked, view.id.queue, signer);
    } catch (const Untrusted &error) {
        throw notSigned(jobText(view.id), QString::fromUtf8(error.what()),
                        QStringLiteral("if it is what you want, submit it as your own: drover resubmit --dry-run %1 "
                                       "prints it as a job file")
                            .arg(view.id.toString()));
    }
    co_return job;
}

async::Task<void> Prover::requireSchedule(StoredSchedule schedule)
{
    if (!m_known)
        co_return;
    const JobRecord &record = schedule.entry->signedText;
    co_await learn(record.certificate);
    try {
        const trust::Certificate signer =
            requireSigner(record, trust::Purpose::Schedule, m_cluster.zk.loop().wallClock());
        requireSubmitter(schedule.entry->job, signer);
        const QJsonObject text = QJsonDocument::fromJson(record.text).object();
        if (text[u"name"].toString().toUtf8() != schedule.name)
            throw Untrusted(QStringLiteral("%1 signed it as another schedule").arg(signer.name));
    } catch (const Untrusted &error) {
        throw notSigned(QStringLiteral("the job of schedule %1").arg(QString::fromUtf8(schedule.name)),
                        QString::fromUtf8(error.what()),
                        QStringLiteral("no worker would run its ticks either, and drover cron rm removes it"));
    }
}

} // namespace drover::jobs
