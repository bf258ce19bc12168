#include "jobs/audit/actor_name.h"

#include "jobs/audit/user_name.h"

namespace drover::jobs {

QString actorName(const Cluster &cluster)
{
    return cluster.credentials ? cluster.credentials->ownCertificate().name : submitterName();
}

} // namespace drover::jobs
