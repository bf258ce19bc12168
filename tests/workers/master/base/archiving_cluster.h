#pragma once

#include "jobs/model/cluster_stats.h"
#include "workers/candidate.h"

#include <QTemporaryDir>

namespace drover::test {

// A cluster whose candidates for master keep one history, and an onlooker who looks into it at every commit.
class ArchivingCluster : public JobCluster
{
public:
    explicit ArchivingCluster(int masters = 1, const FakeSessionOptions &options = {}, bool shared = false)
        : JobCluster(masters + 1, options),
          m_place(history::Location::parse((shared ? QStringLiteral("shared:") : QString())
                                           + m_directory.filePath(QStringLiteral("h.sqlite")))),
          m_onlooker(m_place, history::OpenMode::Write)
    {
        server.onCommit([this](const FakeZooKeeper::Commit &commit) { checkCommit(commit); });
    }

    ~ArchivingCluster()
    {
        server.onCommit([](const FakeZooKeeper::Commit &) {});
    }

    void finish(int number, const QByteArray &record = {})
    {
        jobs::FinalRecord made = jobs::FinalRecord::of({"default", number}, spec());
        made.key = QStringLiteral("key-%1").arg(number);
        write(layout.done({"default", number}), record.isEmpty() ? made.encode() : record);
    }

    void finishAll(int from, int to)
    {
        for (int number = from; number <= to; ++number)
            finish(number);
    }

    void lead(int who) { m_masters[who].spawn(beMaster(who)); }

    // A process that has died comes back with another session.
    void kill(int who)
    {
        session(who).crash();
        m_masters.erase(who);
    }

    const history::Location &place() const { return m_place; }
    history::Page page() { return m_onlooker.query({.limit = 100'000}); }
    qint64 archived() { return m_onlooker.count({}); }
    void execRaw(const QString &sql)
    {
        history::Database database(m_place, history::OpenMode::Write);
        database.open();
        database.exec(sql);
    }
    qsizetype left() const { return childrenOf(layout.done()).size(); }

    jobs::ClusterStats stats()
    {
        const FakeTree::Znode *const node = server.tree().find(layout.stats());
        return node ? jobs::ClusterStats::decode(node->data) : jobs::ClusterStats();
    }

    QStringList violations;
    bool mayLose = false;

private:
    async::Task<void> beMaster(int who)
    {
        history::History own((*this)[who].loop(), m_place, history::OpenMode::Write);
        workers::Master master(jobs::Cluster((*this)[who], layout), WorkerCluster::nameOf(who), &own);
        co_await Candidate::stand(master);
    }

    // A record goes from ZooKeeper only when the database has it, and only by the hand of the master.
    void checkCommit(const FakeZooKeeper::Commit &commit)
    {
        if (commit.kind != FakeZooKeeper::Commit::Kind::Write)
            return;
        const auto *const removal = std::get_if<zk::RemoveRequest>(&commit.call->request);
        if (removal && removal->path.parent() == layout.done())
            violations.append(removal->path.toString() + QStringLiteral(" deleted without a fence"));
        const auto *const multi = std::get_if<zk::MultiRequest>(&commit.call->request);
        if (!multi)
            return;
        for (const zk::Transaction::Operation &operation : multi->transaction.operations()) {
            const auto *const remove = std::get_if<zk::Transaction::Remove>(&operation);
            if (!remove || !(remove->path.parent() == layout.done()))
                continue;
            const jobs::JobId id = *jobs::JobId::parse(QString::fromUtf8(remove->path.name()));
            if (!mayLose && m_onlooker.count({.ids = {id}}) != 1)
                violations.append(id.toString() + QStringLiteral(" deleted, and not in the history"));
            if (!std::holds_alternative<zk::Transaction::Check>(multi->transaction.operations().front()))
                violations.append(id.toString() + QStringLiteral(" deleted without a fence"));
        }
    }

    QTemporaryDir m_directory;
    history::Location m_place;
    history::Store m_onlooker;
    std::map<int, async::TaskGroup> m_masters;
};

} // namespace drover::test
