#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/environment/context.h"
#include "app/worker/worker_keys.h"

#include <QFile>
#include <QFileInfo>
#include <QJsonArray>
#include <QTemporaryDir>

namespace drover::app {

namespace {

const QList<Column> CheckColumns{
    {"key", "KEY"},
    {"value", "VALUE", Column::Kind::Text, true},
    {"source", "SOURCE"},
};

// What the file says, or else the settings of this machine, or else the option's default.
QJsonObject rowOf(const WorkerKey &key, const WorkerPolicy::Checked &checked, const Settings &settings)
{
    const QString name = QLatin1String(key.name);
    QString value = QLatin1String(key.usual);
    QString source = QStringLiteral("default");
    const auto set = [&](const QString &text, const QString &place) {
        if (text.isEmpty())
            return;
        value = text;
        source = place.isEmpty() ? QStringLiteral("configuration") : place;
    };
    if (name == u"listen")
        set(settings.listen, settings.listenSource);
    else if (name == u"advertise")
        set(settings.advertise, {});
    else if (name == u"history")
        set(settings.history, settings.historySource);
    const bool isOverridden = source == u"--history" || source.startsWith(u"DROVER_");
    if (const auto said = checked.said.constFind(name); said != checked.said.cend() && !isOverridden) {
        value = said->value;
        source = said->where;
    }
    return {{QStringLiteral("key"), name}, {QStringLiteral("value"), value}, {QStringLiteral("source"), source}};
}

// A worker makes its spool when it starts. Tries that beside, in the nearest folder that is there; nothing is left.
QString objectionToSpool(const QString &spool)
{
    QString present = spool;
    while (!QFileInfo::exists(present))
        present = QFileInfo(present).path();
    const QTemporaryDir trial(present + QStringLiteral("/.drover-check-XXXXXX"));
    return trial.isValid() ? QString() : trial.errorString();
}

void checkSpool(WorkerPolicy::Checked &checked)
{
    const QString spool = checked.policy.spool;
    const QString objection = spool.isEmpty() ? QString() : objectionToSpool(spool);
    if (!objection.isEmpty())
        checked.wrong.append(QStringLiteral("%1: spool is \"%2\", which cannot be used: %3")
                                 .arg(checked.said[QStringLiteral("spool")].where, spool, objection));
}

QString namedFile(const Arguments &arguments)
{
    if (!arguments.has("policy"))
        return arguments.at(0);
    if (!arguments.at(0).isEmpty())
        throw UsageError(QStringLiteral("--policy: the file is named twice"));
    return arguments.value("policy");
}

async::Task<int> check(Context &context)
{
    const QString named = namedFile(context.arguments());
    const bool hasFile = named != u"none" && (!named.isEmpty() || QFile::exists(usualPolicyFile()));
    const QString file = named.isEmpty() ? usualPolicyFile() : named;
    WorkerPolicy::Checked checked = hasFile ? WorkerPolicy::check(file) : WorkerPolicy::Checked();
    checked.addDefaults(context.arguments().values("default"));
    checkSpool(checked);
    for (const QString &wrong : std::as_const(checked.wrong))
        Output::message(wrong);
    QList<QJsonObject> rows;
    for (const WorkerKey &key : workerKeys())
        rows.append(rowOf(key, checked, context.settings()));
    QJsonObject about{{QStringLiteral("wrong"), QJsonArray::fromStringList(checked.wrong)}};
    if (hasFile)
        about.insert(QStringLiteral("file"), file);
    if (checked.wrong.isEmpty() || !context.out().isTable())
        context.out().list("keys", CheckColumns, rows, about);
    if (!hasFile)
        Output::message(named == u"none"
                            ? QStringLiteral("no file was read: these are the defaults")
                            : QStringLiteral("no file was read, because there is no %1: these are the defaults")
                                  .arg(usualPolicyFile()));
    co_return checked.wrong.isEmpty() ? ExitOk : ExitUsage;
}

} // namespace

Command configCheck()
{
    return {.name = "config check",
            .synopsis = "[OPTIONS] [FILE]",
            .summary = "Check a worker's file: what is wrong with it, and what holds",
            .details =
                "FILE is /etc/drover/worker.toml unless another is named. Everything that is wrong is a line with "
                "its place; a worker would not start then. If nothing is, each key is printed with the value "
                "that holds and where it comes from. Start it as the worker's user, because which users and "
                "files there are, and who may write FILE, is checked, too. It asks no cluster anything.",
            .options = {option("policy", "the same as FILE, as the worker has it", "FILE"),
                        option("default", "as the worker has it; may be repeated, and the last counts", "KEY=VALUE")},
            .takes = {{CompletionKind::File}},
            .argumentCount = {0, 1},
            .examples = {"drover config check", "drover config check ./worker.toml -o json"},
            .exits = {{"0", "a worker can start with it"}, {"2", "something in it is wrong, or it cannot be read"}},
            .run = check};
}

} // namespace drover::app
