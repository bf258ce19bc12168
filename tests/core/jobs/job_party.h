#pragma once

#include "jobs/submitter.h"
#include "support/fake_party.h"

namespace drover::test {

// A cluster on the in-memory ZooKeeper, as clients find it: its nodes are there, nobody works.
class JobParty : public FakeParty
{
public:
    explicit JobParty(int size = 1, const FakeSessionOptions &options = {}) : FakeParty(1)
    {
        run(jobs::ensureCluster((*this)[0], layout, QByteArrayList(1, "default")));
        for (int i = 1; i < size; ++i)
            add(options);
    }

    static jobs::JobSpec spec()
    {
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        return spec;
    }

    jobs::JobId submit(int who = 0)
    {
        jobs::Submitter submitter((*this)[who], layout, {});
        return run(submitter.submit(spec()));
    }

    // What a worker's claim does, in a transaction of its own.
    void claim(const jobs::JobId &id, int who)
    {
        const auto commit = [&]() -> async::Task<void> {
            const zk::Path job = layout.queue(id.queue) / jobs::QueueEntry{{}, 5, id.number}.name().replace(0, 1, "q");
            const zk::Answer<zk::Node> node = co_await (*this)[who].get(job);
            jobs::Claim claim{QStringLiteral("w"), node->stat.version + 1, job.name(), false};
            zk::Transaction transaction;
            transaction.set(job, node->data, node->stat.version)
                .create(layout.claim(id), claim.encode(), zk::CreateMode::Ephemeral);
            const zk::Answer<zk::Committed> committed = co_await (*this)[who].commit(transaction);
            committed.require();
        };
        run(commit());
    }

    void write(const zk::Path &path, const QByteArray &data)
    {
        const auto create = [&]() -> async::Task<void> {
            const zk::Answer<zk::Created> created = co_await (*this)[0].create(path, data);
            if (created.is(zk::Code::NodeExists)) {
                const zk::Answer<zk::Stat> written = co_await (*this)[0].set(path, data);
                written.require();
            }
        };
        run(create());
    }

    const jobs::Layout layout{"test"};
};

} // namespace drover::test
