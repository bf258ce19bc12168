#include "app/lab/lock_services.h"

#include <unistd.h>

namespace drover::app {

namespace {

LockService zooKeeperService(const char *name, const QString &servers, const zk::Path &root, MakeContention contention)
{
    const auto connect = [=](const QByteArray &lock, std::chrono::milliseconds lease) {
        return zooKeeperLeaseLock(servers, root / lock, lease, contention);
    };
    return {QString::fromLatin1(name), {}, connect};
}

#if defined(DROVER_WITH_REDIS) || defined(DROVER_WITH_MEMCACHED)
struct DaemonKind {
    const char *name;
    const char *program; // and Debian's package
    ScratchDaemon::Arguments arguments;
    std::unique_ptr<LeaseLock> (*connect)(quint16 port, const QByteArray &lock, std::chrono::milliseconds lease);
};

async::Task<LockService> daemonService(async::Loop &loop, ScratchDaemon &daemon, DaemonKind kind)
{
    const QString name = QString::fromLatin1(kind.name);
    const QString program = ScratchDaemon::find(QLatin1String(kind.program));
    if (program.isEmpty())
        co_return LockService{name,
                              QStringLiteral("not installed: apt-get install %1").arg(QLatin1String(kind.program))};
    co_await daemon.start(loop, program, kind.arguments);
    co_return LockService{name, {}, std::bind_front(kind.connect, daemon.port())};
}
#endif

#ifdef DROVER_WITH_REDIS
QStringList redisArguments(quint16 port, const QString &directory)
{
    return {QStringLiteral("--bind"),       QStringLiteral("127.0.0.1"),
            QStringLiteral("--port"),       QString::number(port),
            QStringLiteral("--dir"),        directory,
            QStringLiteral("--save"),       QString(),
            QStringLiteral("--appendonly"), QStringLiteral("no")};
}
#endif

#ifdef DROVER_WITH_MEMCACHED
QStringList memcachedArguments(quint16 port, const QString &)
{
    QStringList arguments{QStringLiteral("-l"),  QStringLiteral("127.0.0.1"), QStringLiteral("-p"),
                          QString::number(port), QStringLiteral("-U"),        QStringLiteral("0")};
    if (::geteuid() == 0) // which it refuses to run as unless told who to be
        arguments += {QStringLiteral("-u"), QStringLiteral("root")};
    return arguments;
}
#endif

} // namespace

async::Task<void> LockServices::start(async::Loop &loop, QString zooKeeper, zk::Path root)
{
    m_all.push_back(zooKeeperService("ZooKeeper ticket", zooKeeper, root / "ticket", contendForMutex));
    m_all.push_back(zooKeeperService("ZooKeeper slow", zooKeeper, root / "slow", contendForSimpleLock));
#ifdef DROVER_WITH_REDIS
    const DaemonKind redisKind{"Redis SET NX PX", "redis-server", redisArguments, redisLeaseLock};
    LockService redis = co_await daemonService(loop, m_redis, redisKind);
#else
    LockService redis{QStringLiteral("Redis SET NX PX"), QStringLiteral("not built in: install libhiredis-dev")};
#endif
    m_all.push_back(std::move(redis));
#ifdef DROVER_WITH_MEMCACHED
    const DaemonKind memcachedKind{"memcached add", "memcached", memcachedArguments, memcachedLeaseLock};
    LockService memcached = co_await daemonService(loop, m_memcached, memcachedKind);
#else
    LockService memcached{QStringLiteral("memcached add"), QStringLiteral("not built in: install libmemcached-dev")};
#endif
    m_all.push_back(std::move(memcached));
    Q_UNUSED(loop) // without either
}

} // namespace drover::app
