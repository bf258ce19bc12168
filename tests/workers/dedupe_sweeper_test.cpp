#include "jobs/cancel.h"
#include "workers/dedupe_sweeper.h"
#include "workers/mastership.h"
#include "workers/worker_party.h"

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
    explicit Sweeping(WorkerParty &party, int who = 0) : m_sweeper(party[who], party.layout)
    {
        party.write(party.layout.master() / "m", {});
        m_running.spawn(m_sweeper.run({.path = party.layout.master() / "m"}));
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

JobId submit(WorkerParty &party, const QString &key)
{
    JobSpec spec = JobParty::spec();
    spec.dedupe = key;
    Submitter submitter(party[0], party.layout, {});
    return party.run(submitter.submit(spec));
}

void forget(WorkerParty &party, const JobId &id)
{
    party.run(cancel(party[0], party.layout, id));
    party.commit(zk::Transaction().remove(party.layout.done(id)));
}

} // namespace

class DedupeSweeperTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void keysOfForgottenJobsAreRemoved()
    {
        WorkerParty party;
        const Sweeping sweeping(party);
        QList<JobId> ids;
        for (int i = 0; i < 200; ++i)
            ids.append(submit(party, QString::number(i)));
        party.run(cancel(party[0], party.layout, ids[0])); // ended: its record keeps its key
        party.settle(2min);
        QCOMPARE(party.childrenOf(party.layout.dedupe("default")).size(), 200);
        for (qsizetype i = 2; i < ids.size(); ++i)
            forget(party, ids[i]);
        party.settle(2min);
        QCOMPARE(party.childrenOf(party.layout.dedupe("default")).size(), 2);
        QVERIFY(party.exists(party.layout.dedupe("default", QStringLiteral("0"))));
        QVERIFY(party.exists(party.layout.dedupe("default", QStringLiteral("1"))));
    }

    void aMarkWithoutAnIdIsLookedFor()
    {
        WorkerParty party;
        const Sweeping sweeping(party);
        const QString there = QStringLiteral("there");
        submit(party, there);
        const zk::Path path = party.layout.dedupe("default", there);
        const QString key = DedupeMark::decode(party.node(path).data).key;
        party.write(path, DedupeMark{key, std::nullopt}.encode());
        party.write(party.layout.dedupe("default", QStringLiteral("gone")),
                    DedupeMark{QStringLiteral("nobody's"), std::nullopt}.encode());
        party.settle(5min);
        QVERIFY(party.exists(path));
        QVERIFY(!party.exists(party.layout.dedupe("default", QStringLiteral("gone"))));
    }

    // The master knows the key's old job; the new one must not lose its mark.
    void aReplacedMarkStays()
    {
        WorkerParty party;
        const Sweeping sweeping(party);
        const QString key = QStringLiteral("k");
        const JobId first = submit(party, key);
        party.settle(2min);
        forget(party, first);
        const JobId second = submit(party, key);
        party.settle(5min);
        QVERIFY(party.exists(party.layout.dedupe("default", key)));
        QCOMPARE(submit(party, key), second);
    }

    void aDeposedMasterRemovesNothing()
    {
        WorkerParty party;
        const Sweeping sweeping(party);
        const QString key = QStringLiteral("k");
        forget(party, submit(party, key));
        party.commit(zk::Transaction().remove(party.layout.master() / "m"));
        party.settle(5min);
        QVERIFY(party.exists(party.layout.dedupe("default", key)));
        QVERIFY(sweeping.deposed());
    }
};

QTEST_GUILESS_MAIN(DedupeSweeperTest)
#include "dedupe_sweeper_test.moc"
