#pragma once

#include "app/demo/input_files.h"
#include "app/demo/report.h"
#include "app/scratch/worker_process.h"
#include "jobs/client/job_lookup.h"
#include "jobs/client/submitter.h"
#include "recipes/locks/read_write_lock.h"
#include "zk/client/session.h"
#include "zk/server/local_server.h"

#include <map>

namespace drover::app {

struct DemoResult {
    bool ok = false; // all jobs succeeded, and the report is right
    int jobs = 0;
    int workers = 0;
    int lost = 0; // files that the report lacks
    int repeated = 0; // lines beyond the first of a file
    int rerun = 0; // jobs that took more than one attempt
    double perSecond = 0; // jobs a second
    double seconds = 0; // from the first submit to the last end

    QJsonObject json() const;
};

// The demonstration, with a private ZooKeeper and worker processes of this program. All of them end with this object.
//
//     start ZooKeeper and the workers; submit one job for each file
//     half way: take the report's lock, as one more contender; so every running job waits in the lock's line
//     show the election, the line and the claims; kill -9 the worker that is master; release the lock
//     show the new master, and the dead worker's jobs running again
//     when all have ended: compare the report with a plain count
class DemoRun
{
public:
    using Say = std::function<void(const QString &)>; // one line of the story

    // The session time-out of workers and jobs. After it other workers take the dead worker's jobs, and its jobs'
    // places in the line are gone.
    static constexpr std::chrono::milliseconds SessionTimeout{3000};
    static inline const QByteArray ReportLock = QByteArrayLiteral("report");

    // `directory` must exist and be empty; all files are created in it.
    DemoRun(async::Loop &loop, InputFiles input, int workers, QString directory, Say say);

    // Throws zk::NotInstalled, zk::LocalServerError, std::runtime_error.
    async::Task<void> start();
    async::Task<DemoResult> run();
    // Ends the workers and the server, in that order.
    async::Task<void> stop();

    QString connectString() const { return m_server.connectString(); }
    const jobs::Layout &layout() const { return m_layout; }
    const DemoReport &report() const { return m_report; }

private:
    struct Loss {
        QString master;
        async::TimePoint killed;
        std::vector<jobs::JobId> jobs;
    };

    async::Task<QByteArray> awaitMaster(QByteArray other);
    async::Task<void> submitAll();
    async::Task<void> submitOne(jobs::Submitter &submitter, QString file);
    async::Task<void> awaitHalf(qint64 half);
    async::Task<recipes::Lock> holdLock();
    async::Task<Loss> killMaster(QByteArray master);
    async::Task<void> awaitFullLine(QByteArray master);
    async::Task<void> showNewMaster(Loss loss);
    async::Task<void> showSecondAttempt(jobs::JobId id);
    async::Task<DemoResult> settle(async::Duration elapsed);

    jobs::Cluster cluster() const { return {*m_session, m_layout, m_credentials}; }
    qint64 totalSlots() const { return qint64(m_workerCount) * m_slotsPerWorker; }
    WorkerProcess *worker(const QByteArray &id);
    void requireWorkers() const;
    QString nameOf(const jobs::JobId &id) const;

    async::Loop &m_loop;
    std::shared_ptr<const trust::Credentials> m_credentials;
    InputFiles m_input;
    int m_workerCount;
    int m_slotsPerWorker;
    QString m_directory;
    Say m_say;
    jobs::Layout m_layout;
    DemoReport m_report;
    QByteArray m_victim;
    std::map<jobs::JobId, QString> m_names; // the file that each job counts

    zk::LocalServer m_server;
    QString m_credentialsFile;
    std::unique_ptr<zk::Session> m_session;
    std::vector<std::unique_ptr<WorkerProcess>> m_workers;
};

} // namespace drover::app
