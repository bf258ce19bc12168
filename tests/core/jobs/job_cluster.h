#pragma once

#include "jobs/client/job_lookup.h"
#include "jobs/client/submitter.h"
#include "support/fake/fake_cluster.h"

namespace drover::test {

// A cluster on the in-memory ZooKeeper, as clients find it: it has its nodes, and no worker runs.
class JobCluster : public FakeCluster
{
public:
    explicit JobCluster(int size = 1, const FakeSessionOptions &options = {}) : FakeCluster(1)
    {
        run(jobs::ensureCluster(cluster(), QByteArrayList(1, "default")));
        for (int i = 1; i < size; ++i)
            add(options);
    }

    // The cluster as the session of client `who` sees it.
    jobs::Cluster cluster(int who = 0) { return {(*this)[who], layout}; }

    static jobs::JobSpec spec()
    {
        jobs::JobSpec spec;
        spec.command = QStringList(1, QStringLiteral("true"));
        return spec;
    }

    jobs::JobId submit(int who = 0) { return submit(spec(), who); }
    jobs::JobId submit(const jobs::JobSpec &job, int who = 0)
    {
        jobs::Submitter submitter(cluster(who), {});
        submitter.leaveToSession(); // tests count requests
        return run(submitter.submit(job));
    }

    zk::Path pathOf(const jobs::JobId &id) const
    {
        return layout.job(id.queue, {jobs::QueueEntry::Class::Ready, spec().priority, id.number});
    }

    bool exists(const zk::Path &path) const { return server.tree().find(path) != nullptr; }
    const FakeTree::Znode &node(const zk::Path &path) const { return *server.tree().find(path); }
    jobs::JobView view(const jobs::JobId &id) { return run(jobs::lookUp(cluster(), id)); }
    jobs::JobState stateOf(const jobs::JobId &id) { return view(id).state; }
    jobs::Claim claimOf(const jobs::JobId &id) const { return jobs::Claim::decode(node(layout.claim(id)).data); }
    jobs::FinalRecord recordOf(const jobs::JobId &id) const
    {
        return jobs::FinalRecord::decode(node(layout.done(id)).data, id);
    }

    // What a worker's claim does, in a transaction of its own; of a job that is to wait there, if for anything.
    void claim(const jobs::JobId &id, int who, const QString &waits = {})
    {
        const FakeTree::Znode &job = node(pathOf(id));
        jobs::Claim claim{QStringLiteral("w"), {job.stat.version + 1, 0}, pathOf(id).name(), false};
        claim.waits = waits;
        claim.pending = !waits.isEmpty();
        commit(zk::Transaction()
                   .set(pathOf(id), claim.pending ? jobs::noted(job.data, &jobs::JobNotes::countPending) : job.data,
                        job.stat.version)
                   .create(layout.claim(id), claim.encode(), zk::CreateMode::Ephemeral),
               who);
    }

    // Gives everybody all rights to the znode, with or without that to read it.
    void setReadable(const zk::Path &path, bool isReadable)
    {
        setRights(path, zk::AllPermissions - (isReadable ? 0 : 1));
    }
    // The rights that everybody has to the znode, as in zk::Acl.
    void setRights(const zk::Path &path, qint32 permissions)
    {
        const auto send = [](zk::Client &zk, zk::Path node, zk::AclList acl) -> async::Task<void> {
            const zk::Answer<zk::Nothing> set = co_await zk.setAcl(node, acl);
            if (!set.ok())
                throw std::runtime_error("the ACL cannot be set");
        };
        run(send((*this)[0], path, {zk::Acl{permissions, "world", "anyone"}}));
    }

    // As a worker ends a job.
    void end(const jobs::JobId &id, const jobs::FinalRecord &record)
    {
        commit(zk::Transaction().remove(pathOf(id)).create(layout.done(id), record.encode()));
    }
    void end(const jobs::JobId &id, int code)
    {
        jobs::FinalRecord record = jobs::FinalRecord::of(id, spec());
        record.code = code;
        end(id, record);
        settle();
    }

    // Throws UnexpectedAnswer if it is refused.
    void commit(zk::Transaction transaction, int who = 0)
    {
        const auto send = [](zk::Client &zk, zk::Transaction operations) -> async::Task<void> {
            const zk::Answer<zk::Committed> committed = co_await zk.commit(operations);
            committed.require();
        };
        run(send((*this)[who], std::move(transaction)));
    }

    void write(const zk::Path &path, const QByteArray &data)
    {
        if (exists(path))
            commit(zk::Transaction().set(path, data));
        else
            commit(zk::Transaction().create(path, data));
    }

    const jobs::Layout layout{"test"};
};

} // namespace drover::test
