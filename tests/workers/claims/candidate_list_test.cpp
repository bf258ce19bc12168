#include "workers/claims/candidate_list.h"

#include <QTest>

using namespace drover;
using namespace drover::jobs;
using workers::CandidateList;

class CandidateListTest : public QObject
{
    Q_OBJECT

    const QByteArrayList m_members{"w0", "w1", "w2", "w3"};

    static QByteArray name(int priority, int number)
    {
        return QueueEntry{QueueEntry::Class::Ready, priority, number}.name();
    }
    static QByteArrayList jobs(int count)
    {
        QByteArrayList names;
        for (int i = 0; i < count; ++i)
            names.append(name(5, i));
        return names;
    }
    static std::vector<qint32> numbers(const std::vector<QueueEntry> &entries)
    {
        std::vector<qint32> numbers;
        for (const QueueEntry &entry : entries)
            numbers.push_back(entry.number);
        return numbers;
    }
    // What the worker tries before it steals: those it takes first out of the whole queue, in ascending order.
    std::vector<qint32> ownPart(const QByteArray &worker, const QByteArrayList &members, int count) const
    {
        CandidateList backlog("default", jobs(count), {}, worker, members);
        std::vector<qint32> own;
        while (!backlog.empty()) {
            const qint32 next = backlog.take(1).front().number;
            if (!own.empty() && next < own.back())
                break;
            own.push_back(next);
        }
        return own;
    }

private Q_SLOTS:
    void aLonelyWorkerTakesAllInOrder()
    {
        const QByteArrayList names{name(5, 3), name(2, 9), name(5, 1), name(2, 4), "rubbish", "w0-0000000000"};
        CandidateList backlog("default", names, {}, "w0", {"w0"});
        QCOMPARE(backlog.size(), 4u);
        QCOMPARE(numbers(backlog.take(1)), (std::vector<qint32>{4}));
        QCOMPARE(numbers(backlog.take(9)), (std::vector<qint32>{9})); // one priority at a time
        QCOMPARE(numbers(backlog.take(9)), (std::vector<qint32>{1, 3}));
        QVERIFY(backlog.empty());
        QVERIFY(backlog.take(9).empty());
    }

    void aHigherPriorityOfOthersComesBeforeOnesOwn()
    {
        // All jobs of priority 1 are taken before any of priority 5, even those in other workers' parts.
        QByteArrayList names = jobs(20);
        for (int i = 20; i < 40; ++i)
            names.append(name(1, i));
        CandidateList backlog("default", names, {}, "w0", m_members);
        int taken = 0;
        for (; taken < 20; ++taken)
            QCOMPARE(backlog.take(1).front().priority, 1);
        QCOMPARE(backlog.take(1).front().priority, 5);
    }

    void claimedJobsAreLeftOut()
    {
        CandidateList backlog("default", jobs(5), {JobId{"default", 1}.inQueue(), JobId{"default", 3}.inQueue()}, "w0",
                              {"w0"});
        QCOMPARE(numbers(backlog.take(9)), (std::vector<qint32>{0, 2, 4}));
    }

    void eachJobIsOneMembersOwn()
    {
        constexpr int Count = 2000;
        std::vector<int> owners(Count, 0);
        for (const QByteArray &worker : m_members) {
            const std::vector<qint32> own = ownPart(worker, m_members, Count);
            // A quarter each, roughly: the parts are even enough that no worker has to live on the parts of others.
            QVERIFY2(own.size() > Count / 5 && own.size() < Count / 3, qPrintable(QString::number(own.size())));
            for (const qint32 number : own)
                ++owners[static_cast<std::size_t>(number)];
        }
        // ownPart() cannot tell a stolen job from an own one when it goes on in order: one at most for each worker.
        const auto shared = std::count_if(owners.begin(), owners.end(), [](int count) { return count != 1; });
        QVERIFY2(shared <= 4, qPrintable(QString::number(shared)));
    }

    void aMemberThatLeavesMovesOnlyItsOwnPart()
    {
        const QByteArrayList fewer{"w0", "w1", "w2"};
        const std::vector<qint32> before = ownPart("w0", m_members, 500);
        const std::vector<qint32> after = ownPart("w0", fewer, 500);
        QVERIFY(after.size() > before.size());
        // The last may be a stolen one, see above.
        QVERIFY(std::includes(after.begin(), after.end(), before.begin(), before.end() - 1));
    }

    void theNewestOfOthersIsStolenFirst()
    {
        CandidateList backlog("default", jobs(100), {}, "w0", m_members);
        const std::vector<qint32> own = ownPart("w0", m_members, 100);
        backlog.take(own.size());
        const std::vector<qint32> stolen = numbers(backlog.take(3));
        QCOMPARE(stolen.size(), 3u);
        QVERIFY(std::is_sorted(stolen.begin(), stolen.end()));
        QVERIFY(stolen.front() > 80); // owners come from the other end
    }

    void aWorkerThatIsNotYetAMemberTakesPartToo()
    {
        QVERIFY(!ownPart("w9", m_members, 200).empty());
        CandidateList backlog("default", jobs(10), {}, "w9", {});
        QCOMPARE(backlog.take(99).size(), 10u);
    }
};

QTEST_GUILESS_MAIN(CandidateListTest)
#include "candidate_list_test.moc"
