#include "support/requests/linearizability.h"
#include "support/seeded_random.h"

#include <QTest>

using namespace drover::test;

class LinearizabilityTest : public QObject
{
    Q_OBJECT

    // An operation that overlaps no other one.
    static void alone(History &history, int client, const char *name, qint64 argument, std::optional<qint64> result)
    {
        history.ok(history.invoke(client, name, argument), result);
    }

private Q_SLOTS:
    void anEmptyHistoryIsGood() { QVERIFY(!violation(History(), lockModel())); }

    void oneHolderAtATime()
    {
        History good;
        alone(good, 1, "acquire", 1, {});
        const int waiting = good.invoke(2, "acquire", 2);
        alone(good, 1, "release", 1, {});
        good.ok(waiting);
        QVERIFY(!violation(good, lockModel()));

        History bad;
        alone(bad, 1, "acquire", 1, {});
        alone(bad, 2, "acquire", 2, {});
        alone(bad, 1, "release", 1, {});
        const std::optional<QString> why = violation(bad, lockModel());
        QVERIFY(why);
        QVERIFY2(why->contains(QLatin1String("state is [1]")) && why->contains(QLatin1String("client 2: acquire")),
                 qPrintable(*why));
    }

    void aRegisterIsReadAsItIs()
    {
        History good;
        alone(good, 1, "read", 0, 0);
        alone(good, 1, "write", 7, {});
        alone(good, 2, "replace", 8, 7);
        good.invoke(1, "write", 9); // its outcome is unknown
        alone(good, 2, "read", 0, 8);
        alone(good, 2, "read", 0, 9);
        QVERIFY(!violation(good, registerModel()));
        alone(good, 2, "read", 0, 8);
        QVERIFY(violation(good, registerModel()));

        History bad;
        alone(bad, 1, "write", 7, {});
        alone(bad, 2, "replace", 8, 0);
        QVERIFY(violation(bad, registerModel()));
    }

    void aReleaseNeedsAHold()
    {
        History bad;
        alone(bad, 1, "acquire", 1, {});
        alone(bad, 2, "release", 2, {});
        QVERIFY(violation(bad, lockModel()));
    }

    void anExpiredHolderMayHaveReleased()
    {
        History good;
        alone(good, 1, "acquire", 1, {});
        good.invoke(1, "release", 1); // its outcome is unknown
        alone(good, 2, "acquire", 2, {});
        QVERIFY(!violation(good, lockModel()));

        History early; // it holds until then
        alone(early, 1, "acquire", 1, {});
        alone(early, 2, "acquire", 2, {});
        early.unknown(early.invoke(1, "release", 1));
        QVERIFY(violation(early, lockModel()));
    }

    void anUnknownAcquireMayHoldOrNot()
    {
        History history;
        history.unknown(history.invoke(1, "acquire", 1));
        alone(history, 2, "acquire", 2, {});
        alone(history, 2, "release", 2, {});
        QVERIFY(!violation(history, lockModel()));
        alone(history, 1, "release", 1, {}); // so it did
        QVERIFY(!violation(history, lockModel()));
    }

    void aFailedOperationHadNoEffect()
    {
        History history;
        history.fail(history.invoke(1, "acquire", 1));
        alone(history, 2, "acquire", 2, {});
        QVERIFY(!violation(history, lockModel()));
        alone(history, 1, "release", 1, {});
        QVERIFY(violation(history, lockModel()));
    }

    void addsAreCountedOnce()
    {
        History good;
        const int first = good.invoke(1, "add", 1);
        const int second = good.invoke(2, "add", 1);
        good.ok(first, 2);
        good.ok(second, 1);
        alone(good, 3, "get", 0, 2);
        QVERIFY(!violation(good, counterModel()));

        History twice; // two clients get one number
        const int one = twice.invoke(1, "add", 1);
        const int other = twice.invoke(2, "add", 1);
        twice.ok(one, 1);
        twice.ok(other, 1);
        QVERIFY(violation(twice, counterModel()));

        History doubled; // a lost reply, and the write repeated
        alone(doubled, 1, "add", 1, 1);
        alone(doubled, 2, "add", 1, 3);
        QVERIFY(violation(doubled, counterModel()));
    }

    void aValueThatWasReadStaysRead()
    {
        History bad;
        const int add = bad.invoke(1, "add", 1);
        alone(bad, 2, "get", 0, 1);
        alone(bad, 2, "get", 0, 0); // back in time
        bad.ok(add, 1);
        QVERIFY(violation(bad, counterModel()));
    }

    void anUnknownAddIsOnceOrNever()
    {
        for (const auto &[later, good] : {std::pair(0, true), std::pair(5, true), std::pair(10, false)}) {
            History history;
            history.unknown(history.invoke(1, "add", 5));
            alone(history, 2, "get", 0, 0);
            alone(history, 2, "get", 0, later);
            QCOMPARE(!violation(history, counterModel()), good);
        }
    }

    void aQueueGivesEachItemOnceAndInOrder()
    {
        History good;
        alone(good, 1, "put", 7, {});
        const int put = good.invoke(1, "put", 8);
        alone(good, 2, "take", 0, 7);
        alone(good, 2, "take", 0, 8);
        good.ok(put);
        alone(good, 2, "take", 0, {});
        QVERIFY(!violation(good, queueModel(TakeOrder::InOrder)));
        QVERIFY(!violation(good, queueModel(TakeOrder::AnyOrder)));

        History overtaken;
        alone(overtaken, 1, "put", 7, {});
        alone(overtaken, 1, "put", 8, {});
        alone(overtaken, 2, "take", 0, 8);
        alone(overtaken, 2, "take", 0, 7);
        QVERIFY(violation(overtaken, queueModel(TakeOrder::InOrder)));
        QVERIFY(!violation(overtaken, queueModel(TakeOrder::AnyOrder)));

        for (const TakeOrder order : {TakeOrder::InOrder, TakeOrder::AnyOrder}) {
            History twice;
            alone(twice, 1, "put", 7, {});
            alone(twice, 2, "take", 0, 7);
            alone(twice, 3, "take", 0, 7);
            QVERIFY(violation(twice, queueModel(order)));

            History overlooked;
            alone(overlooked, 1, "put", 7, {});
            alone(overlooked, 2, "take", 0, {});
            QVERIFY(violation(overlooked, queueModel(order)));

            History invented;
            alone(invented, 2, "take", 0, 7);
            QVERIFY(violation(invented, queueModel(order)));
        }
    }

    void anUnknownTakeMayHaveTakenTheOldest()
    {
        History history;
        alone(history, 1, "put", 7, {});
        alone(history, 1, "put", 8, {});
        history.unknown(history.invoke(2, "take"));
        alone(history, 3, "take", 0, 8);
        QVERIFY(!violation(history, queueModel(TakeOrder::InOrder)));
        alone(history, 3, "take", 0, 7);
        QVERIFY(violation(history, queueModel(TakeOrder::InOrder)));
    }

    void manyUnknownOperationsAreOneOfAKind()
    {
        History history;
        for (int i = 0; i < 200; ++i)
            history.invoke(i, "add", 1);
        alone(history, 200, "get", 0, 150);
        QVERIFY(!violation(history, counterModel()));
        alone(history, 200, "get", 0, 201);
        QVERIFY(violation(history, counterModel()));
    }

    // Histories made from a counter that is right are good; with one result changed they are not.
    void randomHistories()
    {
        for (quint64 seed = 1; seed <= 200; ++seed) {
            SeededRandom random(seed);
            const int spoilt = 20 + random.below(100);
            History good;
            History bad;
            qint64 number = 0;
            std::vector<std::optional<std::pair<int, bool>>> running(6); // operation, an add
            for (int i = 0; i < 300; ++i) {
                const int client = random.below(6);
                auto &operation = running[static_cast<std::size_t>(client)];
                if (!operation) {
                    const bool add = random.chance(0.5);
                    operation = std::pair(good.invoke(client, add ? "add" : "get", 1), add);
                    bad.invoke(client, add ? "add" : "get", 1);
                    continue;
                }
                const auto [id, add] = *std::exchange(operation, std::nullopt);
                const bool lost = add && random.chance(0.05);
                if (add && (!lost || random.chance(0.5)))
                    ++number; // takes effect at its end
                if (lost)
                    continue;
                good.ok(id, number);
                bad.ok(id, id == spoilt ? number + 1000 : number);
            }
            QVERIFY(!violation(good, counterModel()));
            if (bad.operations()[static_cast<std::size_t>(spoilt)].outcome == History::Operation::Outcome::Ok)
                QVERIFY(violation(bad, counterModel()));
        }
    }

    // Without the memory of what was tried this would take 14! attempts.
    void theSearchRemembersWhatItTried()
    {
        History history;
        for (int i = 0; i < 14; ++i)
            history.invoke(i, "add", 1 << i);
        alone(history, 20, "get", 0, 1 << 14);
        QVERIFY(violation(history, counterModel()));
    }
};

QTEST_GUILESS_MAIN(LinearizabilityTest)
#include "linearizability_test.moc"
