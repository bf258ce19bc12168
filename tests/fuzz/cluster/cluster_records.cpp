#include "fuzz/harness/records.h"
#include "jobs/audit/audit_entry.h"
#include "jobs/client/dedupe.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/cluster/cordon.h"
#include "jobs/cluster/output_access.h"
#include "jobs/cluster/queue_settings.h"
#include "jobs/cluster/root_rotation.h"
#include "jobs/model/cluster_stats.h"

using namespace drover;

// The small records of a cluster. The last byte, on a line of its own, chooses one.
DROVER_FUZZ_TARGET(cluster_records, Form::Json)
{
    const QByteArray data = input.first(std::max<qsizetype>(input.lastIndexOf('\n'), 0));
    switch (input.isEmpty() ? 0 : input.back()) {
    case 'c':
        (void)requireStable<jobs::ClusterConfig>(data);
        break;
    case 'q':
        (void)requireStable<jobs::QueueSettings>(data);
        break;
    case 'o':
        (void)requireStable<jobs::Cordon>(data);
        break;
    case 'u':
        (void)requireStable<jobs::OutputAccess>(data);
        break;
    case 's':
        (void)requireStable<jobs::ClusterStats>(data);
        break;
    case 'a':
        (void)requireStable<jobs::AuditEntry>(data);
        break;
    case 'e':
        (void)requireStable<jobs::SignedEntry>(data);
        break;
    case 'r':
        if (const auto rotation = jobs::RootRotation::decode(data))
            requireEqual(jobs::RootRotation::decode(rotation->encode()).value().encode(), rotation->encode(),
                         "the stored form of the stored form");
        break;
    case 'd':
        (void)requireStable<jobs::DedupeMark>(data);
        break;
    }
}
