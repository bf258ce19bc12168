#include "app/commands/commands.h"
#include "app/doctor/ensemble_checks.h"
#include "app/doctor/verdict.h"
#include "app/environment/context.h"

namespace drover::app {

namespace {

async::Task<int> execute(Context &context)
{
    const std::chrono::milliseconds sessionTimeout =
        context.arguments().duration("session-timeout", Context::DefaultSessionTimeout);
    const QByteArrayList words{"srvr", "mntr", "conf"};
    const std::vector<zk::ServerReport> reports =
        co_await zk::askServers(context.loop(), context.requireServers(), words);
    const QByteArray config = co_await configBeside(context, reports);
    co_return tellFindings(context.out(), checkEnsemble({reports, config, sessionTimeout}));
}

} // namespace

Command clusterCheck()
{
    return {
        .name = "cluster check",
        .synopsis = "[OPTIONS]",
        .summary = "Judge the ZooKeeper servers and their settings, and say what to change",
        .details = "Asks each server with the four-letter words srvr, mntr and conf, and reads /zookeeper/config. "
                   "It changes nothing. Settings that no server tells are reported as unknown, with what they have "
                   "to be. drover doctor looks at the cluster itself. No credentials are needed.",
        .options = {option("session-timeout", "what the workers are started with (default: 10s)", "DURATION")},
        .examples = {"drover cluster check", "drover cluster check --connect zk1,zk2,zk3 -o json"},
        .exits = {{"0", "there is no problem; warnings and what is unknown leave it 0"}, {"1", "there is a problem"}},
        .run = execute};
}

} // namespace drover::app
