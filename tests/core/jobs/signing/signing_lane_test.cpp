#include "async/task_group.h"
#include "core/jobs/job_cluster.h"
#include "jobs/cluster/cluster_trust.h"
#include "jobs/signing/signing_lane.h"
#include "support/closed_cluster.h"
#include "trust/errors.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// What became of jobs that were submitted all at once, by the order of the calls.
struct Submits {
    std::map<int, int> numbers; // of the jobs that were made
    std::vector<int> refused; // untrusted
};

async::Task<void> submitOne(Submitter &submitter, JobSpec spec, int call, Submits &submits)
{
    try {
        const JobId id = co_await submitter.submit(spec);
        submits.numbers[call] = id.number;
    } catch (const trust::Untrusted &) {
        submits.refused.push_back(call);
    }
}

std::map<int, int> inOrder(int count)
{
    std::map<int, int> numbers;
    for (int i = 0; i < count; ++i)
        numbers[i] = i;
    return numbers;
}

// A closed cluster, and a client whose pool does its work when the test says so.
struct Fixture {
    JobCluster fake;
    ClosedCluster closed;
    std::shared_ptr<trust::Credentials> alice =
        closed.person(QStringLiteral("alice"), [](trust::Certificate &paper) { paper.queues = {"default"}; });
    std::vector<std::function<void()>> pool;
    Submits submits;
    std::optional<Submitter> submitter{std::in_place, Cluster(fake[0], fake.layout, alice), ClusterConfig()};
    async::TaskGroup submitting;
    int calls = 0;

    Fixture()
    {
        fake.process(0).setPool([this](std::function<void()> work) { pool.push_back(std::move(work)); });
    }

    void submit(int count, const QByteArray &queue = "default")
    {
        JobSpec spec = JobCluster::spec();
        spec.queue = queue;
        for (int i = 0; i < count; ++i)
            submitting.spawn(submitOne(*submitter, spec, calls++, submits));
    }
    bool areSigned() const
    {
        trust::SignatureVerifier verifier;
        const QByteArrayList names = fake.childrenOf(fake.layout.queue("default"));
        return std::all_of(names.begin(), names.end(), [&](const QByteArray &name) {
            const JobRecord record = JobRecord::parse(fake.node(fake.layout.queue("default") / name).data);
            return record.certificate == alice->ownCertificate().serial
                && verifier.isSigned(record.signature, alice->key.publicKey(), trust::Purpose::Job, closed.clusterId,
                                     record.text);
        });
    }
};

} // namespace

// Jobs of a closed cluster are encoded and signed before they are created, many of them on another thread.
class SigningLaneTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void manyKeepTheirOrder()
    {
        Fixture f;
        f.submit(100);
        f.fake.settle(1s);
        QCOMPARE(f.pool.size(), 1u);
        f.submit(50); // some of the first are not signed yet
        f.submit(3);
        f.fake.settle(1s);
        QCOMPARE(f.pool.size(), 1u);
        QCOMPARE(f.submits.numbers, inOrder(0));
        f.pool[0]();
        f.fake.settle(1s);
        QCOMPARE(f.submits.numbers, inOrder(100));
        QCOMPARE(f.pool.size(), 2u);
        f.pool[1]();
        f.fake.settle(1s);
        QCOMPARE(f.submits.numbers, inOrder(153));
        QVERIFY(f.areSigned());
    }

    void fewWaitForNoThread()
    {
        Fixture f;
        f.submit(int(SigningLane::Few) - 1);
        f.fake.settle(1s);
        QCOMPARE(f.pool.size(), 0u);
        QCOMPARE(f.submits.numbers, inOrder(int(SigningLane::Few) - 1));
        QVERIFY(f.areSigned());
    }

    void whatMayNotBeSignedFailsAlone()
    {
        Fixture f;
        f.submit(20);
        f.submit(1, "gpu");
        f.submit(20);
        f.fake.settle(1s);
        QCOMPARE(f.pool.size(), 1u);
        f.pool[0]();
        f.fake.settle(1s);
        QCOMPARE(f.submits.refused, std::vector<int>{20});
        QCOMPARE(f.submits.numbers.size(), 40u);
        QCOMPARE(f.submits.numbers.at(19), 19);
        QCOMPARE(f.submits.numbers.at(21), 20);
    }

    // The thread goes on with what it has.
    void whoAsksMayGo()
    {
        Fixture f;
        f.submit(100);
        f.fake.settle(1s);
        QCOMPARE(f.pool.size(), 1u);
        f.submitting.cancelAll();
        f.submitter.reset();
        f.pool[0]();
        f.fake.settle(1s);
        QVERIFY(f.fake.childrenOf(f.fake.layout.queue("default")).isEmpty());
    }
};

QTEST_GUILESS_MAIN(SigningLaneTest)
#include "signing_lane_test.moc"
