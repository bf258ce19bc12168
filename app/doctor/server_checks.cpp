#include "app/doctor/server_checks.h"

#include "app/environment/stranger.h"
#include "async/future.h"
#include "async/or_timeout.h"
#include "async/task_group.h"
#include "zk/client/connect_string.h"
#include "zk/server/four_letter_word.h"

namespace drover::app {

using namespace std::chrono_literals;
using Level = Finding::Level;

namespace {

constexpr auto Patience = 2s;
constexpr double SlowAverage = 50; // milliseconds a request

Finding findingOf(const QString &subject, const QByteArray &answer)
{
    if (answer.isEmpty())
        return {Level::Problem, subject, QStringLiteral("closes the connection without an answer"),
                QStringLiteral("check the address: is that the client port of a ZooKeeper server, without TLS?")};
    if (!zk::isOfZooKeeper(answer))
        return {Level::Problem, subject, anotherProgram(answer), QStringLiteral("check the address")};
    if (zk::isRefusedByWhitelist(answer))
        return {Level::Warning, subject, QStringLiteral("answers, but its whitelist forbids to ask how it is"),
                QStringLiteral("add srvr to 4lw.commands.whitelist in its configuration")};
    const QString mode = QString::fromUtf8(zk::fieldOf(answer, "Mode"));
    const QString version = QString::fromUtf8(zk::fieldOf(answer, "Zookeeper version")).section(u'-', 0, 0);
    const QList<QByteArray> latency = zk::fieldOf(answer, "Latency min/avg/max").split('/');
    if (mode.isEmpty())
        return {Level::Problem, subject, QString::fromUtf8(answer.left(100)).simplified(),
                QStringLiteral("it has no majority: start or mend the other servers")};
    const double average = latency.value(1).toDouble();
    const QString what = QStringLiteral("%1, version %2, %3 ms a request on average")
                             .arg(mode, version, QString::number(average, 'f', 1));
    if (average > SlowAverage)
        return {Level::Warning, subject, what, QStringLiteral("look at its disk: every write waits for it")};
    return {Level::Ok, subject, what};
}

async::Task<void> ask(async::Loop &loop, zk::ServerAddress server, Finding &finding)
{
    const QString subject = QStringLiteral("ZooKeeper ") + server.toString();
    try {
        const QByteArray answer =
            co_await async::orTimeout(loop, zk::fourLetterWord(server.host, server.port, "srvr"), Patience);
        finding = findingOf(subject, answer);
    } catch (const async::Timeout &) {
        finding = {Level::Problem, subject, QStringLiteral("does not answer within 2 s"),
                   QStringLiteral("is it stopped, or overloaded?")};
    } catch (const zk::NoAnswer &error) {
        finding = {Level::Problem, subject, QString::fromUtf8(error.what()),
                   QStringLiteral("start it, or leave it out")};
    }
}

} // namespace

async::Task<Findings> checkServers(async::Loop &loop, QString connectString)
{
    const zk::ServerList servers = zk::parseConnectString(connectString);
    Findings findings(static_cast<qsizetype>(servers.size()));
    async::TaskGroup asking;
    for (std::size_t i = 0; i < servers.size(); ++i)
        asking.spawn(ask(loop, servers[i], findings[static_cast<qsizetype>(i)]));
    co_await asking.drained();
    co_return findings;
}

} // namespace drover::app
