#include "app/commands/commands.h"
#include "app/trust/administrator.h"
#include "app/trust/grant_options.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const std::shared_ptr<const trust::Credentials> credentials = requireCredentials(context);
    QJsonObject about = certificateJson(credentials->ownCertificate());
    about[QStringLiteral("cluster")] = QString::fromUtf8(credentials->cluster);
    about[QStringLiteral("cluster_id")] = QString::fromLatin1(credentials->anchors.clusterId);
    about[QStringLiteral("servers")] = credentials->servers;
    context.out().object({{"name", "name"},
                          {"cluster", "cluster"},
                          {"servers", "servers"},
                          {"roles", "roles"},
                          {"queues", "queues"},
                          {"run_as", "run as"},
                          {"until", "until"},
                          {"serial", "serial"}},
                         about);
    co_return ExitOk;
}

} // namespace

Command whoami()
{
    return {.name = "whoami",
            .synopsis = "[OPTIONS]",
            .summary = "Show whose credentials you use, and what they allow",
            .details = "It reads the file only. drover user ls shows whether it is revoked.",
            .examples = {"drover whoami", "drover whoami --cluster lab -o json"},
            .exits = {{"4", "there are no credentials for this cluster"}, {"5", "they are not safe, or damaged"}},
            .run = execute};
}

} // namespace drover::app
