#include "app/cli/failure.h"
#include "app/cli/standard_input.h"
#include "app/commands/commands.h"
#include "app/doctor/ensemble_checks.h"
#include "app/doctor/verdict.h"
#include "app/environment/context.h"
#include "app/server_config/config_checks.h"

namespace drover::app {

namespace {

async::Task<std::vector<ServerConfig>> readConfigs(QStringList files)
{
    if (files.count(QStringLiteral("-")) > 1)
        throw UsageError(QStringLiteral("--server-config: standard input can be read once"));
    std::vector<ServerConfig> configs;
    for (const QString &file : files) {
        const bool isInput = file == u"-";
        const QString name = isInput ? QStringLiteral("standard input") : file;
        QByteArray text;
        if (isInput)
            text = co_await readStandardInput();
        else
            text = co_await readFile(file, ServerConfig::MostBytes + 1, name);
        configs.emplace_back(name, text);
    }
    co_return configs;
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const std::chrono::milliseconds sessionTimeout =
        arguments.duration("session-timeout", Context::DefaultSessionTimeout);
    if (arguments.has("server-config")) {
        if (arguments.has("connect"))
            throw UsageError(QStringLiteral("--server-config: no server is asked, so leave --connect out"));
        const std::vector<ServerConfig> configs = co_await readConfigs(arguments.values("server-config"));
        co_return tellFindings(context.out(), checkServerConfigs(configs, sessionTimeout));
    }
    const QByteArrayList words{"srvr", "mntr", "conf"};
    const std::vector<zk::ServerReport> reports =
        co_await zk::askServers(context.loop(), context.requireServers(), words);
    const QByteArray config = co_await configBeside(context, reports);
    co_return tellFindings(context.out(), checkEnsemble({reports, config, sessionTimeout}));
}

} // namespace

Command clusterCheck()
{
    return {.name = "cluster check",
            .summary = "Judge the ZooKeeper servers and their settings, and say what to change",
            .details =
                "Asks each server with the four-letter words srvr, mntr and conf, and reads /zookeeper/config. "
                "It changes nothing. Settings that no server tells are reported as unknown, with what they have "
                "to be: --server-config judges the file that has them, and asks no server. drover doctor looks at "
                "the cluster itself. No credentials are needed.",
            .options = {option("session-timeout", "what the workers are started with (default: 10s)", "DURATION"),
                        option("server-config",
                               "judge this zoo.cfg of a server, and ask no server; - is standard input; may be "
                               "repeated, once a server",
                               "FILE")},
            .examples = {"drover cluster check", "drover cluster check --connect zk1,zk2,zk3 -o json",
                         "drover cluster check --server-config /etc/zookeeper/conf/zoo.cfg"},
            .exits = {{"0", "there is no problem; warnings and what is unknown leave it 0"},
                      {"1", "there is a problem"},
                      {"2", "a FILE cannot be read, or is not a configuration"}},
            .run = execute};
}

} // namespace drover::app
