#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/doctor/checks.h"
#include "app/doctor/cluster_checks.h"
#include "app/doctor/server_checks.h"
#include "app/doctor/trust_checks.h"
#include "app/doctor/verdict.h"
#include "app/environment/context.h"

#include <unistd.h>

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    Findings findings;
    if (!context.settings().connect.isEmpty())
        findings = co_await checkServers(context.loop(), context.settings().connect);
    try {
        const jobs::Cluster cluster = co_await context.openCluster();
        const bool isOurs = co_await isForThisUserAlone(cluster, context.credentials(), context.settings().connect);
        co_await checkCluster(cluster, isOurs && ::geteuid() == 0, findings);
        co_await checkJobsOfOthers(cluster, context.credentials(), context.credentialsFile(), findings);
        co_await unlessRefused(
            "certificates", checkTrust(cluster, context.credentials(), context.settings().connect, findings), findings);
        co_await unlessRefused("access rights", checkAcls(cluster, context.credentials(), findings), findings);
    } catch (const CommandError &error) {
        if (findings.isEmpty())
            throw;
        findings.append({Finding::Level::Problem, QStringLiteral("session"), QString::fromUtf8(error.what()), {}});
    } catch (const jobs::NotFound &error) {
        findings.append({Finding::Level::Problem, QStringLiteral("cluster"), QString::fromUtf8(error.what()), {}});
    }
    co_return tellFindings(context.out(), findings);
}

} // namespace

Command doctor()
{
    return {.name = "doctor",
            .summary = "Report what is wrong with this cluster, and what to do",
            .details =
                "Asks every server how it is, then looks at the cluster's workers, master, queues, history and "
                "shared files, and at the disks of the spools on this machine. It changes nothing, but for a node "
                "that lives for a moment: the servers stamp it, which shows whether this machine's clock is right. The "
                "exit "
                "code is 1 if there is a problem; warnings leave it 0.",
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover doctor", "drover doctor -o json"},
            .exits = {{"0", "all is well, or there are warnings alone"}, {"1", "there is a problem"}},
            .run = execute};
}

} // namespace drover::app
