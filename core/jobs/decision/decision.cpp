#include "jobs/decision/decision.h"

#include "jobs/schedules/schedule_entry.h"
#include "jobs/signing/signer.h"

namespace drover::jobs {

using std::chrono::milliseconds;
using trust::Untrusted;

namespace {

trust::Purpose purposeOf(const JobRecord &record)
{
    return record.isOfSchedule() ? trust::Purpose::Schedule : trust::Purpose::Job;
}

void requireTime(const SignedTerms &terms, const QString &signer, milliseconds now)
{
    if (terms.notBefore > now + ClockError)
        throw Untrusted(QStringLiteral("%1 signed it for a later start").arg(signer));
    if (terms.startBy <= now)
        throw Untrusted(QStringLiteral("the time by which %1 signed that it starts has passed").arg(signer));
}

// Ticks are run late if there was no master, or if the job had to wait.
bool isTooLate(const ScheduleEntry &schedule, milliseconds tick, milliseconds now)
{
    if (tick + Signer::StartWithin > now)
        return false;
    const std::size_t caughtUp = schedule.catchUp == ScheduleEntry::CatchUp::All ? ScheduleEntry::MostCaughtUp : 1;
    return schedule.catchUp == ScheduleEntry::CatchUp::None
        || schedule.when.latest(tick, now - Signer::StartWithin, caughtUp).size() >= caughtUp;
}

void requireTick(const ScheduleEntry &schedule, milliseconds tick, const QString &signer, milliseconds now)
{
    if (tick > now + ClockError)
        throw Untrusted(QStringLiteral("its tick of the schedule of %1 is in the future").arg(signer));
    if (schedule.when.next(tick - milliseconds(1)) != tick)
        throw Untrusted(QStringLiteral("the schedule of %1 has no such tick").arg(signer));
    if (tick + EarlierTicks < schedule.job.terms.signedAt)
        throw Untrusted(QStringLiteral("its tick is from before %1 signed the schedule").arg(signer));
    if (isTooLate(schedule, tick, now))
        throw Untrusted(QStringLiteral("its tick of the schedule of %1 is too long ago").arg(signer));
}

void requireOwnNode(const JobSpec &job, const JobId &id)
{
    const bool isTask = job.notes.index >= 0;
    if (isTask != id.isTask() || (isTask && job.notes.index != id.task))
        throw Untrusted(QStringLiteral("its node is not the one of its task"));
    const bool isOfGang = job.gang > 0; // which has new members in each round
    if (isTask && (!job.ofArray || (!isOfGang && !job.ofArray->placeOf(job.notes.index))))
        throw Untrusted(QStringLiteral("the signed array has no task %1").arg(job.notes.index));
}

} // namespace

const trust::Certificate &requireSigner(const JobRecord &record, const trust::TrustStore &store, milliseconds now)
{
    if (!record.isSigned())
        throw Untrusted(QStringLiteral("it is not signed"));
    const trust::Certificate *const signer = store.find(record.certificate);
    if (!signer)
        throw Untrusted(QStringLiteral("the cluster does not have the certificate of its signer"));
    store.require(*signer, {trust::Role::Submit}, std::chrono::floor<std::chrono::seconds>(now));
    return *signer;
}

bool isKnownSigned(const JobRecord &record, const trust::PublicKey &key, const QByteArray &clusterId,
                   trust::SignatureVerifier &verifier)
{
    return verifier.isKnownSigned(record.signature, key, purposeOf(record), clusterId, record.text);
}

bool isSigned(const JobRecord &record, const trust::PublicKey &key, const QByteArray &clusterId,
              trust::SignatureVerifier &verifier)
{
    return verifier.isSigned(record.signature, key, purposeOf(record), clusterId, record.text);
}

void requireRights(const JobSpec &job, const QByteArray &queue, const trust::Certificate &signer)
{
    if (job.submitter != signer.name)
        throw Untrusted(QStringLiteral("%1 signed it as a job of another person").arg(signer.name));
    if (job.terms.queue != queue)
        throw Untrusted(QStringLiteral("%1 signed it for another queue").arg(signer.name));
    if (!signer.maySubmitTo(queue))
        throw Untrusted(QStringLiteral("%1 may not submit to queue %2").arg(signer.name, QString::fromUtf8(queue)));
    if (!job.runAs.isEmpty() && !signer.runAs.contains(job.runAs))
        throw Untrusted(QStringLiteral("%1 may not run jobs as %2").arg(signer.name, job.runAs));
}

void requireTermsToWait(const JobRecord &record, const JobSpec &job, const JobId &id, const trust::Certificate &signer,
                        milliseconds now)
{
    requireRights(job, id.queue, signer);
    if (job.terms.signedAt > now + ClockError)
        throw Untrusted(QStringLiteral("%1 signed it in the future, by the clock of this machine").arg(signer.name));
    if (record.isOfSchedule())
        requireTick(ScheduleEntry::fromText(record.text), job.notes.tick, signer.name, now);
    else
        requireTime(job.terms, signer.name, now);
    requireOwnNode(job, id);
}

// An array's text holds for the tasks of its indices alone, and for no job of its own.
void requireTerms(const JobRecord &record, const JobSpec &job, const JobId &id, const trust::Certificate &signer,
                  milliseconds now)
{
    requireTermsToWait(record, job, id, signer, now);
    if (!id.isTask() && (job.array || job.gang > 0))
        throw Untrusted(QStringLiteral("it is signed as an array, not as a job"));
}

} // namespace drover::jobs
