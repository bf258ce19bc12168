#include "jobs/client/prover.h"

#include "jobs/cluster/cluster_trust.h"
#include "jobs/decision/decision.h"

#include <QJsonDocument>

#include <algorithm>

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

trust::Certificate Prover::requireSigner(const JobRecord &record, milliseconds at)
{
    if (!record.isSigned())
        throw Untrusted(QStringLiteral("no person has signed it"));
    const trust::Certificate &signer = jobs::requireSigner(record, *m_known, at);
    if (!isSigned(record, signer.key, m_known->anchors().clusterId, m_verifier))
        throw Untrusted(QStringLiteral("its signature is not one of %1").arg(signer.name));
    return signer;
}

void Prover::requireWaiting(const JobId &id, const QByteArray &stored)
{
    if (!m_known)
        return;
    try {
        const JobRecord record = JobRecord::parse(stored);
        const milliseconds now = m_cluster.zk.loop().wallClock();
        const trust::Certificate signer = requireSigner(record, now);
        const JobSpec job = JobSpec::decode(record, id.queue, QueueEntry::DefaultPriority);
        const milliseconds begins = record.isOfSchedule() ? now : std::max(now, job.notes.notBefore);
        requireTermsToWait(record, job, id, signer, begins);
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
    const std::optional<JobRecord> kept = view.record ? view.record->signedJob() : tryParse(view.stored);
    const JobRecord record = kept.value_or(JobRecord());
    co_await learn(record.certificate);
    try {
        JobSpec asked;
        if (record.isSigned())
            asked = JobSpec::decode(record, view.id.queue, QueueEntry::DefaultPriority);
        const milliseconds at = view.record ? asked.terms.signedAt : m_cluster.zk.loop().wallClock();
        const trust::Certificate signer = requireSigner(record, at);
        requireRights(asked, view.id.queue, signer);
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
    const ScheduleEntry &entry = *schedule.entry;
    const milliseconds now = m_cluster.zk.loop().wallClock();
    const JobRecord record = JobRecord::parse(entry.encodeJob(entry.jobAt(schedule.name, now))); // a tick's
    co_await learn(record.certificate);
    try {
        const trust::Certificate signer = requireSigner(record, now);
        requireRights(entry.job, entry.job.queue, signer);
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
