// Holds a lock that excludes all machines, and Curator's InterProcessMutex: lock HOST:PORT /ZNODE
#include "async/qt_loop.h"
#include "async/task_group.h"
#include "recipes/locks/mutex.h"
#include "zk/client/session.h"
#include <QCoreApplication>
#include <cstdio>
using namespace drover;

async::Task<void> hold(zk::Session &session, QByteArray path)
{
    recipes::Mutex mutex(session, zk::Path(path));
    recipes::Lock lock = co_await mutex.acquire("lock.cpp");
    std::printf("the lock is mine, with the fence %s\n", lock.fence().token().constData());
    lock.release();
    co_await session.close();
    QCoreApplication::quit();
}

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    async::QtLoop loop;
    zk::Session session(loop, {.servers = QString::fromLocal8Bit(argv[1])});
    session.open();
    async::TaskGroup tasks([](const std::exception_ptr &) { QCoreApplication::exit(1); });
    tasks.spawn(hold(session, argv[2]));
    return QCoreApplication::exec();
}
