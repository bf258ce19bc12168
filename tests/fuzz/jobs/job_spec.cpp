#include "jobs/model/job_spec.h"

#include "fuzz/harness/records.h"
#include "jobs/model/array_progress.h"

using namespace drover;

// A job's node, and what the master and workers make of it.
DROVER_FUZZ_TARGET(job_spec, Form::Json)
{
    const auto spec = unlessRefused<jobs::SpecTooLarge>(
        [&] { return requireStable<jobs::JobSpec>(input, QByteArray("default"), 5); });
    if (!spec || !*spec)
        return;
    const jobs::JobSpec &job = **spec;
    (void)job.attempts(7).number();
    const jobs::JobSpec again = jobs::JobSpec::repeating(job.toResubmit(), "default");
    requireEqual(jobs::compactJson(again.toResubmit()), jobs::compactJson(job.toResubmit()), "the job to resubmit");
    (void)jobs::JobSpec::decode(jobs::JobSpec::markReady(input), "default", 5);
    const jobs::JobRecord copy =
        jobs::JobSpec::asNew(input, [](jobs::JobSpec &changed) { changed.key = QStringLiteral("key"); });
    (void)jobs::JobSpec::decode(copy, "default", 5);
    (void)jobs::JobSpec::decode(jobs::noted(input, &jobs::JobNotes::countReturned), "default", 5);
    if (job.array)
        (void)jobs::JobSpec::decode(jobs::taskOf(input, job.array->at(0)), "default", 5);
}
