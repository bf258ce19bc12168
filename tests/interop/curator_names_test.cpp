#include "core/recipes/holder.h"
#include "recipes/blocks/node_kind.h"
#include "recipes/elections/leader_latch.h"
#include "recipes/locks/mutex.h"
#include "recipes/locks/read_write_lock.h"
#include "support/fake/fake_cluster.h"

#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;
using namespace std::chrono_literals;

// The names that Curator gives its nodes, as its sources write them: 5.4.0, which the other tests run, and 5.5.0 to
// 5.9.0, for which Debian 12 has no package. Between the two one name differs (CURATOR-621, April 2023). A reader whose
// thread writes, which is a downgrade, made an ephemeral sequential node. Since 5.5.0 it makes an ephemeral one, and
// appends the writer's number itself:
//
//     StandardLockInternalsDriver.createsTheLock(): path + getSortingSequence(), CreateMode.EPHEMERAL
//     ReadLock.getSortingSequence(): what follows __WRIT__ in the path of the thread's write lock
//
// Protection puts _c_<uuid>- before both. Here a client makes such nodes with the same requests.
class CuratorNamesTest : public QObject
{
    Q_OBJECT

    static constexpr const char *Uuids[] = {"0f2cbd1e-93a6-4ad2-8a5c-9a3f4a2a6d10",
                                            "53345f98-9423-4e0c-a7b5-9f819e3ec2e1",
                                            "c5b1a0de-7f0b-4f66-b7a5-1f2d3c4b5a69"};

    static QByteArray isProtected(int which, const QByteArray &name)
    {
        return QByteArray("_c_") + Uuids[which] + '-' + name;
    }

    // As StandardLockInternalsDriver.createsTheLock() does without a sorting sequence, in every version.
    static zk::Path stand(FakeCluster &fake, int session, const zk::Path &directory, int uuid, const QByteArray &kind)
    {
        const zk::Path path = directory / isProtected(uuid, kind);
        const auto made = fake.get(fake[session].create(path, "10.0.0.7", zk::CreateMode::EphemeralSequential));
        return made->path;
    }

    // As ReadLock of 5.5.0 does while its thread holds the write lock `writer`.
    static zk::Path downgrade(FakeCluster &fake, int session, const zk::Path &writer, int uuid)
    {
        const QByteArray number = writer.name().mid(writer.name().lastIndexOf("__WRIT__") + 8);
        const zk::Path path = writer.parent() / isProtected(uuid, "__READ__" + number);
        const auto made = fake.get(fake[session].create(path, "10.0.0.7", zk::CreateMode::Ephemeral));
        return made->path;
    }

    static void remove(FakeCluster &fake, int session, const zk::Path &path)
    {
        fake.get(fake[session].remove(path)).require();
        fake.settle();
    }

    const zk::Path m_path{"/test/line"};

private Q_SLOTS:
    void theKindsAreRecognised_data()
    {
        QTest::addColumn<QByteArray>("name");
        QTest::addColumn<NodeKind>("kind");
        const auto add = [](const char *name, NodeKind kind) { QTest::newRow(name) << QByteArray(name) << kind; };
        add("_c_0f2cbd1e-93a6-4ad2-8a5c-9a3f4a2a6d10-lock-0000000000", NodeKind::Mutex);
        add("_c_0f2cbd1e-93a6-4ad2-8a5c-9a3f4a2a6d10-__READ__0000000001", NodeKind::ReadWriteLock);
        add("_c_0f2cbd1e-93a6-4ad2-8a5c-9a3f4a2a6d10-__WRIT__0000000002", NodeKind::ReadWriteLock);
        add("_c_0f2cbd1e-93a6-4ad2-8a5c-9a3f4a2a6d10-latch-0000000003", NodeKind::Latch);
        add("_c_0f2cbd1e-93a6-4ad2-8a5c-9a3f4a2a6d10-lease-2147483646", NodeKind::Semaphore);
        add("lock-0000000004", NodeKind::Mutex); // without protection
        add("qn-0000000005", NodeKind::Queue);
        add("queue-|0000000006", NodeKind::CuratorQueue);
        add("ready", NodeKind::Barrier);
        add("leases", NodeKind::Semaphore);
    }
    void theKindsAreRecognised()
    {
        QFETCH(QByteArray, name);
        QFETCH(NodeKind, kind);
        QCOMPARE(kindOf(name), kind);
    }

    // A downgraded reader and its writer have one number, so neither blocks the other, and both stand ahead of the
    // rest.
    void aDowngradedReaderStandsAtItsWritersPlace()
    {
        const QByteArray writer = isProtected(2, "__WRIT__0000000003");
        const QByteArray reader = isProtected(0, "__READ__0000000003");
        const QByteArray before = isProtected(1, "__READ__0000000002");
        const QByteArray waiter = isProtected(1, "__WRIT__0000000004");
        const QByteArrayList order = sortedBySequence({waiter, reader, writer, before});
        QCOMPARE(order.front(), before);
        QCOMPARE(order.back(), waiter);
        for (const QByteArray &name : order)
            QVERIFY2(ReadWriteLock::accepts(name), name);
        QCOMPARE(ReadWriteLock::holders(sortedBySequence({reader, waiter})), 1);
    }

    void ourWriterWaitsForADowngradedReader_data()
    {
        QTest::addColumn<bool>("isOld");
        QTest::newRow("5.4.0") << true;
        QTest::newRow("5.5.0") << false;
    }
    void ourWriterWaitsForADowngradedReader()
    {
        QFETCH(bool, isOld);
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(m_path));
        const zk::Path writer = stand(fake, 0, m_path, 0, "__WRIT__");
        ReadWriteLock ours(fake[1], m_path, Strangers::Refuse);
        LockHolder writing;
        writing.keep(ours.writer().acquire());
        fake.settle();
        QVERIFY(writing.waits());

        const zk::Path reader = isOld ? stand(fake, 0, m_path, 1, "__READ__") : downgrade(fake, 0, writer, 1);
        remove(fake, 0, writer);
        QCOMPARE(writing.has(), isOld); // CURATOR-621: the old reader stands behind the writer that waits
        remove(fake, 0, reader);
        QVERIFY(writing.has());
    }

    void ourReaderSharesWithADowngradedReader()
    {
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(m_path));
        const zk::Path writer = stand(fake, 0, m_path, 0, "__WRIT__");
        ReadWriteLock ours(fake[1], m_path, Strangers::Refuse);
        LockHolder reading;
        reading.keep(ours.reader().acquire());
        fake.settle();
        const zk::Path reader = downgrade(fake, 0, writer, 1);
        fake.settle();
        QVERIFY(reading.waits());
        remove(fake, 0, writer);
        QVERIFY(reading.has());
        QVERIFY(fake.exists(reader));
        const std::vector<Participant> line = fake.run(ours.participants());
        QCOMPARE(line.size(), std::size_t(2));
        QCOMPARE(line.front().fence.path, reader);
    }

    // Curator sorts by what follows the lock's name, and its own reader must find ours there.
    void ourDowngradedReaderHasCuratorsName()
    {
        FakeCluster fake(1);
        ReadWriteLock lock(fake[0], m_path);
        const Owner me;
        const Lock writing = fake.run(lock.writer().acquire({}, me));
        const Lock reading = fake.run(lock.reader().acquire({}, me));
        const QByteArray writer = writing.fence().path.name();
        const QByteArray reader = reading.fence().path.name();
        QCOMPARE(reader.mid(reader.lastIndexOf("__READ__") + 8), writer.mid(writer.lastIndexOf("__WRIT__") + 8));
        QVERIFY(QRegularExpression(QStringLiteral("^_c_[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}-__READ__[0-9]{10}$"))
                    .match(QString::fromLatin1(reader))
                    .hasMatch());
        const zk::Stat stat = fake.server.tree().find(reading.fence().path)->stat;
        QCOMPARE(stat.ephemeralOwner, fake[0].sessionId());
    }

    // The other lines have kept their names from 5.4.0 to 5.9.0.
    void theOtherLinesKeepTheirOrder()
    {
        FakeCluster fake(2);
        fake.run(fake[0].ensurePath(m_path));
        const zk::Path mutexes = m_path / "mutex";
        const zk::Path latches = m_path / "latch";
        fake.run(fake[0].ensurePath(mutexes));
        fake.run(fake[0].ensurePath(latches));
        const zk::Path locked = stand(fake, 0, mutexes, 2, "lock-"); // its uuid sorts last
        const zk::Path leads = stand(fake, 0, latches, 2, "latch-");
        Mutex mutex(fake[1], mutexes, Mutex::curator(), Strangers::Refuse);
        LockHolder holder;
        holder.keep(mutex.acquire());
        LeaderLatch latch(fake[1], latches, Strangers::Refuse);
        Holder<Leadership> leader;
        leader.keep(latch.campaign("ours"));
        fake.settle();
        QVERIFY(holder.waits() && leader.waits());
        remove(fake, 0, locked);
        remove(fake, 0, leads);
        QVERIFY(holder.has() && leader.has());
    }
};

QTEST_GUILESS_MAIN(CuratorNamesTest)
#include "curator_names_test.moc"
