#include "gui/models/lock_model.h"

#include <QAbstractItemModelTester>
#include <QSignalSpy>
#include <QSortFilterProxyModel>
#include <QTest>

using namespace drover;
using namespace drover::gui;

class DeadlocksTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void aDeadlockIsMarked();
    void severalJobsOfAWorkerAreNoDeadlock();
    void aRequestToReleaseIsNotAnOwnersName();
    void anOwnerThatWaitsForItselfIsNoDeadlock();
    void aLongChainOfWaitsIsNoDeadlock();
    void aPermitThatComesFreeEndsTheWait();
    void aThreadThatGoesOnEndsTheWait();
    void theEvidenceIsAllThatHasToStay();
    void aCommandWithinACommandIsPartOfACircle_data();
    void aCommandWithinACommandIsPartOfACircle();
    void aLockWithinItselfIsADeadlock();
    void aCommandThatGoesOnEndsTheWait();
    void forgedOwnersAreNoCircle();
    void aTicketWithoutASessionIsLeaked();
    void aReaderMakesTheLockOfOthersShared();
    void freeLocksAreHeldForTheShortestTime();
    void aFreeLimitIsNoLock();
};

namespace {

LockRow contender(const QByteArray &lock, int place, zk::SessionId session, const QByteArray &about)
{
    return {lock, place, "lock-" + QByteArray::number(place).rightJustified(10, '0'), about, session, 1};
}

QStringList texts(const QAbstractItemModel &model, LockModel::Column column)
{
    QStringList texts;
    for (int row = 0; row < model.rowCount(); ++row)
        texts << model.index(row, column).data().toString();
    return texts;
}

QStringList places(const LockModel &model)
{
    return texts(model, LockModel::Place);
}

} // namespace

void DeadlocksTest::aDeadlockIsMarked()
{
    LockModel model;
    const QAbstractItemModelTester tester(&model, QAbstractItemModelTester::FailureReportingMode::Fatal);
    QSignalSpy changed(&model, &LockModel::deadlocksChanged);
    const QList<LockRow> rows{contender("alpha", 0, 1, "p1"), contender("alpha", 1, 2, "p2"),
                              contender("beta", 0, 2, "p2"), contender("beta", 1, 1, "p1"),
                              contender("beta", 2, 3, "p3")};
    model.show(rows);
    model.showDeadlocks(findDeadlocks(rows));
    QCOMPARE(changed.size(), 1);
    QCOMPARE(model.deadlocks().size(), 1);
    const QString path = model.deadlocks().front().path();
    QVERIFY2(path == u"alpha → beta → alpha"_qs || path == u"beta → alpha → beta"_qs, qPrintable(path));
    QCOMPARE(places(model),
             (QStringList{u"Holds"_qs, u"Deadlock, 1"_qs, u"Holds"_qs, u"Deadlock, 1"_qs, u"Waits, 2"_qs}));
    QCOMPARE(model.index(1, LockModel::Place).data(ToneRole).toInt(), int(Tone::Bad));
    model.show(rows.mid(0, 3)); // p1 has given up
    model.showDeadlocks(findDeadlocks(rows.mid(0, 3)));
    QCOMPARE(changed.size(), 2);
    QVERIFY(model.deadlocks().isEmpty());
    QCOMPARE(model.index(1, LockModel::Place).data().toString(), u"Waits, 1"_qs);
}

// One session holds the locks of all of them.
void DeadlocksTest::severalJobsOfAWorkerAreNoDeadlock()
{
    const QList<LockRow> rows{contender("alpha", 0, 1, "job 1"), contender("alpha", 1, 2, "job 4"),
                              contender("beta", 0, 2, "job 3"), contender("beta", 1, 1, "job 2")};
    QVERIFY(findDeadlocks(rows).isEmpty());
}

// A request overwrites which of the jobs it was.
void DeadlocksTest::aRequestToReleaseIsNotAnOwnersName()
{
    const QList<LockRow> rows{contender("alpha", 0, 1, "__REVOKE__"), contender("alpha", 1, 2, "p2"),
                              contender("beta", 0, 2, "p2"), contender("beta", 1, 1, "__REVOKE__")};
    QVERIFY(findDeadlocks(rows).isEmpty());
    const QByteArray mark = "0b3f4a0e-6d6f-4c39-9a11-1f6c1a3f5d02 ";
    const LockRow marked{"gamma", 0, "x-77-0000000001", mark + "__REVOKE__", 1};
    QVERIFY(wasAsked(rows.front()) && wasAsked(marked));
    QVERIFY(!wasAsked(rows[1]) && !wasAsked({"gamma", 0, "x-77-0000000001", mark + "p3", 1}));
}

// Another of its threads may hold the lock.
void DeadlocksTest::anOwnerThatWaitsForItselfIsNoDeadlock()
{
    QVERIFY(findDeadlocks({contender("alpha", 0, 1, "p1"), contender("alpha", 1, 1, "p1")}).isEmpty());
}

void DeadlocksTest::aLongChainOfWaitsIsNoDeadlock()
{
    QList<LockRow> rows;
    constexpr int Locks = 20'000;
    for (int i = 0; i < Locks; ++i) {
        const QByteArray lock = QByteArray::number(i);
        rows << contender(lock, 0, i + 1, "holds") << contender(lock, 1, i + 2, "holds");
    }
    QVERIFY(findDeadlocks(rows).isEmpty());
    rows << contender("last", 0, Locks + 1, "holds") << contender("last", 1, 1, "holds");
    const QList<Deadlock> found = findDeadlocks(rows);
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.front().waiting.size(), Locks + 1);
}

// Of two permits a process in the circle has one. The other is held by who goes on.
void DeadlocksTest::aPermitThatComesFreeEndsTheWait()
{
    const auto ofLimit = [](int place, zk::SessionId session, const QByteArray &about) {
        LockRow row = contender("limit gpu", place, session, about);
        row.isOfSeveral = true;
        return row;
    };
    QList<LockRow> rows{contender("alpha", 0, 1, "p1"), contender("alpha", 1, 2, "p2"), ofLimit(0, 2, "p2"),
                        ofLimit(0, 3, "p3"), ofLimit(1, 1, "p1")};
    QVERIFY(findDeadlocks(rows).isEmpty());
    rows.append(contender("alpha", 2, 3, "p3")); // by now it waits as well
    const QList<Deadlock> found = findDeadlocks(rows);
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.front().evidence.size(), rows.size());
}

// It will let go of what the circle goes through.
void DeadlocksTest::aThreadThatGoesOnEndsTheWait()
{
    const QList<LockRow> rows{contender("alpha", 0, 1, "p1"), contender("alpha", 1, 2, "p2"),
                              contender("beta", 0, 2, "p2"),  contender("beta", 1, 1, "p1"),
                              contender("gamma", 0, 3, "p3"), contender("gamma", 1, 2, "p2")};
    QVERIFY(findDeadlocks(rows).isEmpty());
}

// Not the third in line, nor a lock that has nothing to do with it.
void DeadlocksTest::theEvidenceIsAllThatHasToStay()
{
    const QList<LockRow> circle{contender("alpha", 0, 1, "p1"), contender("alpha", 1, 2, "p2"),
                                contender("beta", 0, 2, "p2"), contender("beta", 1, 1, "p1")};
    const QList<LockRow> others{contender("beta", 2, 3, "p3"), contender("other", 0, 4, "p4")};
    const QList<Deadlock> found = findDeadlocks(circle + others);
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.front().evidence.size(), circle.size());
    for (const LockRow &row : circle)
        QVERIFY(found.front().evidence.contains(row));
}

// Each has the lock that the other's command waits for, through sessions of their own.
void DeadlocksTest::aCommandWithinACommandIsPartOfACircle_data()
{
    QTest::addColumn<QByteArray>("outer"); // of the first
    QTest::addColumn<QByteArray>("within");
    QTest::addColumn<bool>("isDeadlock");
    QTest::newRow("a drover in a drover") << QByteArray("host process 7: drover") << QByteArray("0x1") << true;
    QTest::newRow("in another one") << QByteArray("host process 7: drover") << QByteArray("0x77,0x1") << true;
    QTest::newRow("in a job") << QByteArray("default-8") << QByteArray("0x1 default-8") << true;
    QTest::newRow("in another job of that worker") << QByteArray("default-8") << QByteArray("0x1 default-9") << false;
    QTest::newRow("in none") << QByteArray("host process 7: drover") << QByteArray() << false;
}

void DeadlocksTest::aCommandWithinACommandIsPartOfACircle()
{
    QFETCH(QByteArray, outer);
    QFETCH(QByteArray, within);
    QFETCH(bool, isDeadlock);
    const QByteArray inner = within.isEmpty() ? QByteArray("make") : "make; within " + within;
    const QList<LockRow> rows{contender("alpha", 0, 1, outer), contender("alpha", 1, 4, "sh; within 0x3"),
                              contender("beta", 0, 3, "drover"), contender("beta", 1, 2, inner),
                              contender("other", 0, 5, "make; within 0x5")};
    const QList<Deadlock> found = findDeadlocks(rows);
    QCOMPARE(found.size(), isDeadlock ? 1 : 0);
    if (!isDeadlock)
        return;
    QCOMPARE(found.front().waiting.size(), 2);
    QCOMPARE(found.front().owners.size(), 4);
    QCOMPARE(found.front().evidence.size(), 4);
    const QString path = found.front().path();
    QVERIFY2(path == u"alpha → beta → alpha"_qs || path == u"beta → alpha → beta"_qs, qPrintable(path));
}

void DeadlocksTest::aLockWithinItselfIsADeadlock()
{
    const QList<Deadlock> found =
        findDeadlocks({contender("alpha", 0, 1, "drover"), contender("alpha", 1, 2, "make; within 0x1")});
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.front().path(), u"alpha → alpha"_qs);
}

// The lock that it waits for is held by who waits for nothing. And a command of the circle holds a lock in the middle.
void DeadlocksTest::aCommandThatGoesOnEndsTheWait()
{
    QList<LockRow> rows{contender("alpha", 0, 1, "drover"), contender("beta", 0, 2, "drover; within 0x1"),
                        contender("gamma", 0, 4, "drover"), contender("gamma", 1, 3, "make; within 0x1,0x2"),
                        contender("alpha", 1, 5, "waits")};
    QVERIFY(findDeadlocks(rows).isEmpty());
    rows.append(contender("beta", 1, 6, "make; within 0x4"));
    const QList<Deadlock> found = findDeadlocks(rows);
    QCOMPARE(found.size(), 1);
    QCOMPARE(found.front().waiting.size(), 2); // for gamma, and for beta
}

// Each says that it is within the other.
void DeadlocksTest::forgedOwnersAreNoCircle()
{
    const QList<LockRow> rows{contender("alpha", 0, 1, "x; within 0x2"), contender("beta", 0, 2, "x; within 0x1")};
    QVERIFY(findDeadlocks(rows).isEmpty());
}

void DeadlocksTest::aTicketWithoutASessionIsLeaked()
{
    LockModel model;
    model.show({contender("alpha", 0, 0, "died long ago")});
    const QModelIndex place = model.index(0, LockModel::Place);
    QCOMPARE(place.data().toString(), u"Leaked"_qs);
    QCOMPARE(place.data(ToneRole).toInt(), int(Tone::Bad));
    QVERIFY(place.data(Qt::ToolTipRole).toString().contains(u"No session owns"_qs));
    QCOMPARE(model.index(0, LockModel::Session).data().toString(), u"none"_qs);
}

// Of kazoo's two kinds of locks only a reader tells which it is.
void DeadlocksTest::aReaderMakesTheLockOfOthersShared()
{
    LockModel model;
    const LockRow writer{"/app/lock", 0, "a__lock__0000000001", "", 0x10, 1};
    model.showFound({writer});
    QCOMPARE(texts(model, LockModel::Kind), QStringList(u"Lock"_qs));
    QSignalSpy changed(&model, &QAbstractItemModel::dataChanged);
    model.showFound({writer, {"/app/lock", 1, "b__rlock__0000000002", "", 0x20, 2}});
    QCOMPARE(texts(model, LockModel::Kind), QStringList(2, u"Read-write lock"_qs));
    QCOMPARE(changed.count(), 1);
    QCOMPARE(changed[0][0].toModelIndex(), model.index(0, LockModel::Kind));
    model.showFound({writer});
    QCOMPARE(changed.count(), 2);
    model.showFound({writer});
    QCOMPARE(changed.count(), 2);
}

void DeadlocksTest::freeLocksAreHeldForTheShortestTime()
{
    LockModel model;
    model.show({{"a", 0, "t7", "worker-1", 0x10, 1'000}, {"b", -1, {}, {}, 0, 0}, {"c", 0, "t8", "", 0x10, 2'000}});
    QSortFilterProxyModel sorted;
    sorted.setSourceModel(&model);
    sorted.setSortRole(SortRole);
    sorted.sort(LockModel::For);
    QCOMPARE(texts(sorted, LockModel::Lock), (QStringList{u"b"_qs, u"c"_qs, u"a"_qs}));
}

void DeadlocksTest::aFreeLimitIsNoLock()
{
    LockModel model;
    model.show({{"a", 0, "t7", "worker-1", 0x10, 1}, {"a", 1, "t8", "", 0x20, 2}, {"b", -1, {}, {}, 0, 0}});
    model.showOthers({{"limit db", -1, {}, {}, 0, 0}, {"barrier gate", -1, {}, {}, 0, 0}});
    QCOMPARE(model.rowCount(), 5);
    QCOMPARE(model.lockCount(), 2);
    model.showOthers({{"limit db", 0, "t9", "", 0x10, 1}, {"barrier gate", -1, {}, {}, 0, 0}});
    QCOMPARE(model.lockCount(), 3);
}

QTEST_GUILESS_MAIN(DeadlocksTest)
#include "deadlocks_test.moc"
