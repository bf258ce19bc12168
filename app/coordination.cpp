#include "app/coordination.h"

#include <QCoreApplication>
#include <QSysInfo>

namespace drover::app {

QByteArray placeName(const char *kind, const QString &name)
{
    if (!jobs::isValidLockName(name))
        throw UsageError(
            QStringLiteral("no %1 can be called \"%2\"; use 1 to 64 letters, digits and . _ -, not beginning "
                           "with a dot")
                .arg(QLatin1String(kind), name));
    return name.toLatin1();
}

async::Task<Place> openPlace(Context &context, const char *kind, PathOfName ofName)
{
    const Arguments &arguments = context.arguments();
    const QString name = arguments.at(0);
    const QString what = QStringLiteral("%1 %2").arg(QLatin1String(kind), name);
    if (arguments.has("path")) {
        const zk::Path path(arguments.value("path").toUtf8());
        zk::Coordinator *const zk = co_await context.connect();
        co_return Place{zk, path, what};
    }
    const QByteArray valid = placeName(kind, name);
    zk::Coordinator *const zk = co_await context.openCluster();
    const jobs::Layout layout = context.layout();
    co_return Place{zk, (layout.*ofName)(valid), what};
}

QString adviceOn(const recipes::OtherLayout &other)
{
    using Kind = recipes::NodeKind;
    const auto with = [&](const char *advice) {
        return QString::fromLatin1(advice).arg(QStringLiteral("--path ") + other.directory().toString());
    };
    switch (other.kind()) {
    case Kind::Mutex:
    case Kind::WriteLock:
        return with("nothing was done: drover lock %1 without --write and --shared stands in the same line");
    case Kind::KazooLock:
        return with("nothing was done: drover lock %1 without --write and --shared waits for it, and kazoo waits for "
                    "that lock if it has extra_lock_patterns=[\"-lock-\"]");
    case Kind::ReadWriteLock:
        return with("nothing was done: drover lock %1 with --write or --shared stands in the same line");
    case Kind::Latch:
        return with("nothing was done: drover elect %1 takes part in that election");
    case Kind::Semaphore:
        return with("nothing was done: drover semaphore %1 shares it");
    case Kind::Barrier:
        return with("nothing was done: drover double-barrier %1 shares it");
    case Kind::Party:
        return with("nothing was done: drover group %1 with --party shares it");
    case Kind::Queue:
        return with("nothing was done: drover queue %1 shares it");
    case Kind::KazooReadLock:
    case Kind::KazooSemaphore:
    case Kind::CuratorQueue:
    case Kind::KazooQueue:
    case Kind::Other:
        break;
    }
    return QStringLiteral("nothing was done: use another znode, for no command of drover shares this one with it");
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
    return QStringLiteral("%1 process %2: %3")
        .arg(QSysInfo::machineHostName())
        .arg(QCoreApplication::applicationPid())
        .arg(command)
        .toUtf8();
}

} // namespace drover::app
