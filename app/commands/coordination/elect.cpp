#include "app/cluster/command_under_lock.h"
#include "app/cluster/coordination.h"
#include "app/commands/commands.h"
#include "recipes/elections/leader_latch.h"
#include "text/printable.h"

#include <QCoreApplication>
#include <QSysInfo>

namespace drover::app {

namespace {

QJsonObject rowOf(const std::optional<recipes::Participant> &leader)
{
    if (!leader)
        return {{QStringLiteral("leader"), QJsonValue()}};
    return {{QStringLiteral("leader"), QString::fromUtf8(leader->data)},
            {QStringLiteral("znode"), leader->fence.path.toString()},
            {QStringLiteral("fence"), QString::fromLatin1(leader->fence.token())}};
}

// Only the line for no leader begins with a parenthesis, so that a script can tell it from every id.
QString lineOf(const std::optional<recipes::Participant> &leader)
{
    if (!leader)
        return QStringLiteral("(none)");
    const QString id = text::printable(leader->data);
    return id.startsWith(u'(') ? QStringLiteral("\\x28") + id.mid(1) : id;
}

void tell(const Output &out, const std::optional<recipes::Participant> &leader)
{
    if (out.isTable())
        out.line(lineOf(leader));
    else
        out.event(rowOf(leader));
}

using OnLeader = std::function<void(const std::optional<recipes::Participant> &)>;

async::Task<void> follow(zk::Client &zk, zk::Path path, OnLeader onChange)
{
    recipes::LeaderLatch latch(zk, path);
    co_await latch.follow(onChange);
}

async::Task<int> watch(Context &context, RecipeNode place)
{
    QJsonObject told; // what a new session says first may be known
    const OnLeader onChange = [&](const std::optional<recipes::Participant> &leader) {
        const QJsonObject row = rowOf(leader);
        if (row != told)
            tell(context.out(), leader);
        told = row;
    };
    const recipes::SessionBody body = [&](zk::Client &zk) { return follow(zk, place.path, onChange); };
    co_await context.inEverySession(body);
    co_return ExitOk;
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const bool watching = arguments.has("watch");
    if (watching != (arguments.positional().size() == 1))
        throw UsageError(watching ? QStringLiteral("--watch runs no command: drover elect --watch NAME")
                                  : QStringLiteral("name the leader's command: drover elect NAME -- COMMAND"));
    for (const char *const option : {"id", "timeout", "own-pids"}) {
        if (watching && arguments.has(option))
            throw UsageError(QStringLiteral("--%1 means nothing to --watch, which stands for no election and waits for "
                                            "ever")
                                 .arg(QLatin1String(option)));
    }
    const RecipeNode place = co_await openRecipeNode(context, "election", &jobs::Layout::election);
    if (watching)
        co_return co_await watch(context, place);
    co_await recipes::requireOnly(*place.zk, place.path, &recipes::LeaderLatch::accepts);
    recipes::LeaderLatch latch(*place.zk, place.path, recipes::Strangers::Refuse);
    const QString ourselves =
        QStringLiteral("%1:%2").arg(QSysInfo::machineHostName()).arg(QCoreApplication::applicationPid());
    const QByteArray id = (arguments.has("id") ? arguments.value("id") : ourselves).toUtf8();
    const recipes::Leadership leadership =
        co_await withinTimeout(context, latch.campaign(id),
                               QStringLiteral("not elected in %1 within %2; drover elect --watch %3 shows who leads")
                                   .arg(place.what, arguments.value("timeout"), arguments.at(0)));
    CommandUnderLock command(context, *place.zk, leadership.fence(), QStringLiteral("the leadership of ") + place.what);
    command.setVariable("DROVER_LEADER", id);
    co_return co_await command.run(arguments.command(1));
}

} // namespace

Command elect()
{
    return {.name = "elect",
            .synopsis = "[OPTIONS] NAME -- COMMAND [ARGUMENT...] | --watch NAME",
            .summary = "Run a command once elected leader, and lead while it runs",
            .details =
                "Of all who run this with the same NAME one leads at a time, in the order of their coming. Its command "
                "gets DROVER_LEADER (the id) and is fenced, and killed with all that it has started before another can "
                "lead, as in drover lock. Returns the command's exit code. --watch NAME runs nothing and prints the "
                "leader's id, now and after every change, or (none) without a leader. An id that begins with a "
                "parenthesis is printed with \\x28. With -o jsonl, leader is null without a leader. --path shares the "
                "election with Curator's LeaderLatch; a LeaderSelector is the lock of drover lock --path, and refused "
                "here but for --watch.",
            .options = {option("id", "the id that others see (default: host:pid)", "ID"),
                        option("watch", "say who leads, now and after every change"), timeoutOption(), pathOption(),
                        CommandUnderLock::ownPidsOption()},
            .takes = {{CompletionKind::Election}, {CompletionKind::Program}},
            .argumentCount = {1, Command::Unlimited},
            .runsHereFrom = 1,
            .needs = {{trust::Role::Viewer, QStringLiteral("--watch")}, {trust::Role::Submit}},
            .examples = {"drover elect importer -- ./import --forever", "drover elect --watch importer"},
            .exits = QList<Command::ExitMeaning>{{"124", "--timeout passed before it was elected"}}
                + CommandUnderLock::exits(),
            .run = execute};
}

} // namespace drover::app
