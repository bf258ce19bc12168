// Submits a job to the cluster "default" and waits for its end: submit HOST:PORT COMMAND...
#include "async/qt_loop.h"
#include "async/task_group.h"
#include "jobs/client/submitter.h"
#include "jobs/client/wait_for_job.h"
#include "zk/client/session.h"
#include <QCoreApplication>
#include <cstdio>
using namespace drover;
async::Task<void> submit(zk::Session &session, QStringList command)
{
    const jobs::Cluster cluster(session, jobs::Layout("default"));
    jobs::Submitter submitter(cluster, jobs::ClusterConfig());
    const jobs::JobSpec job{.command = command}; // not below: GCC 12 miscompiles braces in what is awaited
    const jobs::JobId id = co_await submitter.submit(job);
    const jobs::FinalRecord end = co_await jobs::waitForEnd(cluster, id);
    std::printf("%s has %s\n", qPrintable(id.toString()), qPrintable(jobs::stateName(end.state())));
    QCoreApplication::quit();
}

int main(int argc, char **argv)
{
    QCoreApplication application(argc, argv);
    async::QtLoop loop;
    zk::Session session(loop, {.servers = QString::fromLocal8Bit(argv[1])});
    session.open();
    async::TaskGroup tasks([](const std::exception_ptr &) { QCoreApplication::exit(1); });
    tasks.spawn(submit(session, QCoreApplication::arguments().mid(2)));
    return QCoreApplication::exec();
}
