#include "core/jobs/job_party.h"
#include "jobs/schedules.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

namespace {

ScheduleEntry daily()
{
    return ScheduleEntry{.when = CronSchedule::parse(QStringLiteral("@daily")), .job = JobParty::spec()};
}

void setPaused(ScheduleEntry &entry)
{
    entry.paused = true;
}

} // namespace

class SchedulesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void addedListedAndRemoved()
    {
        JobParty party;
        QVERIFY(party.run(listSchedules(party[0], party.layout)).empty());
        party.run(addSchedule(party[0], party.layout, "b", daily()));
        party.run(addSchedule(party[0], party.layout, "a", daily()));
        party.write(party.layout.schedule("c"), "{}");
        const std::vector<StoredSchedule> all = party.run(listSchedules(party[0], party.layout));
        QCOMPARE(all.size(), 3u);
        QCOMPARE(all[0].name, QByteArray("a"));
        QCOMPARE(all[1].entry->job.command, JobParty::spec().command);
        QVERIFY(!all[2].entry && all[2].malformed.contains(u"version"));

        ScheduleEntry other = daily();
        other.paused = true;
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(addSchedule(party[0], party.layout, "a", other)));
        for (const char *const name : {"a", "b", "c"})
            party.run(removeSchedule(party[0], party.layout, name));
        QVERIFY(party.childrenOf(party.layout.schedules()).isEmpty());
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(removeSchedule(party[0], party.layout, "a")));
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(findSchedule(party[0], party.layout, "a")));
    }

    void whatCannotBeSubmittedIsRefused()
    {
        JobParty party;
        ScheduleEntry entry = daily();
        entry.job.queue = "gpu";
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(addSchedule(party[0], party.layout, "a", entry)));
        entry.job = JobParty::spec();
        entry.job.command.append(QString(JobSpec::MaxSize - entry.job.encode().size() - 10, u'x'));
        QVERIFY(entry.job.encode().size() <= JobSpec::MaxSize); // without the key of a tick
        QVERIFY_THROWS_EXCEPTION(SpecTooLarge, party.run(addSchedule(party[0], party.layout, "a", entry)));
        QVERIFY(party.childrenOf(party.layout.schedules()).isEmpty());
    }

    void editingOverwritesNobody()
    {
        JobParty party;
        party.run(addSchedule(party[0], party.layout, "a", daily()));
        int edits = 0;
        const auto edit = [&](ScheduleEntry &entry) {
            if (++edits == 1) { // the master has written since it was read
                ScheduleEntry ticked = daily();
                ticked.lastTick = 5min;
                (void)party[0].set(party.layout.schedule("a"), ticked.encode());
            }
            entry.paused = true;
        };
        party.run(editSchedule(party[0], party.layout, "a", edit));
        const StoredSchedule stored = party.run(findSchedule(party[0], party.layout, "a"));
        QCOMPARE(edits, 2);
        QVERIFY(stored.entry->paused);
        QCOMPARE(stored.entry->lastTick, std::chrono::milliseconds(5min));
        QVERIFY_THROWS_EXCEPTION(NotFound, party.run(editSchedule(party[0], party.layout, "b", setPaused)));
        party.write(party.layout.schedule("c"), "?");
        QVERIFY_THROWS_EXCEPTION(WrongState, party.run(editSchedule(party[0], party.layout, "c", setPaused)));
    }

    void aLostReplyIsNoFailure_data()
    {
        QTest::addColumn<int>("operation");
        for (int operation = 1; operation <= 9; ++operation)
            QTest::addRow("reply %d lost", operation) << operation;
    }
    void aLostReplyIsNoFailure()
    {
        QFETCH(int, operation);
        FaultPlan plan;
        plan.scripted[static_cast<quint64>(operation)] = Fault::LoseReply;
        FaultInjector faults(plan);
        JobParty party(2, {.faults = &faults});
        party.run(addSchedule(party[1], party.layout, "a", daily()));
        QVERIFY(!party.run(findSchedule(party[1], party.layout, "a")).entry->paused);
        party.run(editSchedule(party[1], party.layout, "a", setPaused));
        QVERIFY(party.run(findSchedule(party[1], party.layout, "a")).entry->paused);
        party.run(removeSchedule(party[1], party.layout, "a"));
        QVERIFY(party.childrenOf(party.layout.schedules()).isEmpty());
        QCOMPARE(faults.log().count(Fault::LoseReply), 1u);
    }
};

QTEST_GUILESS_MAIN(SchedulesTest)
#include "schedules_test.moc"
