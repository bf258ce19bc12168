#include "app/commands/commands.h"
#include "app/trust/administrator.h"
#include "app/trust/grant_options.h"

namespace drover::app {

namespace {

// The cluster's revocation list, or why it is not known here.
struct KnownRevocations {
    trust::Revocations list{};
    QString trouble{};
};

async::Task<KnownRevocations> askCluster(Context &context, trust::Anchors anchors)
{
    KnownRevocations known;
    try {
        zk::Client *const session = co_await context.connect();
        trust::TrustStore store(std::move(anchors));
        co_await jobs::readRevocations(jobs::Cluster(*session, context.layout()), store);
        known.list = store.revocations();
    } catch (const std::exception &error) {
        known.trouble = QString::fromUtf8(error.what());
    }
    co_return known;
}

async::Task<int> execute(Context &context)
{
    const std::shared_ptr<const trust::Credentials> credentials = requireCredentials(context);
    const trust::Certificate own = credentials->ownCertificate();
    const KnownRevocations known = co_await askCluster(context, credentials->anchors);
    const auto now = std::chrono::duration_cast<std::chrono::seconds>(context.loop().wallClock());
    QJsonObject about = certificateJson(own);
    about[QStringLiteral("state")] = certificateState(own, known.list, now);
    about[QStringLiteral("cluster")] = QString::fromUtf8(credentials->cluster);
    about[QStringLiteral("cluster_id")] = QString::fromLatin1(credentials->anchors.clusterId);
    about[QStringLiteral("connect")] = credentials->servers;
    context.out().object({{"name", "name"},
                          {"cluster", "cluster"},
                          {"connect", "servers"},
                          {"roles", "roles"},
                          {"queues", "queues"},
                          {"run_as_users", "run as"},
                          {"valid_until", "until"},
                          {"state", "state"},
                          {"serial", "serial"}},
                         about);
    if (!known.trouble.isEmpty())
        Output::message(QStringLiteral("whether it is revoked is not known: %1").arg(known.trouble));
    co_return ExitOk;
}

} // namespace

Command whoami()
{
    return {.name = "whoami",
            .summary = "Show whose credentials you use, and what they allow",
            .details =
                "It asks the cluster whether the certificate is revoked. If that does not answer, a message says so, "
                "and the state is that of the certificate's dates.",
            .examples = {"drover whoami", "drover whoami --cluster lab -o json"},
            .exits = {{"4", "there are no credentials for this cluster"}, {"5", "they are not safe, or damaged"}},
            .run = execute};
}

} // namespace drover::app
