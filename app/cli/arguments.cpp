#include "app/cli/arguments.h"

#include "app/cli/argv_text.h"
#include "app/cli/command.h"
#include "app/cli/failure.h"
#include "app/cli/units.h"
#include "jobs/model/job_id.h"

namespace drover::app {

namespace {

QString dashed(const char *option)
{
    return QStringLiteral("--") + QLatin1String(option);
}

} // namespace

QByteArrayList Arguments::command(qsizetype first) const
{
    QByteArrayList words;
    for (const QString &word : positional().mid(first))
        words.append(argvBytes(word));
    return words;
}

std::chrono::milliseconds Arguments::duration(const char *option, std::chrono::milliseconds fallback) const
{
    return has(option) ? parseDuration(value(option), dashed(option)) : fallback;
}

std::chrono::milliseconds Arguments::timeout() const
{
    const std::chrono::milliseconds limit = duration("timeout", {});
    if (has("timeout") && limit.count() == 0)
        throw UsageError(QStringLiteral("--timeout: in no time nothing can be seen; give at least 1ms"));
    return limit;
}

qint64 Arguments::size(const char *option, qint64 fallback, qint64 minimum) const
{
    return has(option) ? parseSize(value(option), dashed(option), minimum) : fallback;
}

qint64 Arguments::integer(const char *option, qint64 minimum, qint64 maximum, qint64 fallback) const
{
    return has(option) ? parseInteger(value(option), dashed(option), minimum, maximum) : fallback;
}

QByteArray Arguments::name(const char *option, const char *fallback) const
{
    return has(option) ? parseName(value(option), dashed(option)) : QByteArray(fallback);
}

QCommandLineOption option(const char *names, const char *description, const char *placeholder)
{
    return QCommandLineOption(QString::fromLatin1(names).split(u' '), QString::fromUtf8(description),
                              QString::fromLatin1(placeholder));
}

QList<QCommandLineOption> globalOptions()
{
    return {
        option("connect", "ZooKeeper servers: zk1:2181,zk2:2181[/path] (or DROVER_CONNECT)", "SERVERS"),
        option("cluster", "cluster to use (or DROVER_CLUSTER; default: default)", "CLUSTER"),
        option("config", "configuration file instead of the user's and the system's", "FILE"),
        option("credentials", "file with your credentials, or none (or DROVER_CREDENTIALS)", "FILE"),
        option("history", "where finished jobs are kept: a file, postgresql://..., or none (or DROVER_HISTORY)",
               "PLACE"),
        option("connect-timeout", "give up when no server answers for so long (default: 5s)", "DURATION"),
        option("o output", "form of the data (default: table)", Command::UsualForms),
        option("h help", "show help"),
        option("version", "show the version"),
    };
}

} // namespace drover::app
