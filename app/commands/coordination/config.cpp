#include "recipes/values/config.h"

#include "app/cluster/coordination.h"
#include "app/commands/commands.h"

namespace drover::app {

namespace {

QJsonObject rowOf(const QString &key, const recipes::Setting *setting)
{
    QJsonObject row{{QStringLiteral("key"), key}, {QStringLiteral("value"), QJsonValue()}};
    if (setting) {
        row.insert(QStringLiteral("value"), QString::fromUtf8(setting->bytes));
        row.insert(QStringLiteral("version"), setting->version);
    }
    return row;
}

void tell(const Context &context, const QString &key, const recipes::Setting *setting)
{
    const Output &out = context.out();
    if (out.isTable())
        out.foreignLine(setting ? setting->bytes : QByteArrayLiteral("(none)"), context.arguments().has("raw"));
    else
        out.event(rowOf(key, setting));
}

struct Key {
    recipes::Config config;
    QByteArray name;
};

// With --path its last part is the key.
Key keyAt(zk::Client &zk, const zk::Path &path)
{
    return {recipes::Config(zk, path.parent()), path.name()};
}
Key keyAt(const RecipeNode &place)
{
    return keyAt(*place.zk, place.path);
}

async::Task<int> get(Context &context)
{
    const RecipeNode place = co_await openRecipeNode(context, "setting", &jobs::Layout::setting);
    Key key = keyAt(place);
    const std::optional<recipes::Setting> setting = co_await key.config.get(key.name);
    if (!setting)
        throw CommandError(ExitNotFound,
                           QStringLiteral("there is no %1; drover config set %2 VALUE makes it")
                               .arg(place.what, context.arguments().at(0)));
    tell(context, context.arguments().at(0), &*setting);
    co_return ExitOk;
}

// "none" is the version of a key that is not there.
std::optional<qint32> versionOf(const Arguments &arguments)
{
    if (arguments.value("if-version") == u"none")
        return std::nullopt;
    constexpr qint64 limit = std::numeric_limits<qint32>::max();
    return static_cast<qint32>(arguments.integer("if-version", -limit - 1, limit, 0));
}

// A script that writes again under a condition needs the version; people do not.
void tellVersion(const Output &out, const QString &key, std::optional<qint32> version)
{
    if (out.isTable())
        return;
    QJsonObject row{{QStringLiteral("key"), key}};
    if (version)
        row.insert(QStringLiteral("version"), *version);
    out.event(row);
}

async::Task<int> set(Context &context)
{
    const Arguments &arguments = context.arguments();
    const QByteArray value = arguments.at(1).toUtf8();
    const bool conditional = arguments.has("if-version");
    const std::optional<qint32> version = conditional ? versionOf(arguments) : std::nullopt;
    const RecipeNode place = co_await openRecipeNode(context, "setting", &jobs::Layout::setting);
    Key key = keyAt(place);
    if (!conditional) {
        const std::optional<qint32> made = co_await key.config.set(key.name, value);
        tellVersion(context.out(), arguments.at(0), made);
        co_return ExitOk;
    }
    const std::optional<qint32> written = co_await key.config.setIf(key.name, version, value);
    if (!written) {
        const QString why = version ? QStringLiteral("is not at version %1").arg(*version) : QStringLiteral("exists");
        throw CommandError(ExitWrongState,
                           QStringLiteral("%1 %2, nothing was written; drover config get %3 -o json shows it")
                               .arg(place.what, why, arguments.at(0)));
    }
    tellVersion(context.out(), arguments.at(0), written);
    co_return ExitOk;
}

using OnSetting = std::function<void(const recipes::Setting *)>;

async::Task<void> follow(zk::Client &zk, zk::Path path, OnSetting onChange)
{
    Key key = keyAt(zk, path);
    co_await key.config.watch(key.name, onChange);
}

async::Task<int> watch(Context &context)
{
    const RecipeNode place = co_await openRecipeNode(context, "setting", &jobs::Layout::setting);
    const QString name = context.arguments().at(0);
    QJsonObject told; // what a new session says first may be known
    const OnSetting onChange = [&](const recipes::Setting *setting) {
        const QJsonObject row = rowOf(name, setting);
        if (row != told)
            tell(context, name, setting);
        told = row;
    };
    const recipes::SessionBody body = [&](zk::Client &zk) { return follow(zk, place.path, onChange); };
    co_await context.inEverySession(body);
    co_return ExitOk;
}

} // namespace

Command configGet()
{
    return {.name = "config get",
            .synopsis = "[OPTIONS] KEY",
            .summary = "Print a setting that processes share",
            .details = "-o json adds its version, for drover config set --if-version.",
            .options = {rawOption(), pathOption()},
            .takes = {{CompletionKind::Setting}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover config get limit"},
            .exits = {{"3", "there is no such setting"}},
            .run = get};
}

Command configSet()
{
    return {.name = "config set",
            .synopsis = "[OPTIONS] KEY VALUE",
            .summary = "Write a setting, at will or unless it has changed meanwhile",
            .details = "Returns 4, and has written nothing, if the setting is not at the version of --if-version. -o "
                       "json prints the version that was written.",
            .options = {option("if-version", "write only if it still has this version (none: only if there is none)",
                               "VERSION"),
                        pathOption()},
            .takes = {{CompletionKind::Setting}, {}},
            .needs = {{trust::Role::Submit}},
            .check = "drover config get %1",
            .examples = {"drover config set limit 8", "drover config set limit 9 --if-version 0"},
            .exits = {{"4", "it has changed: another version than --if-version"}},
            .run = set};
}

Command configWatch()
{
    return {.name = "config watch",
            .synopsis = "[OPTIONS] KEY",
            .summary = "Print a setting, now and after every change",
            .options = {rawOption(), pathOption()},
            .takes = {{CompletionKind::Setting}},
            .needs = {{trust::Role::Viewer}},
            .examples = {"drover config watch limit"},
            .run = watch};
}

} // namespace drover::app
