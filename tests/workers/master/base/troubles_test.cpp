#include "core/jobs/job_cluster.h"
#include "workers/master/base/troubles.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using Trouble = jobs::ClusterStats::Trouble;

// What the master's summary says of its troubles.
class TroublesTest : public QObject
{
    Q_OBJECT

    static QStringList subjects(const std::vector<Trouble> &troubles)
    {
        QStringList all;
        for (const Trouble &trouble : troubles)
            all.append(trouble.subject);
        return all;
    }

private Q_SLOTS:
    void manyOfAKindHideNoOther()
    {
        JobCluster fake(1);
        workers::Troubles troubles(fake[0].loop());
        const QString job = QStringLiteral("job %1");
        troubles.note(QStringLiteral("zoo"), QStringLiteral("closed"));
        fake.settle(1min);
        for (int i = 10; i < 40; ++i) {
            troubles.note(job.arg(i), QStringLiteral("refused"), job);
            fake.settle(1s);
        }
        troubles.note(QStringLiteral("what waits for 7"), QStringLiteral("lost"), QStringLiteral("what waits for %1"));
        const std::vector<Trouble> shown = troubles.first(20);
        QCOMPARE(subjects(shown),
                 (QStringList{QStringLiteral("zoo"), QStringLiteral("job 10"), QStringLiteral("job 11"),
                              QStringLiteral("job 12"), QStringLiteral("job 13"),
                              QStringLiteral("26 more, such as job 14"), QStringLiteral("what waits for 7")}));
        QCOMPARE(shown[1].error, QStringLiteral("refused"));
        QCOMPARE(shown[5].since - shown[4].since, std::chrono::milliseconds(1s)); // of the oldest of them
        troubles.clear(job.arg(10));
        QCOMPARE(subjects(troubles.first(20))[4], QStringLiteral("job 14"));
        for (int i = 11; i < 40; ++i)
            troubles.clear(job.arg(i));
        QCOMPARE(troubles.first(20).size(), 2u);
    }

    void thereIsRoomForSoMany()
    {
        JobCluster fake(1);
        workers::Troubles troubles(fake[0].loop());
        for (int i = 10; i < 20; ++i)
            troubles.note(QString::number(i), QStringLiteral("fails"));
        QCOMPARE(troubles.first(10).size(), 10u);
        troubles.note(QStringLiteral("job 1"), QStringLiteral("fails"), QStringLiteral("job %1"));
        const QStringList five = subjects(troubles.first(5));
        QCOMPARE(five,
                 (QStringList{QStringLiteral("10"), QStringLiteral("11"), QStringLiteral("12"),
                              QStringLiteral("7 more, such as 13"), QStringLiteral("job 1")}));
        QCOMPARE(subjects(troubles.first(1)), QStringList{QStringLiteral("job 1")});
        QVERIFY(troubles.first(0).empty());
    }
};

QTEST_GUILESS_MAIN(TroublesTest)
#include "troubles_test.moc"
