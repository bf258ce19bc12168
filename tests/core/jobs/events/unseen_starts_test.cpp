#include "core/jobs/job_cluster.h"
#include "jobs/events/event_feed.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using namespace drover::test;
using namespace std::chrono_literals;

// The feed looks now and then. It finds a claim that has gone and come again between two looks. A start that came and
// went there is counted by a later event of the job.
class UnseenStartsTest : public QObject
{
    Q_OBJECT

    struct Watcher {
        explicit Watcher(JobCluster &party)
            : feed(party.cluster(1), [this](const Event &event) {
                  heard.append(
                      QStringLiteral("%1 %2 %3").arg(kindName(event.kind)).arg(event.attempt).arg(event.unseenStarts));
              })
        {
            running.spawn(feed.run());
            party.settle(1s);
        }

        QStringList heard;
        EventFeed feed;
        async::TaskGroup running{[](const std::exception_ptr &) {}};
    };

    // Its claim is given back and made anew, in a moment.
    static void restart(JobCluster &party, const JobId &id)
    {
        party.commit(zk::Transaction().remove(party.layout.claim(id)));
        party.claim(id, 0);
    }
    // Two jobs that run. What the watcher heard of their starts is forgotten.
    static std::pair<JobId, JobId> beginTwo(JobCluster &party, Watcher &watcher)
    {
        const JobId first = party.submit();
        const JobId second = party.submit();
        party.claim(first, 0);
        party.claim(second, 0);
        party.settle(1s);
        watcher.heard.clear();
        return {first, second};
    }
    static void end(JobCluster &party, const JobId &id)
    {
        FinalRecord record = FinalRecord::of(id, JobCluster::spec());
        record.attempts = party.claimOf(id).attempts;
        party.commit(zk::Transaction()
                         .remove(party.pathOf(id))
                         .remove(party.layout.claim(id))
                         .create(party.layout.done(id), record.encode()));
        party.settle(1s);
    }

private Q_SLOTS:
    void anEndCountsTheUnseenStarts()
    {
        JobCluster party(2);
        Watcher watcher(party);
        const JobId id = party.submit();
        party.claim(id, 0);
        party.settle(1s);
        restart(party, id);
        restart(party, id);
        party.settle(1s);
        end(party, id);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted 0 0"), QStringLiteral("started 1 0"), QStringLiteral("stopped 1 0"),
                         QStringLiteral("started 3 1"), QStringLiteral("ended 3 0")}));
    }

    void aRestartIsReportedAsAStopAndAStart()
    {
        JobCluster party(2);
        Watcher watcher(party);
        const JobId id = beginTwo(party, watcher).first;
        restart(party, id);
        party.settle(1s);
        QCOMPARE(watcher.heard, (QStringList{QStringLiteral("stopped 1 0"), QStringLiteral("started 2 0")}));
        restart(party, id);
        party.settle(1s);
        QCOMPARE(watcher.heard.mid(2), (QStringList{QStringLiteral("stopped 2 0"), QStringLiteral("started 3 0")}));
    }

    // Its claim has gone, as that of a job that is lost; the other one's stays.
    void aStopBesideARestartIsReported()
    {
        JobCluster party(2);
        Watcher watcher(party);
        const auto [id, other] = beginTwo(party, watcher);
        restart(party, id);
        party.commit(zk::Transaction().remove(party.layout.claim(other)));
        party.settle(1s);
        watcher.heard.sort();
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("started 2 0"), QStringLiteral("stopped 1 0"), QStringLiteral("stopped 1 0")}));
    }

    void aStartIsNumberedAfterUnseenOnes()
    {
        JobCluster party(2);
        Watcher watcher(party);
        const JobId id = party.submit();
        party.claim(id, 0);
        restart(party, id);
        party.settle(1s);
        end(party, id);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("submitted 0 0"), QStringLiteral("started 2 1"), QStringLiteral("ended 2 0")}));
    }

    void startsAreCountedFromTheArrivalOfTheWatcher()
    {
        JobCluster party(2);
        const JobId id = party.submit();
        party.claim(id, 0);
        restart(party, id);
        Watcher watcher(party);
        restart(party, id);
        party.settle(1s);
        end(party, id);
        QCOMPARE(
            watcher.heard,
            (QStringList{QStringLiteral("stopped 2 0"), QStringLiteral("started 3 0"), QStringLiteral("ended 3 0")}));
    }
};

QTEST_GUILESS_MAIN(UnseenStartsTest)
#include "unseen_starts_test.moc"
