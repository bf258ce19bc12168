#include "fuzz/harness/records.h"
#include "jobs/model/gang.h"
#include "jobs/model/job_spec.h"
#include "jobs/model/worker_info.h"

using namespace drover;

// What workers say of themselves: as members of the cluster and of gangs.
DROVER_FUZZ_TARGET(worker_records, Form::Json)
{
    (void)requireStable<jobs::GangMember>(input);
    if (const std::optional<jobs::GangStart> start = requireStable<jobs::GangStart>(input))
        (void)start->names({3, 7});
    const std::optional<jobs::WorkerInfo> worker = requireStable<jobs::WorkerInfo>(input);
    if (!worker)
        return;
    jobs::JobSpec job;
    job.needs.slots = 2;
    job.needs.memory = 1;
    const int places = jobs::placesFor(job, {*worker, *worker}, {{worker->id, 1}});
    require(places >= 0 && places <= jobs::JobSpec::MaxGang, "a worker has an impossible number of places");
}
