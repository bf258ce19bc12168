#include "app/support/cut_cluster.h"
#include "app/support/witness.h"

#include <QTest>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;
using Way = CutCluster::Way;

namespace {

constexpr auto Patience = 2s; // of the servers
constexpr auto SessionTimeout = 4s;
constexpr int CutMs = 90'000; // most that a cut lasts
constexpr int SilentMs = 6'000; // a cut in which no leader may be elected

} // namespace

// A leader that is cut from its followers, the election included: for a while two servers take themselves for the
// leader. A client of the old one holds a lock, and a worker of the old one runs a job; no other has either at the same
// moment. The witnesses are the command and the job: all their processes write when they run.
class CutLeaderTest : public QObject
{
    Q_OBJECT

    CutCluster m_cluster{Patience, SessionTimeout, CutCluster::Cuts::Everything};
    int m_serial = 0;

    QString file(const QString &name) const
    {
        return QStringLiteral("%1/%2-%3").arg(m_cluster.drover.directory(), name).arg(m_serial);
    }

    std::unique_ptr<QProcess> lock(int server, const char *mode, const QString &stamps)
    {
        return m_cluster.drover.start(QStringList{QStringLiteral("lock"), QStringLiteral("n%1").arg(m_serial),
                                                  QStringLiteral("--connect"), m_cluster.connectString(server),
                                                  QStringLiteral("--"), QCoreApplication::applicationFilePath(),
                                                  QString::fromLatin1(mode), stamps});
    }

    // When it begins first it writes into `first` for ever, the next time it writes into `next` once.
    QString submit(const QString &first, const QString &next) const
    {
        const QString self = QCoreApplication::applicationFilePath();
        const QString script = QStringLiteral("[ -e '%2' ] && exec '%1' once '%3'; exec '%1' tree '%2'");
        const Finished submitted = m_cluster.drover.run(words("submit -- sh -c") << script.arg(self, first, next));
        if (submitted.exitCode != 0)
            throw std::runtime_error(submitted.err.toStdString());
        return QString::fromUtf8(submitted.out.trimmed());
    }

    // Every process that still lives writes. Negative: none wrote when the other began.
    static double overlapSeconds(const QString &first, const QString &next)
    {
        const qint64 now = bootNs();
        const bool settled =
            QTest::qWaitFor([&] { return livingWritersOf(first) == 0 || lastStamp(first) > now; }, 30'000);
        return settled && !stampsIn(next).isEmpty() ? double(lastStamp(first) - stampsIn(next).first().at) / 1e9 : 1e9;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start();
        m_cluster.drover.setVariable("DROVER_CONNECT", m_cluster.connectString());
    }
    void init() { ++m_serial; }
    void cleanup() { m_cluster.heal(); }
    void cleanupTestCase() { m_cluster.stop(); }

    void twoNeverHoldTheSame_data()
    {
        QTest::addColumn<Way>("way");
        QTest::newRow("cut both ways") << Way::Both;
        QTest::newRow("its words do not arrive") << Way::Out;
        QTest::newRow("it hears no other") << Way::In;
    }
    void twoNeverHoldTheSame()
    {
        QFETCH(Way, way);
        const int leader = m_cluster.leader();
        const int follower = m_cluster.follower();
        const QString held = file(QStringLiteral("held"));
        const QString heldNext = file(QStringLiteral("held-next"));
        const QString run = file(QStringLiteral("run"));
        const QString runNext = file(QStringLiteral("run-next"));

        const auto holder = lock(leader, "tree", held);
        const auto cutOff = m_cluster.startWorker(QStringLiteral("cut-off-%1").arg(m_serial), leader);
        const QString job = submit(run, runNext);
        QTRY_VERIFY_WITH_TIMEOUT(writersOf(held) == TreeSize && writersOf(run) == TreeSize, 30'000);
        auto waiter = lock(follower, "once", heldNext);
        const auto other = m_cluster.startWorker(QStringLiteral("other-%1").arg(m_serial), follower);

        m_cluster.cut(leader, way);
        // A server that hears no other may still win every vote: then none leads, and none holds, until the cut ends.
        const auto passedOn = [&] {
            const bool isHeld = !stampsIn(heldNext).isEmpty();
            if (!isHeld && waiter->state() == QProcess::NotRunning) // an election took longer than its session lives
                waiter = lock(follower, "once", heldNext);
            return isHeld && !stampsIn(runNext).isEmpty();
        };
        const bool whileCut = QTest::qWaitFor(passedOn, way == Way::In ? SilentMs : CutMs);
        m_cluster.heal();
        QVERIFY2(whileCut || way == Way::In, "the others have elected no leader");
        QTRY_VERIFY_WITH_TIMEOUT(passedOn(), 60'000);

        const double heldByTwo = overlapSeconds(held, heldNext);
        const double runByTwo = overlapSeconds(run, runNext);
        QVERIFY2(heldByTwo < 0, qPrintable(QStringLiteral("two held the lock for %1 s").arg(heldByTwo)));
        QVERIFY2(runByTwo < 0, qPrintable(QStringLiteral("two ran %1 for %2 s").arg(job).arg(runByTwo)));
        QCOMPARE(DroverProgram::finish(*waiter).exitCode, 0);
        QCOMPARE(DroverProgram::finish(*holder).exitCode, 1);
        CutCluster::endWorker(*cutOff);
        CutCluster::endWorker(*other);
    }
};

int main(int argc, char **argv)
{
    if (const std::optional<int> code = actAsWitness(argc, argv))
        return *code;
    QCoreApplication application(argc, argv);
    CutLeaderTest test;
    return QTest::qExec(&test, argc, argv);
}

#include "cut_leader_test.moc"
