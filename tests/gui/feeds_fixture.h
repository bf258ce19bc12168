#pragma once

#include "gui/sample_cluster.h"
#include "gui/servers.h"
#include "gui/workspace/console_models.h"
#include "support/fake/fake_session.h"
#include "support/run_task.h"

namespace drover::test {

// A cluster on the in-memory ZooKeeper, a console that shows it, and virtual time.
struct FeedsFixture {
    VirtualLoop world;
    FakeZooKeeper server{world};
    ProcessLoop clusterLoop{world};
    std::unique_ptr<zk::Client> writer = server.connect(clusterLoop);
    SampleCluster cluster{*writer, "default"};
    ProcessLoop consoleLoop{world};
    gui::ConsoleModels models;
    std::shared_ptr<const trust::Credentials> credentials; // null: an open cluster
    gui::HistoryPlace history; // none unless a test sets it before it opens
    gui::ConsoleSession console{
        consoleLoop,
        [this](async::Loop &, const gui::Target &, const gui::GivenCredentials &) {
            return gui::OpenedSession{connect(), credentials};
        },
        [this](const gui::Target &target, const QString &ofCluster) -> std::optional<history::Location> {
            return history ? history(target, ofCluster) : std::nullopt;
        }};
    QList<gui::SessionStatus> statuses;
    std::vector<zk::ServerReport> servers = threeServers(); // as they answer the ensemble's feed

    FeedsFixture()
    {
        console.ensemble().setAsk([this](async::Loop &, zk::ServerList, QByteArrayList) { return answers(); });
        gui::connectModels(models, console);
        QObject::connect(&console, &gui::ConsoleSession::statusChanged,
                         [this](const gui::SessionStatus &status) { statuses.append(status); });
    }

    async::Task<std::vector<zk::ServerReport>> answers() const { co_return servers; }
    std::unique_ptr<zk::Client> connect() { return server.connect(consoleLoop); }

    template <typename T>
    T run(async::Task<T> task)
    {
        return runTask(world, std::move(task));
    }
    void open()
    {
        console.open({Nowhere, "default"});
        world.runFor(std::chrono::seconds(3));
    }
    void fillAndOpen()
    {
        run(cluster.fill());
        open();
    }
    const gui::JobRow *job(const QByteArray &id) const
    {
        for (int i = 0; i < models.jobs.rowCount(); ++i) {
            if (models.jobs.row(i).id.bytes() == id)
                return &models.jobs.row(i);
        }
        return nullptr;
    }
    int count(jobs::JobState state) const
    {
        int count = 0;
        for (int i = 0; i < models.jobs.rowCount(); ++i)
            count += models.jobs.row(i).state == state ? 1 : 0;
        return count;
    }
    gui::SessionStatus::Phase phase() const { return statuses.last().phase; }
};

} // namespace drover::test
