#include "jobs/client/cancel_job.h"
#include "workers/master/base/master_commit.h"
#include "workers/master/dedupe_sweeper.h"
#include "workers/worker_cluster.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using workers::DedupeSweeper;
using namespace std::chrono_literals;

namespace {

// A master that does nothing else; its election is a node of the test's.
class Sweeping
{
public:
    explicit Sweeping(WorkerCluster &fake, int who = 0) : m_sweeper(jobs::Cluster(fake[who], fake.layout))
    {
        fake.write(fake.layout.master() / "m", {});
        m_running.spawn(m_sweeper.run({.path = fake.layout.master() / "m"}));
    }
    bool deposed() const { return m_deposed; }

private:
    DedupeSweeper m_sweeper;
    bool m_deposed = false;
    async::TaskGroup m_running{[this](const std::exception_ptr &error) {
        try {
            std::rethrow_exception(error);
        } catch (const workers::Deposed &) {
            m_deposed = true;
        } catch (...) {
        }
    }};
};

JobId submit(WorkerCluster &fake, const QString &key)
{
    JobSpec spec = JobCluster::spec();
    spec.dedupe = key;
    Submitter submitter(Cluster(fake[0], fake.layout), {});
    return fake.run(submitter.submit(spec));
}

// As if the submitter of the mark's job had been lost before it could note the id.
void loseId(WorkerCluster &fake, const zk::Path &mark)
{
    const QString key = DedupeMark::decode(fake.node(mark).data).key;
    fake.write(mark, DedupeMark{key, std::nullopt}.encode());
}

void forget(WorkerCluster &fake, const JobId &id)
{
    fake.run(cancel(Cluster(fake[0], fake.layout), id));
    fake.commit(zk::Transaction().remove(fake.layout.done(id)));
}

} // namespace

class DedupeSweeperTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keysOfForgottenJobsAreRemoved()
    {
        WorkerCluster fake;
        const Sweeping sweeping(fake);
        QList<JobId> ids;
        for (int i = 0; i < 200; ++i)
            ids.append(submit(fake, QString::number(i)));
        fake.run(cancel(Cluster(fake[0], fake.layout), ids[0])); // ended: its record keeps its key
        fake.settle(2min);
        QCOMPARE(fake.childrenOf(fake.layout.dedupe("default")).size(), 200);
        for (qsizetype i = 2; i < ids.size(); ++i)
            forget(fake, ids[i]);
        fake.settle(2min);
        QCOMPARE(fake.childrenOf(fake.layout.dedupe("default")).size(), 2);
        QVERIFY(fake.exists(fake.layout.dedupe("default", QStringLiteral("0"))));
        QVERIFY(fake.exists(fake.layout.dedupe("default", QStringLiteral("1"))));
    }

    void aMarkWithoutAnIdIsLookedFor()
    {
        WorkerCluster fake;
        const Sweeping sweeping(fake);
        const QString there = QStringLiteral("there");
        submit(fake, there);
        const zk::Path path = fake.layout.dedupe("default", there);
        loseId(fake, path);
        fake.write(fake.layout.dedupe("default", QStringLiteral("gone")),
                   DedupeMark{QStringLiteral("unused"), std::nullopt}.encode());
        fake.settle(5min);
        QVERIFY(fake.exists(path));
        QVERIFY(!fake.exists(fake.layout.dedupe("default", QStringLiteral("gone"))));
    }

    void aMarkWithoutAnIdStaysBesideAJobThatMayNotBeRead()
    {
        WorkerCluster fake;
        const Sweeping sweeping(fake);
        const QString there = QStringLiteral("there");
        submit(fake, there);
        const zk::Path path = fake.layout.dedupe("default", there);
        loseId(fake, path);
        const QByteArrayList jobs = fake.childrenOf(fake.layout.queue("default"));
        for (const QByteArray &job : jobs)
            fake.setReadable(fake.layout.queue("default") / job, false);
        const JobId other = submit(fake, QStringLiteral("other"));
        forget(fake, other);
        fake.settle(5min);
        QVERIFY(fake.exists(path));
        QVERIFY(!fake.exists(fake.layout.dedupe("default", QStringLiteral("other")))); // it is swept all the same
    }

    // The master knows the key's old job; the new one must not lose its mark.
    void aReplacedMarkStays()
    {
        WorkerCluster fake;
        const Sweeping sweeping(fake);
        const QString key = QStringLiteral("k");
        const JobId first = submit(fake, key);
        fake.settle(2min);
        forget(fake, first);
        const JobId second = submit(fake, key);
        fake.settle(5min);
        QVERIFY(fake.exists(fake.layout.dedupe("default", key)));
        QCOMPARE(submit(fake, key), second);
    }

    void aDeposedMasterRemovesNothing()
    {
        WorkerCluster fake;
        const Sweeping sweeping(fake);
        const QString key = QStringLiteral("k");
        forget(fake, submit(fake, key));
        fake.commit(zk::Transaction().remove(fake.layout.master() / "m"));
        fake.settle(5min);
        QVERIFY(fake.exists(fake.layout.dedupe("default", key)));
        QVERIFY(sweeping.deposed());
    }
};

QTEST_GUILESS_MAIN(DedupeSweeperTest)
#include "dedupe_sweeper_test.moc"
