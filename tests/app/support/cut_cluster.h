#pragma once

#include "app/support/drover_program.h"
#include "jobs/cluster/cluster_config.h"
#include "support/await.h"
#include "support/cut_ensemble.h"
#include "zk/client/session.h"

namespace drover::test {

// The open cluster "default" on three servers that are cut from each other, and the program. What fails throws.
class CutCluster : public CutEnsemble
{
public:
    using CutEnsemble::CutEnsemble;

    void start()
    {
        CutEnsemble::start();
        async::QtLoop loop;
        zk::SessionOptions options;
        options.servers = connectString();
        zk::Session session(loop, options);
        session.open();
        await(jobs::ensureCluster(jobs::Cluster(session, jobs::Layout("default")), {"default"}));
        await(session.close());
    }

    // Connects to that server alone, and serves when this returns.
    std::unique_ptr<QProcess> startWorker(const QString &id, int server)
    {
        auto worker = drover.start(
            words(QStringLiteral("worker --slots 1 --session-timeout 4s --grace 0s --id %1 --spool %1 --connect %2")
                      .arg(id, connectString(server))));
        QByteArray seen;
        if (!waitForMessage(*worker, "1 slot,", seen))
            throw std::runtime_error(seen.toStdString());
        return worker;
    }
    static void endWorker(QProcess &worker)
    {
        worker.terminate();
        DroverProgram::finish(worker);
    }

    DroverProgram drover;
};

} // namespace drover::test
