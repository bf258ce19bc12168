#include "app/cluster/coordination.h"

#include "jobs/cluster/acl_table.h"
#include "recipes/locks/outer_owners.h"
#include "text/name.h"

#include <QCoreApplication>
#include <QSysInfo>

namespace drover::app {

QByteArray placeName(const char *kind, const QString &name)
{
    if (!text::isLockName(name))
        throw UsageError(
            QStringLiteral("no %1 can be called \"%2\"; use 1 to 64 letters, digits and . _ -, not beginning "
                           "with a dot")
                .arg(QLatin1String(kind), name));
    return name.toLatin1();
}

async::Task<RecipeNode> openRecipeNode(Context &context, const char *kind, PathOfName ofName)
{
    const Arguments &arguments = context.arguments();
    const QString name = arguments.at(0);
    const QString what = QStringLiteral("%1 %2").arg(QLatin1String(kind), name);
    if (arguments.has("path")) {
        const zk::Path path(arguments.value("path").toUtf8());
        if (!jobs::isWithin(context.layout(), path))
            context.leaveCluster();
        context.requireRole();
        zk::Client *const zk = co_await context.connect();
        co_return RecipeNode{zk, path, what};
    }
    const QByteArray valid = placeName(kind, name);
    const jobs::Cluster cluster = co_await context.openCluster();
    co_return RecipeNode{&cluster.zk, (cluster.layout.*ofName)(valid), what};
}

QCommandLineOption pathOption()
{
    return option("path", "the znode to use instead of NAME's in the cluster; NAME may be left out", "ZNODE");
}

QCommandLineOption timeoutOption()
{
    return option("timeout", "give up after so long, with exit code 124", "DURATION");
}

void requireTryOrTimeout(const Arguments &arguments)
{
    if (arguments.has("try") && arguments.has("timeout"))
        throw UsageError(QStringLiteral("--try does not wait: give it or --timeout, not both"));
}

QByteArray describeUs(const QString &command)
{
    const QString process = QStringLiteral("%1 process %2: %3")
                                .arg(QSysInfo::machineHostName())
                                .arg(QCoreApplication::applicationPid())
                                .arg(command);
    return recipes::aboutWithin(process.toUtf8(), recipes::parseOwners(qgetenv(recipes::OwnersVariable)));
}

} // namespace drover::app
