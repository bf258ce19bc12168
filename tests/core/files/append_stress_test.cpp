#include "core/files/record_text.h"
#include "files/file_log.h"
#include "files/ledgers.h"
#include "support/await.h"
#include "support/seeded_random.h"
#include "support/send_signal.h"
#include "support/zk_server.h"
#include "zk/client/session.h"

#include <QElapsedTimer>
#include <QProcess>
#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::test;

// A hundred writers in twenty real processes append to one real file while the processes are killed and stopped. A
// short storm in each test run; DROVER_APPEND_SECONDS=600 makes it longer, DROVER_APPEND_PROCESSES and _STREAMS wider.
// DROVER_SEED decides which process is hit and how; the moment depends on the machine.
class AppendStressTest : public QObject
{
    Q_OBJECT

    static int number(const char *variable, int fallback)
    {
        bool ok = false;
        const int value = qEnvironmentVariableIntValue(variable, &ok);
        return ok ? value : fallback;
    }

    const int m_processCount = number("DROVER_APPEND_PROCESSES", 20);
    const int m_streams = number("DROVER_APPEND_STREAMS", 5);
    const int m_seconds = number("DROVER_APPEND_SECONDS", 8);
    const int m_seed = number("DROVER_SEED", static_cast<int>(QCoreApplication::applicationPid()));
    QTemporaryDir m_directory;
    TestServer m_server;
    std::vector<std::unique_ptr<QProcess>> m_processes;

    QString file(const QString &name) const { return m_directory.path() + u'/' + name; }
    QString acknowledged(int index) const { return file(QStringLiteral("acknowledged-%1").arg(index)); }

    static QByteArray read(const QString &name)
    {
        QFile opened(name);
        return opened.open(QIODevice::ReadOnly) ? opened.readAll() : QByteArray();
    }

    void start(int index)
    {
        auto process = std::make_unique<QProcess>();
        process->setProcessChannelMode(QProcess::ForwardedChannels);
        process->start(QCoreApplication::applicationDirPath() + QStringLiteral("/append_writer"),
                       {m_server.connectString(), file(QStringLiteral("shared")), QStringLiteral("p%1").arg(index),
                        QString::number(m_streams), acknowledged(index), file(QStringLiteral("stop"))});
        QVERIFY(process->waitForStarted());
        m_processes[static_cast<std::size_t>(index)] = std::move(process);
    }
    void signal(int index, int number) { sendSignal(*m_processes[static_cast<std::size_t>(index)], number); }

    // Kills some, stops some for longer than their sessions live, or shorter.
    void rage(int &kills, int &pauses)
    {
        SeededRandom random(static_cast<quint64>(m_seed));
        std::map<int, qint64> stopped; // until when, ms
        QElapsedTimer clock;
        clock.start();
        while (clock.elapsed() < m_seconds * 1000) {
            QTest::qWait(20 + random.below(200));
            for (auto it = stopped.begin(); it != stopped.end();) {
                const bool due = it->second < clock.elapsed();
                if (due)
                    signal(it->first, SIGCONT);
                it = due ? stopped.erase(it) : std::next(it);
            }
            const int victim = random.below(m_processCount);
            if (stopped.contains(victim))
                continue;
            if (random.chance(0.5)) {
                signal(victim, SIGSTOP);
                stopped[victim] = clock.elapsed() + 50 + random.below(random.chance(0.5) ? 300 : 3000);
                ++pauses;
            } else {
                signal(victim, SIGKILL);
                m_processes[static_cast<std::size_t>(victim)]->waitForFinished();
                start(victim);
                ++kills;
            }
        }
        for (const auto &[index, until] : stopped)
            signal(index, SIGCONT);
    }

    files::StoredLedger ledger()
    {
        async::QtLoop loop;
        zk::SessionOptions options;
        options.servers = m_server.connectString();
        zk::Session session(loop, options);
        session.open();
        const QString path = files::FileStore::canonicalPath(file(QStringLiteral("shared")));
        const std::optional<files::StoredLedger> stored =
            await(files::readLedger(session, jobs::Layout("stress"), path));
        await(session.close());
        return stored.value();
    }

private Q_SLOTS:
    void nothingIsLostDoubledOrTorn()
    {
        qInfo("DROVER_SEED=%d", m_seed);
        m_server.start();
        m_processes.resize(static_cast<std::size_t>(m_processCount));
        for (int i = 0; i < m_processCount; ++i)
            start(i);
        const auto hasBegun = [this] { return QFile(file(QStringLiteral("shared"))).size() > 0; };
        QVERIFY(QTest::qWaitFor(hasBegun, 60'000));
        int kills = 0;
        int pauses = 0;
        rage(kills, pauses);
        QFile stop(file(QStringLiteral("stop")));
        QVERIFY(stop.open(QIODevice::WriteOnly));
        for (const auto &process : m_processes) {
            QVERIFY(QTest::qWaitFor([&] { return process->state() == QProcess::NotRunning; }, 120'000));
            QCOMPARE(process->exitStatus(), QProcess::NormalExit);
            QCOMPARE(process->exitCode(), 0);
        }
        QVERIFY(kills > 0 && pauses > 0);

        // A stream's records are those that were acknowledged to it, and perhaps the one at which it was killed.
        std::set<QByteArray> present;
        const QByteArray content = read(file(QStringLiteral("shared")));
        const QString wrong = readRecords(content.left(ledger().ledger.committed), present);
        QVERIFY2(wrong.isEmpty(), qPrintable(wrong));
        std::size_t expected = 0;
        std::size_t unacknowledged = 0;
        for (int process = 0; process < m_processCount; ++process) {
            const QByteArrayList acks = read(acknowledged(process)).split('\n');
            for (int stream = 0; stream < m_streams; ++stream) {
                const QByteArray prefix = "p" + QByteArray::number(process) + '-' + QByteArray::number(stream) + '-';
                const qsizetype count = acks.count(QByteArray::number(stream));
                for (qsizetype i = 0; i < count; ++i)
                    QVERIFY2(present.contains(prefix + QByteArray::number(i)), "an acknowledged record is lost");
                expected += static_cast<std::size_t>(count);
                unacknowledged += present.contains(prefix + QByteArray::number(count));
            }
        }
        QCOMPARE(present.size(), expected + unacknowledged);
        const files::StoredLedger stored = ledger();
        const files::FileStore store(stored.ledger.path);
        QCOMPARE(compare(store, stored.ledger).faults, QStringList());
        QVERIFY(content.size() <= stored.ledger.next());
        qInfo("%d processes, %d streams each: %zu records, %zu of them never acknowledged; %d kills, %d pauses",
              m_processCount, m_streams, present.size(), unacknowledged, kills, pauses);
    }
};

QTEST_GUILESS_MAIN(AppendStressTest)
#include "append_stress_test.moc"
