#include "recipes/elections/leader_latch.h"
#include "support/sanitized.h"
#include "support/schedule_range.h"
#include "workers/master/cron_scheduler_cluster.h"

#include <QLoggingCategory>
#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;
using CatchUp = ScheduleEntry::CatchUp;
using Overlap = ScheduleEntry::Overlap;

constexpr quint64 DefaultSchedules = Sanitized ? 15 : 200;
constexpr auto Span = 5min;

namespace {

// Candidates for master whose requests and replies are lost or late, whose sessions expire and whose processes stand
// still. Election nodes are deleted, so that several candidates lead at a time and do not know it. Clocks are set, and
// jobs end now and then.
class CronSimulation
{
public:
    CronSimulation(quint64 seed, bool fenced)
        : m_random(seed), m_faults(FaultPlan::everything(seed, 0.03)), m_fenced(fenced)
    {
        m_fake.add("all", "* * * * *", CatchUp::All);
        m_fake.add("often", "@every 7s", CatchUp::All);
        m_fake.add("skip", "*/2 * * * *", CatchUp::One, Overlap::Skip);
        m_fake.add("replace", "@every 11s", CatchUp::One, Overlap::Replace);
        m_fake.server.onCommit([this](const FakeZooKeeper::Commit &commit) { look(commit); });
    }

    void run()
    {
        for (int i = 0; i < 3; ++i) {
            m_candidates.push_back(std::make_unique<Candidate>(m_fake.world, i));
            m_candidates.back()->life.spawn(live(*m_candidates.back()));
        }
        m_others.spawn(deleteSome());
        m_others.spawn(work());
        m_fake.settle(Span);
        m_faults.heal();
        m_fake.settle(90s);
        for (const char *const name : {"all", "often", "skip", "replace"})
            checkProgress(name);
        for (const char *const name : {"all", "often"})
            checkAll(name);
    }

    QStringList violations;
    FaultLog faults() const { return m_faults.log(); }

private:
    struct Candidate {
        Candidate(VirtualLoop &world, int itsNumber) : number(itsNumber), loop(world) { }

        const int number;
        ProcessLoop loop;
        std::unique_ptr<FakeSession> session;
        async::TaskGroup life;
    };

    async::Duration some(async::Duration longest)
    {
        return std::chrono::duration_cast<async::Duration>(longest * m_random.unit());
    }

    async::Task<void> live(Candidate &self)
    {
        for (;;) {
            FakeSessionOptions options{.sessionTimeout = 4s, .latency = 1ms, .faults = &m_faults};
            if (!m_fenced)
                options.sabotage = checkNothing;
            self.session = m_fake.server.connect(self.loop, options);
            co_await lead(self);
            co_await async::sleepFor(self.loop, 100ms);
        }
    }

    async::Task<void> lead(Candidate &self)
    {
        try {
            for (;;) {
                recipes::LeaderLatch latch(*self.session, m_fake.layout.master());
                const recipes::Leadership leadership = co_await latch.campaign(QByteArray::number(self.number));
                workers::Troubles troubles(self.loop);
                workers::CronScheduler scheduler(jobs::Cluster(*self.session, m_fake.layout), troubles);
                co_await scheduler.run(leadership.fence());
            }
        } catch (const zk::SessionLost &) {
        }
    }

    async::Task<void> deleteSome()
    {
        for (;;) {
            co_await async::sleepFor(m_fake.world, some(40s));
            m_fake.world.setWallClock(m_fake.now() + std::chrono::milliseconds(m_random.below(4000) - 2000));
            const QByteArrayList nodes = m_fake.childrenOf(m_fake.layout.master());
            if (!nodes.isEmpty())
                m_fake[0].discard(m_fake.layout.master() / *std::min_element(nodes.begin(), nodes.end(), bySequence));
        }
    }
    static bool bySequence(const QByteArray &a, const QByteArray &b) { return a.right(10) < b.right(10); }

    async::Task<void> work()
    {
        for (;;) {
            co_await async::sleepFor(m_fake.world, some(30s));
            const QByteArrayList names = m_fake.childrenOf(m_fake.layout.queue("default"));
            if (names.isEmpty())
                continue;
            zk::Transaction ends;
            for (const QByteArray &name : names) {
                const JobId id{"default", QueueEntry::parse(name)->number};
                ends.remove(m_fake.layout.queue("default") / name)
                    .create(m_fake.layout.done(id), FinalRecord::of(id, m_fake.jobOf(name)).encode());
            }
            const zk::Answer<zk::Committed> committed = co_await m_fake[0].commit(ends);
            Q_UNUSED(committed) // refused if one was cancelled meanwhile
        }
    }

    // Each transaction that was accepted, when the tree is as that has left it.
    void look(const FakeZooKeeper::Commit &commit)
    {
        const auto *multi = commit.call ? std::get_if<zk::MultiRequest>(&commit.call->request) : nullptr;
        if (!multi)
            return;
        for (const zk::Transaction::Operation &operation : multi->transaction.operations()) {
            const auto *create = std::get_if<zk::Transaction::Create>(&operation);
            if (create && create->path.parent() == m_fake.layout.queue("default"))
                submitted(JobSpec::decode(create->data, "default", 5).key);
        }
    }

    void submitted(const QString &key)
    {
        const QByteArray name = key.section(u' ', 1, 1).toLatin1();
        if (++m_ticks[key] > 1)
            violations.append(QStringLiteral("%1 was submitted twice").arg(key));
        if (ScheduleEntry::keyOf(name, m_fake.entry(name).lastTick) != key)
            violations.append(QStringLiteral("%1 was submitted, and its schedule stands elsewhere").arg(key));
        const QString prefix = QStringLiteral("cron %1 ").arg(QString::fromLatin1(name));
        int unfinished = 0;
        for (const QByteArray &job : m_fake.childrenOf(m_fake.layout.queue("default")))
            unfinished += m_fake.jobOf(job).key.startsWith(prefix);
        if (unfinished > 1 && (name == "skip" || name == "replace"))
            violations.append(QStringLiteral("%1 overlaps").arg(key));
    }

    void checkProgress(const QByteArray &name)
    {
        const ScheduleEntry entry = m_fake.entry(name);
        if (entry.nextTick() <= m_fake.now() - 10s)
            violations.append(QStringLiteral("%1 stands still").arg(QString::fromLatin1(name)));
    }

    void checkAll(const QByteArray &name)
    {
        const ScheduleEntry entry = m_fake.entry(name);
        for (auto tick = entry.when.next(entry.job.submittedAt); tick <= entry.lastTick; tick = entry.when.next(tick)) {
            if (!m_ticks.contains(ScheduleEntry::keyOf(name, tick)))
                violations.append(QStringLiteral("%1 was left out").arg(ScheduleEntry::keyOf(name, tick)));
        }
    }

    SeededRandom m_random;
    FaultInjector m_faults;
    const bool m_fenced;
    CronSchedulerCluster m_fake{1};
    std::map<QString, int> m_ticks; // submitted
    std::vector<std::unique_ptr<Candidate>> m_candidates;
    async::TaskGroup m_others;
};

} // namespace

// A failing seed replays exactly: DROVER_SEED=<seed> DROVER_SCHEDULES=1 runs it alone.
class CronSchedulerSchedulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { QLoggingCategory::setFilterRules(QStringLiteral("drover.workers.*=false")); }

    void everyTickOnce()
    {
        const auto [first, count] = scheduleRange(DefaultSchedules);
        FaultLog faults;
        for (quint64 seed = first; seed < first + count; ++seed) {
            CronSimulation simulation(seed, true);
            simulation.run();
            QVERIFY2(simulation.violations.isEmpty(), replay(seed, simulation.violations.join(u'\n')));
            faults += simulation.faults();
        }
        qInfo("%llu schedules: %ls", count, qUtf16Printable(faults.toString()));
        if (count >= 15) { // or the faults did not bite, and the run proves nothing
            for (const Fault fault : {Fault::LoseReply, Fault::Expire, Fault::Pause})
                QVERIFY(faults.bitten(fault) > 0);
        }
    }

    void aMutantWithoutVersionsIsCaught()
    {
        int violating = 0;
        for (quint64 seed = 1; seed <= 30; ++seed) {
            CronSimulation simulation(seed, false);
            simulation.run();
            violating += !simulation.violations.isEmpty();
        }
        qInfo("%d of 30 schedules without versions and fences show a violation", violating);
        QVERIFY(violating > 0);
    }
};

QTEST_GUILESS_MAIN(CronSchedulerSchedulesTest)
#include "cron_scheduler_schedules_test.moc"
