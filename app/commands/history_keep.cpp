#include "app/commands/commands.h"
#include "app/context.h"
#include "app/units.h"

#include <QJsonDocument>

namespace drover::app {

namespace {

// The settings with these two changed; others, of a later version too, stay as they are.
QByteArray changed(const QByteArray &settings, const Arguments &arguments)
{
    jobs::ClusterConfig config = jobs::ClusterConfig::decode(settings);
    config.historyKeep = arguments.duration("for", config.historyKeep);
    config.historyLimit = arguments.integer("jobs", 0, qint64(1) << 53, config.historyLimit);
    QJsonObject object = QJsonDocument::fromJson(settings).object();
    const QJsonObject mine = QJsonDocument::fromJson(config.encode()).object();
    for (const char *const key : {"history_keep_ms", "history_limit"})
        object.insert(QLatin1String(key), mine.value(QLatin1String(key)));
    return QJsonDocument(object).toJson(QJsonDocument::Compact);
}

async::Task<int> execute(Context &context)
{
    zk::Coordinator *const zk = co_await context.openCluster();
    const zk::Path path = context.layout().config();
    const bool changes = context.arguments().has("for") || context.arguments().has("jobs");
    QByteArray settings;
    for (;;) {
        const zk::Answer<zk::Node> node = co_await zk->get(path);
        node.require();
        settings = node->data;
        if (!changes)
            break;
        settings = changed(settings, context.arguments());
        const zk::Answer<zk::Stat> written = co_await zk->set(path, settings, node->stat.version);
        if (!written.is(zk::Code::BadVersion)) { // else somebody else has changed them: once more
            written.require();
            break;
        }
    }
    const jobs::ClusterConfig config = jobs::ClusterConfig::decode(settings);
    if (context.out().isTable())
        context.out().line(QStringLiteral("finished jobs are kept %1, %2")
                               .arg(config.historyKeep.count() == 0
                                        ? QStringLiteral("for ever")
                                        : QStringLiteral("for ") + formatDuration(config.historyKeep),
                                    config.historyLimit == 0 ? QStringLiteral("however many they are")
                                                             : QStringLiteral("at most %1").arg(config.historyLimit)));
    else
        context.out().object({},
                             {{QStringLiteral("keep_for_ms"), qint64(config.historyKeep.count())},
                              {QStringLiteral("keep_jobs"), config.historyLimit}});
    co_return ExitOk;
}

} // namespace

Command historyKeep()
{
    return {.name = "history keep",
            .synopsis = "[OPTIONS]",
            .summary = "Show or set how much of the history is kept",
            .details =
                "Everything is kept until something else is said. What is too much the master removes within ten\n"
                "minutes, the oldest first.",
            .options = {option("for", "remove jobs that ended longer ago; 0: never", "DURATION"),
                        option("jobs", "remove the oldest beyond so many; 0: no limit", "N")},
            .run = execute};
}

} // namespace drover::app
