#include "app/cli/failure.h"
#include "app/cli/json_builder.h"
#include "app/cli/sentence.h"
#include "app/cluster/cluster_settings.h"
#include "app/commands/commands.h"
#include "history/error.h"
#include "history/location.h"
#include "text/quantity.h"

namespace drover::app {

namespace {

// Whether machines take it from the cluster although their own configuration does not list it.
bool mayBeTakenUnlisted(const QString &place)
{
    try {
        history::Location::fromCluster(place, {});
    } catch (const history::LocationNotListed &) {
        return false;
    }
    return true;
}

// As it was given, once it is known to be one.
QString placeFrom(const QString &text)
{
    if (text == u"none")
        return {};
    const history::Location named = history::Location::parse(text);
    if (!named.password.isEmpty() || named.parameters.contains(u"password="))
        throw UsageError(
            QStringLiteral("--in: everybody who can read the cluster's settings would see the password for %1; "
                           "leave it out, and put it into ~/.pgpass on the workers' machines and history_allow = "
                           "[\"%1\"] into their configuration files")
                .arg(named.display()));
    if (named.engine == history::Location::Engine::Sqlite && !named.shared && !text.startsWith(u'/'))
        throw UsageError(QStringLiteral("--in: \"%1\" is a file of this directory; name it as every worker will find "
                                        "it, beginning with /")
                             .arg(text));
    mayBeTakenUnlisted(text); // refuses parameters that may harm
    return text;
}

bool dropsFrom(const QString &text)
{
    if (text != u"hold" && text != u"drop")
        throw UsageError(QStringLiteral("--when-away: \"%1\" is neither hold nor drop").arg(text));
    return text == u"drop";
}

// Records that are removed are gone: the seconds that a bare number means elsewhere are hardly meant here.
void requireUnit(const QString &text)
{
    bool isNumber = false;
    if (text.toDouble(&isNumber) > 0 && isNumber)
        throw UsageError(QStringLiteral("--for: %1 would be seconds, and older records are removed for good; give a "
                                        "unit: %1d, %1h, %1s")
                             .arg(text));
}

// Without its password.
QString shown(const QString &place)
{
    return place.isEmpty() ? QString() : history::Location::parse(place).display();
}

async::Task<int> execute(Context &context)
{
    const Arguments &arguments = context.arguments();
    requireUnit(arguments.value("for"));
    const std::function<void(jobs::ClusterConfig &)> change = [&arguments](jobs::ClusterConfig &config) {
        config.historyKeep = arguments.duration("for", config.historyKeep);
        config.historyLimit = arguments.integer("jobs", 0, qint64(1) << 53, config.historyLimit);
        if (arguments.has("in"))
            config.history = placeFrom(arguments.value("in"));
        if (arguments.has("when-away"))
            config.dropWhenAway = dropsFrom(arguments.value("when-away"));
    };
    const jobs::Cluster cluster = co_await context.openCluster();
    const jobs::ClusterConfig config = co_await changeSettings(cluster, change);
    if (arguments.has("in"))
        Output::hint(QStringLiteral("workers without --history use it after their next start"));
    if (arguments.has("in") && !config.history.isEmpty() && !mayBeTakenUnlisted(config.history))
        Output::message(QStringLiteral("each machine that is to use it needs history_allow = [\"%1\"] in its "
                                       "configuration file")
                            .arg(history::Location::parse(config.history).setting()));
    if (context.out().isTable()) {
        printSentence(context.out(),
                      QStringLiteral("finished jobs are kept %1, %2, %3")
                          .arg(config.historyKeep.count() == 0
                                   ? QStringLiteral("for ever")
                                   : QStringLiteral("for ") + text::formatDuration(config.historyKeep),
                               config.historyLimit == 0 ? QStringLiteral("however many they are")
                                                        : QStringLiteral("at most %1").arg(config.historyLimit),
                               config.history.isEmpty()
                                   ? QStringLiteral("where each worker's --history says")
                                   : QStringLiteral("in %1 by workers without --history").arg(shown(config.history))));
        printSentence(context.out(),
                      config.dropWhenAway
                          ? QStringLiteral("while that fails the oldest final records beyond %1 are lost")
                                .arg(text::formatCount(config.doneLimit))
                          : QStringLiteral("while that fails no job is claimed once %1 final records wait for it")
                                .arg(text::formatCount(config.doneLimit)));
    } else {
        context.out().object(
            {},
            {{QStringLiteral("keep_for"), exactDuration(config.historyKeep)},
             {QStringLiteral("keep_jobs"), config.historyLimit},
             {QStringLiteral("keep_in"), shown(config.history)},
             {QStringLiteral("when_away"), config.dropWhenAway ? QStringLiteral("drop") : QStringLiteral("hold")}});
    }
    co_return ExitOk;
}

} // namespace

Command historyKeep()
{
    return {
        .name = "history keep",
        .summary = "Show or set how much of the history is kept, and where",
        .details =
            "Everything is kept until something else is said. What is too much the master removes within ten\n"
            "minutes, the oldest first. Where: for workers and commands without --history. They send passwords there,\n"
            "or open a file or a Unix socket, only if their configuration file names the place, too:\n"
            "history_allow = [\"postgresql://...\"]. With\n"
            "candidates for master on several machines, a file that they all see, shared:/FILE, or postgresql://.\n"
            "No record is deleted from ZooKeeper before it is in the history. While the history fails, records wait;\n"
            "once there are as many as the cluster's --done-limit, no more jobs are claimed until the history is "
            "back.\n"
            "With --when-away drop jobs go on, and the oldest records are lost.",
        .options = {option("for", "remove jobs that ended longer ago; 0: never", "DURATION"),
                    option("jobs", "remove the oldest beyond so many; 0: no limit", "N"),
                    option("in", "where it is kept: shared:/FILE, postgresql://..., or none", "PLACE"),
                    option("when-away", "while it fails: hold claims back (at first), or drop the oldest records",
                           "hold|drop")},
        .needs = {{trust::Role::Operate, QStringLiteral("--for")},
                  {trust::Role::Operate, QStringLiteral("--jobs")},
                  {trust::Role::Operate, QStringLiteral("--in")},
                  {trust::Role::Operate, QStringLiteral("--when-away")},
                  {trust::Role::Viewer}},
        .check = "drover history keep",
        .examples = {"drover history keep", "drover history keep --for 30d --jobs 1000000"},
        .run = execute};
}

} // namespace drover::app
