#include "core/jobs/job_party.h"
#include "workers/namesakes.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using jobs::FinalRecord;
using jobs::JobId;
using workers::Namesakes;

// Which jobs of a queue have the same name, and what it costs to know. What waits by it: promoter_test.
class NamesakesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The one that was waited for has ended last: what else has ended is not looked at one by one.
    void oneListingPassesOverAllThatHaveEnded()
    {
        JobParty party(2);
        int told = 0;
        Namesakes namesakes(party[1], party.layout, [&told](const QByteArray &) { ++told; });
        const QString name = JobParty::spec().title();
        std::vector<JobId> earlier;
        for (int i = 0; i < 100; ++i)
            earlier.push_back(party.submit());
        const JobId singleton = party.submit();
        QVERIFY(!namesakes.before(singleton, name).known);
        party.settle(5s);
        QCOMPARE(told, 1);
        const std::optional<JobId> latest = namesakes.before(singleton, name).latest;
        QVERIFY(latest == earlier.back());

        for (std::size_t i = 1; i < earlier.size(); ++i)
            party.end(earlier[i], FinalRecord::of(earlier[i], JobParty::spec()));
        const quint64 before = party[1].counters().requests;
        namesakes.forget(earlier.back());
        QVERIFY(!namesakes.before(singleton, name).known);
        party.settle(5s);
        QCOMPARE(told, 2);
        QCOMPARE(party[1].counters().requests - before, quint64(1));
        const std::optional<JobId> left = namesakes.before(singleton, name).latest;
        QVERIFY(left == earlier.front());

        namesakes.forget(earlier.front()); // no other is known before it: nothing is to be asked
        const Namesakes::Earlier none = namesakes.before(singleton, name);
        QVERIFY(none.known && !none.latest);
        party.settle(5s);
        QCOMPARE(party[1].counters().requests - before, quint64(1));
    }
};

QTEST_GUILESS_MAIN(NamesakesTest)
#include "namesakes_test.moc"
