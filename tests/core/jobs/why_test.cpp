#include "core/jobs/job_party.h"
#include "jobs/control.h"
#include "jobs/cordon.h"
#include "jobs/queue_settings.h"
#include "jobs/why.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

// Members, claims and masters are nodes that the test writes.
class WhyParty : public JobParty
{
public:
    using JobParty::JobParty;

    void join(const char *worker, int slotCount = 2, const QStringList &labels = {})
    {
        WorkerInfo info;
        info.id = QString::fromLatin1(worker);
        info.slotCount = slotCount;
        info.labels = labels;
        info.queues = QStringList(QStringLiteral("default"));
        write(layout.members() / worker, info.encode());
    }

    JobId submitSpec(const JobSpec &spec)
    {
        Submitter submitter((*this)[0], layout, {});
        return run(submitter.submit(spec));
    }

    // What `drover why` prints first, with its advice.
    QString why(const JobId &id)
    {
        const Explanation explanation = run(explain((*this)[0], layout, id));
        if (explanation.reasons.empty())
            return {};
        const Reason &first = explanation.reasons.front();
        return first.advice.isEmpty() ? first.what : first.what + QStringLiteral("; ") + first.advice;
    }
};

} // namespace

class WhyTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aHeldJob()
    {
        WhyParty party;
        JobSpec spec = JobParty::spec();
        spec.heldBy = QStringLiteral("me@here");
        const JobId id = party.submitSpec(spec);
        QCOMPARE(party.why(id), QStringLiteral("it is held by me@here; drover release default-0"));
    }

    void aJobThatWaits()
    {
        WhyParty party;
        const JobId first = party.submit();
        JobSpec spec = JobParty::spec();
        spec.after.push_back({Dependency::Kind::Ok, first});
        const JobId id = party.submitSpec(spec);
        QVERIFY(party.why(id).startsWith(u"no worker is master"));
        party.write(party.layout.master() / "_c_x-latch-0000000000", "w1");
        QCOMPARE(party.why(id),
                 QStringLiteral("it waits for default-0 to succeed, which is ready; drover why default-0"));
        spec.after.clear();
        spec.notBefore = party.world.wallClock() + 90s;
        const QString timed = party.why(party.submitSpec(spec));
        QVERIFY2(timed.startsWith(u"it is to begin at ") && timed.endsWith(u"in 90 s"), qPrintable(timed));
    }

    void noWorkerIsFit()
    {
        WhyParty party;
        JobSpec spec = JobParty::spec();
        spec.needs.labels = QStringList(QStringLiteral("gpu"));
        const JobId id = party.submitSpec(spec);
        QCOMPARE(party.why(id), QStringLiteral("there is no worker; start one: drover worker"));
        party.join("w1");
        QCOMPARE(party.why(id),
                 QStringLiteral("no worker of queue default has the label gpu; start one: drover worker --queue "
                                "default --label gpu"));
        party.join("w2", 2, QStringList(QStringLiteral("gpu")));
        QCOMPARE(party.why(id), QStringLiteral("nothing keeps it: a worker is about to take it"));
        spec.needs.labels.clear();
        spec.needs.slots = 4;
        QCOMPARE(party.why(party.submitSpec(spec)), QStringLiteral("it needs 4 slots, the largest worker has 2"));
    }

    void everyWorkerIsCordoned()
    {
        WhyParty party;
        party.join("w1");
        const JobId id = party.submit();
        party.run(cordon(party[0], party.layout, "w1", {QStringLiteral("me@here"), QStringLiteral("disk"), 0ms}));
        QCOMPARE(party.why(id),
                 QStringLiteral("every worker that could run it is cordoned; w1 by me@here: disk; drover worker "
                                "uncordon w1"));
    }

    void theQueueIsPausedOrLong()
    {
        WhyParty party;
        party.join("w1");
        party.submit();
        party.submit();
        const JobId id = party.submit();
        QCOMPARE(party.why(id), QStringLiteral("2 jobs are ahead of it in queue default"));
        const auto pause = [](QueueSettings &settings) {
            settings.paused = true;
            settings.pausedBy = QStringLiteral("me@here");
        };
        party.run(changeQueue(party[0], party.layout, "default", pause));
        const QString paused = party.why(id);
        QVERIFY2(paused.startsWith(u"queue default was paused by me@here")
                     && paused.endsWith(u"drover queue resume default"),
                 qPrintable(paused));
    }

    void itRunsOrWaitsForALock()
    {
        WhyParty party;
        const JobId id = party.submit();
        party.claim(id, 0);
        QVERIFY2(party.why(id).startsWith(u"it runs on w for "), qPrintable(party.why(id)));
        Claim claim = Claim::decode(party.node(party.layout.claim(id)).data);
        claim.waits = QStringLiteral("lock db");
        party.write(party.layout.claim(id), claim.encode());
        party.run(party[0].ensurePath(party.layout.lock("db")));
        party.write(party.layout.lock("db") / "_c_x-lock-0000000000", "default-7 on w2");
        const QString waits = party.why(id);
        QVERIFY2(waits.startsWith(u"worker w has claimed it and waits for lock db, held by default-7 on w2 for "),
                 qPrintable(waits));
    }

    void itHasEnded()
    {
        WhyParty party;
        const JobId id = party.submit();
        FinalRecord record = FinalRecord::of(id, JobParty::spec());
        record.outcome = FinalRecord::Outcome::GaveUp;
        record.reason = QStringLiteral("5 attempts ended with their workers");
        party.end(id, record);
        QCOMPARE(party.why(id), QStringLiteral("it has ended: failed, 5 attempts ended with their workers"));
    }
};

QTEST_GUILESS_MAIN(WhyTest)
#include "why_test.moc"
