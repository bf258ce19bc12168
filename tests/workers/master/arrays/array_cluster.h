#pragma once

#include "workers/candidate.h"

#include <map>

namespace drover::test {

// A cluster with candidates for master and without workers: the test ends the tasks of arrays by its own hand, as
// session 0. Every commit is looked at: no task may be made twice.
class ArrayCluster : public WorkerCluster
{
public:
    explicit ArrayCluster(int masters = 1, const FakeSessionOptions &options = {}) : WorkerCluster(masters + 1, options)
    {
        server.onCommit([this](const FakeZooKeeper::Commit &commit) { look(commit); });
    }
    ~ArrayCluster()
    {
        server.onCommit([](const FakeZooKeeper::Commit &) {});
    }

    void lead(int who, history::History *history = nullptr) { m_masters.try_emplace(who, *this, who, history); }
    void kill(int who)
    {
        session(who).crash();
        m_masters.erase(who);
    }

    static jobs::JobSpec arraySpec(const char *range)
    {
        jobs::JobSpec array = spec();
        array.array = jobs::ArrayIndices::parse(QString::fromLatin1(range));
        return array;
    }
    jobs::JobId submitArray(const char *range) { return submit(arraySpec(range)); }

    // The tasks of an array in its queue.
    std::vector<jobs::QueueEntry> tasksOf(const jobs::JobId &array) const
    {
        std::vector<jobs::QueueEntry> tasks;
        for (const QByteArray &name : childrenOf(layout.queue(array.queue))) {
            const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(name);
            if (entry && entry->number == array.number && entry->task != jobs::JobId::NoTask)
                tasks.push_back(*entry);
        }
        std::sort(tasks.begin(), tasks.end());
        return tasks;
    }

    // As a worker does.
    void endTask(const jobs::QueueEntry &entry, int code = 0)
    {
        jobs::FinalRecord record = jobs::FinalRecord::of(entry.idIn("default"), spec());
        record.code = code;
        commit(zk::Transaction().remove(layout.job("default", entry)).create(layout.done(record.id), record.encode()));
    }

    // Ends tasks as they come until the array has ended. `codeOf` is asked with their indices.
    jobs::FinalRecord work(
        const jobs::JobId &array, const std::function<int(qint32)> &codeOf = [](qint32) { return 0; })
    {
        for (int round = 0; round < 2000 && !exists(layout.done(array)); ++round) {
            for (const jobs::QueueEntry &entry : tasksOf(array))
                endTask(entry, codeOf(entry.task));
            settle();
        }
        if (!exists(layout.done(array)))
            throw std::runtime_error("the array never came to its end");
        return recordOf(array);
    }

    std::map<QByteArray, int> made; // how often, by entry
    std::size_t mostOpen = 0; // of all arrays
    qsizetype largest = 0; // transaction, in bytes of data
    int remade() const
    {
        return static_cast<int>(
            std::count_if(made.begin(), made.end(), [](const auto &task) { return task.second > 1; }));
    }

private:
    void look(const FakeZooKeeper::Commit &commit)
    {
        const auto *multi = commit.call ? std::get_if<zk::MultiRequest>(&commit.call->request) : nullptr;
        if (!multi || commit.kind != FakeZooKeeper::Commit::Kind::Write)
            return;
        qsizetype size = 0;
        for (const zk::Transaction::Operation &operation : multi->transaction.operations()) {
            if (const auto *remove = std::get_if<zk::Transaction::Remove>(&operation))
                m_open.erase(remove->path.name());
            if (const auto *set = std::get_if<zk::Transaction::Set>(&operation))
                size += set->data.size();
            const auto *create = std::get_if<zk::Transaction::Create>(&operation);
            if (!create)
                continue;
            size += create->data.size();
            const std::optional<jobs::QueueEntry> entry = jobs::QueueEntry::parse(create->path.name());
            if (entry && entry->task != jobs::JobId::NoTask) {
                ++made[entry->name()];
                m_open.insert(entry->name());
            }
        }
        largest = std::max(largest, size);
        mostOpen = std::max(mostOpen, m_open.size());
    }

    std::set<QByteArray> m_open;
    std::map<int, Candidate> m_masters;
};

} // namespace drover::test
