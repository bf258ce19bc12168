#include "zk/ensemble/server_report.h"

#include "async/future.h"
#include "async/or_timeout.h"
#include "async/task_group.h"
#include "zk/server/four_letter_word.h"

#include <algorithm>
#include <array>

namespace drover::zk {

using namespace std::chrono_literals;
using Role = ServerReport::Role;

namespace {

constexpr auto Patience = 2s;

constexpr std::array<const char *, 8> RoleNames{"leader",      "follower", "observer", "standalone",
                                                "not serving", "unknown",  "stranger", "silent"};

void readSrvr(ServerReport &report, const QByteArray &answer)
{
    if (answer.isEmpty()) {
        report.trouble = QStringLiteral("closes the connection without an answer");
    } else if (!isOfZooKeeper(answer)) {
        report.role = Role::Stranger;
        report.trouble = anotherProgram(answer);
    } else if (isRefusedByWhitelist(answer)) {
        report.role = Role::Unknown;
        report.trouble = QStringLiteral("answers, but its whitelist forbids to ask how it is");
    } else {
        const QByteArray mode = fieldOf(answer, "Mode");
        for (const Role role : {Role::Leader, Role::Follower, Role::Observer, Role::Standalone}) {
            if (mode == RoleNames[static_cast<std::size_t>(role)]) {
                report.role = role;
                return;
            }
        }
        report.role = Role::NotServing;
        report.trouble = QString::fromUtf8(answer.left(100)).simplified();
    }
}

async::Task<void> askOne(async::Loop &loop, QByteArray word, ServerReport &report)
{
    QByteArray answer;
    const async::TimePoint asked = loop.now();
    try {
        answer =
            co_await async::orTimeout(loop, fourLetterWord(report.address.host, report.address.port, word), Patience);
    } catch (const async::Timeout &) {
        if (word == "srvr")
            report.trouble = QStringLiteral("does not answer within 2 s");
        co_return;
    } catch (const NoAnswer &error) {
        if (word == "srvr")
            report.trouble = QString::fromUtf8(error.what());
        co_return;
    }
    if (word == "srvr") {
        report.answeredIn = std::chrono::duration_cast<std::chrono::microseconds>(loop.now() - asked);
        readSrvr(report, answer);
    }
    if (isRefusedByWhitelist(answer))
        report.forbidden.append(word);
    else
        report.answers.emplace(word, answer);
}

QByteArray fieldIn(const ServerReport &report, const QByteArray &word, const QByteArray &name)
{
    const auto answer = report.answers.find(word);
    return answer == report.answers.end() ? QByteArray() : fieldOf(answer->second, name).left(100);
}

} // namespace

std::optional<qint64> ServerReport::number(const QByteArray &word, const QByteArray &name) const
{
    bool isNumber = false;
    const qint64 value = fieldIn(*this, word, name).toLongLong(&isNumber);
    return isNumber ? std::optional(value) : std::nullopt;
}

QString ServerReport::version() const
{
    return QString::fromUtf8(fieldIn(*this, "srvr", "Zookeeper version")).section(u'-', 0, 0);
}

std::optional<double> ServerReport::latency() const
{
    bool isNumber = false;
    const double average = fieldIn(*this, "srvr", "Latency min/avg/max").split('/').value(1).toDouble(&isNumber);
    return isNumber ? std::optional(average) : std::nullopt;
}

std::optional<quint64> ServerReport::zxid() const
{
    bool isNumber = false;
    const quint64 zxid = fieldIn(*this, "srvr", "Zxid").toULongLong(&isNumber, 16);
    return isNumber ? std::optional(zxid) : std::nullopt;
}

std::optional<qint64> ServerReport::lagBehind(quint64 newest) const
{
    const std::optional<quint64> known = zxid();
    if (!known || *known >> 32 != newest >> 32) // its upper half is the epoch of a leader
        return std::nullopt;
    return static_cast<qint64>(newest - std::min(newest, *known));
}

quint64 newestZxid(const std::vector<ServerReport> &reports)
{
    quint64 newest = 0;
    for (const ServerReport &report : reports)
        newest = std::max(newest, report.serves() ? report.zxid().value_or(0) : 0);
    return newest;
}

QString roleName(Role role)
{
    return QString::fromLatin1(RoleNames[static_cast<std::size_t>(role)]);
}

async::Task<std::vector<ServerReport>> askServers(async::Loop &loop, ServerList servers, QByteArrayList words)
{
    std::vector<ServerReport> reports;
    for (const ServerAddress &server : servers)
        reports.push_back({.address = server});
    async::TaskGroup asking;
    for (ServerReport &report : reports) {
        for (const QByteArray &word : words)
            asking.spawn(askOne(loop, word, report));
    }
    co_await asking.drained();
    co_return reports;
}

} // namespace drover::zk
