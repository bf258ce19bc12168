#include "recipes/elections/group.h"

#include "app/cluster/command_under_lock.h"
#include "app/cluster/coordination.h"
#include "app/commands/commands.h"
#include "text/printable.h"

#include <QCoreApplication>
#include <QSysInfo>

namespace drover::app {

namespace {

const QList<Column> Columns{{"member", "MEMBER"}, {"data", "DATA", Column::Kind::Text, true}};

QJsonObject rowOf(const QByteArray &id, const QByteArray &data)
{
    return {{QStringLiteral("member"), QString::fromUtf8(id)}, {QStringLiteral("data"), QString::fromUtf8(data)}};
}

const char *nameOf(recipes::GroupEvent::Type type)
{
    switch (type) {
    case recipes::GroupEvent::Type::Joined:
        return "joined";
    case recipes::GroupEvent::Type::Left:
        return "left";
    case recipes::GroupEvent::Type::DataChanged:
        break;
    }
    return "changed";
}

void tell(const Output &out, const recipes::GroupEvent &event)
{
    const QString type = QLatin1String(nameOf(event.type));
    if (out.isTable()) {
        out.line(QStringLiteral("%1 %2").arg(type, -8).arg(text::printable(QString::fromUtf8(event.member.id))));
        return;
    }
    QJsonObject row = rowOf(event.member.id, event.member.data);
    row.insert(QStringLiteral("event"), type);
    out.event(row);
}

using Layout = recipes::Group::Layout;

Layout layoutOf(const Context &context)
{
    return context.arguments().has("party") ? Layout::Party : Layout::GroupMember;
}

// A client that takes a party for a GroupMember's directory, or the reverse, sees wrong members or ids.
async::Task<void> requireLayout(RecipeNode place, Layout layout)
{
    if (layout == Layout::GroupMember) {
        co_await recipes::requireOnly(*place.zk, place.path, &recipes::Group::accepts);
        co_return;
    }
    try {
        co_await recipes::requireOnly(*place.zk, place.path, &recipes::Group::acceptsInParty);
    } catch (const recipes::OtherLayout &other) {
        if (other.kind() == recipes::NodeKind::Other)
            throw UsageError(
                QStringLiteral("%1 holds members of Curator's GroupMember; nothing was done: leave --party "
                               "out to share it")
                    .arg(place.path.toString()));
        throw;
    }
}

async::Task<void> stay(zk::Client &zk, zk::Path path, Layout layout, QByteArray id, QByteArray data)
{
    recipes::Group group(zk, path, layout);
    co_await group.stay(id, data);
}

using OnEvent = std::function<void(const recipes::GroupEvent &)>;

async::Task<void> follow(zk::Client &zk, zk::Path path, Layout layout, OnEvent onEvent)
{
    recipes::Group group(zk, path, layout);
    co_await group.follow(onEvent);
}

async::Task<int> watch(Context &context, RecipeNode place)
{
    const OnEvent onEvent = [&](const recipes::GroupEvent &event) { tell(context.out(), event); };
    const Layout layout = layoutOf(context);
    const recipes::SessionBody body = [&](zk::Client &zk) { return follow(zk, place.path, layout, onEvent); };
    co_await context.inEverySession(body);
    co_return ExitOk;
}

async::Task<int> list(Context &context, recipes::Group &group)
{
    const std::vector<recipes::Member> members = co_await group.members();
    QList<QJsonObject> rows;
    for (const recipes::Member &member : members)
        rows.append(rowOf(member.id, member.data));
    context.out().list("members", Columns, rows);
    co_return ExitOk;
}

void requireId(const RecipeNode &place, const recipes::Group &group, const QByteArray &id)
{
    try {
        group.requireId(id);
    } catch (const std::invalid_argument &error) {
        throw UsageError(
            QStringLiteral("--id: \"%1\": %2").arg(QString::fromUtf8(id), QString::fromUtf8(error.what())));
    }
    const zk::Path checked = place.path / id; // refuses control characters
}

// A member while the command runs; without one until interrupted, whatever becomes of node and session.
async::Task<int> join(Context &context, RecipeNode place, recipes::Group &group)
{
    const Arguments &arguments = context.arguments();
    const QString ourselves =
        QStringLiteral("%1-%2").arg(QSysInfo::machineHostName()).arg(QCoreApplication::applicationPid());
    const QByteArray id = (arguments.has("id") ? arguments.value("id") : ourselves).toUtf8();
    const QByteArray data = arguments.value("data").toUtf8();
    requireId(place, group, id);
    const QByteArrayList command = arguments.command(2);
    if (command.isEmpty() && arguments.has("own-pids"))
        throw UsageError(QStringLiteral("--own-pids is about COMMAND, and there is none"));
    if (command.isEmpty() && arguments.has("timeout"))
        throw UsageError(
            QStringLiteral("--timeout is how long COMMAND waits for another of the same id to go; without a "
                           "command join waits for ever"));
    if (command.isEmpty()) {
        Output::hint(QStringLiteral("a member of %1 as %2; Ctrl-C leaves").arg(place.what, QString::fromUtf8(id)));
        const Layout layout = layoutOf(context);
        const recipes::SessionBody body = [&](zk::Client &zk) { return stay(zk, place.path, layout, id, data); };
        co_await context.inEverySession(body);
        co_return ExitOk;
    }
    const recipes::Membership membership =
        co_await withinTimeout(context, group.join(id, data),
                               QStringLiteral("there was another %1 in %2 for %3")
                                   .arg(QString::fromUtf8(id), place.what, arguments.value("timeout")));
    CommandUnderLock guarded(context, *place.zk, membership.fence(), QStringLiteral("the place in ") + place.what);
    co_return co_await guarded.run(command);
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QString verb = arguments.at(1);
    if (verb != u"join" && arguments.positional().size() > 2)
        throw UsageError(QStringLiteral("drover group NAME %1 runs no command").arg(verb));
    if (arguments.has("party") && arguments.has("data"))
        throw UsageError(QStringLiteral("a member of a kazoo Party has no data besides its id: leave --data out"));
    const RecipeNode place = co_await openRecipeNode(context, "group", &jobs::Layout::group);
    co_await requireLayout(place, layoutOf(context));
    recipes::Group group(*place.zk, place.path, layoutOf(context));
    if (verb == u"ls")
        co_return co_await list(context, group);
    if (verb == u"join")
        co_return co_await join(context, place, group);
    co_return co_await watch(context, place);
}

} // namespace

Command group()
{
    return {.name = "group",
            .synopsis = "[OPTIONS] NAME join [-- COMMAND [ARGUMENT...]] | ls | watch",
            .summary = "Be a member of a group, list its members, or watch them",
            .details = "join: a member until interrupted, or while COMMAND runs; others see the id at once, and see it "
                       "gone when this process has ended in whatever way. COMMAND is killed, with all that it has "
                       "started, before another can join as the same id (drover lock --help). watch: who is there, "
                       "then who comes, goes or changes; when its session is lost, it begins anew with the next. "
                       "--path shares the group with Curator's GroupMember, or with kazoo's Party if --party is given.",
            .options = {option("id", "join: the id that others see (default: host-pid)", "ID"),
                        option("data", "join: text that others read beside the id", "TEXT"),
                        option("party", "the group is a Party of kazoo's: members have an id and no data"),
                        timeoutOption(), pathOption(), CommandUnderLock::ownPidsOption()},
            .verbs = {{QStringLiteral("join"),
                       {QStringLiteral("id"), QStringLiteral("data"), QStringLiteral("timeout"),
                        QStringLiteral("own-pids")}},
                      {QStringLiteral("ls")},
                      {QStringLiteral("watch")}},
            .takes = {{CompletionKind::Group}, {}, {CompletionKind::Program}},
            .argumentCount = {2, Command::Unlimited},
            .runsHereFrom = 2,
            .needs = {{trust::Role::Submit, QStringLiteral("join")}, {trust::Role::Viewer}},
            .examples = {"drover group web join --data http://10.0.0.7 -- ./serve", "drover group web ls"},
            .exits = QList<Command::ExitMeaning>{{"124", "join: --timeout passed before the id was free"}}
                + CommandUnderLock::exits(),
            .run = execute};
}

} // namespace drover::app
