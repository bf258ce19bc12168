#include "app/support/drover_on_server.h"
#include "jobs/model/job_spec.h"
#include "jobs/model/worker_info.h"
#include "support/send_signal.h"

#include <QFile>
#include <QFileInfo>
#include <QTest>

#include <csignal>

#include <unistd.h>

using namespace drover;
using namespace drover::test;

namespace {

// What a terminal would obey: a title, a colour by a C1 control character, text in reverse.
const QString Sequences = u"x\x1b]0;title\x07 \x9b"
                          "31m \x202e y"_qs;

bool mayHarmTerminals(const QByteArray &shown)
{
    const QString text = QString::fromUtf8(shown);
    return text.contains(u'\x1b') || text.contains(u'\x07') || text.contains(u'\x9b') || text.contains(u'\x202e');
}

// In clock ticks, of all its threads.
qint64 processorTimeOf(qint64 pid)
{
    QFile file(QStringLiteral("/proc/%1/stat").arg(pid));
    if (!file.open(QFile::ReadOnly))
        return -1;
    const QByteArray stat = file.readAll();
    const QList<QByteArray> fields = stat.mid(stat.lastIndexOf(')') + 2).split(' ');
    return fields.value(11).toLongLong() + fields.value(12).toLongLong();
}

} // namespace

// Nodes that were made to harm those who read them: the real program goes on.
class HostileNodesTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const jobs::Layout &m_layout = m_cluster.layout;

    Finished drover(const char *arguments) const { return m_cluster.drover.run(words(arguments)); }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({"default"}); }

    void doctorSurvivesAMemberWithAForgedId()
    {
        jobs::WorkerInfo info;
        info.id = QStringLiteral("a\u0001b");
        info.host = Sequences;
        info.slotCount = 1;
        m_cluster.write(m_layout.members() / "forged", info.encode());
        const Finished finished = drover("doctor");
        QVERIFY2(finished.exitCode != 2 && finished.out.contains("master"), finished.err);
        QVERIFY2(!mayHarmTerminals(finished.out + finished.err), finished.out);
        QVERIFY(drover("worker ls").out.contains("forged"));
        m_cluster.remove(m_layout.members() / "forged");
    }

    void doctorWaitsForNoPipeThatALedgerNames()
    {
        const Finished made = m_cluster.drover.shell("echo text | drover append shared && rm shared && mkfifo shared");
        QVERIFY2(made.exitCode == 0, made.err);
        const Finished finished = m_cluster.drover.run(words("doctor"), 30'000);
        QVERIFY2(finished.out.contains("master") && finished.out.contains("not a regular file"),
                 finished.out + finished.err);
    }

    void noOutputFormatPassesSequencesOn_data()
    {
        QTest::addColumn<QString>("command");
        for (const char *const command :
             {"ls", "ls -o json", "ls -o jsonl", "show default-0", "show default-0 -o json", "tree -o json"})
            QTest::newRow(command) << QString::fromLatin1(command);
    }
    void noOutputFormatPassesSequencesOn()
    {
        QFETCH(QString, command);
        static const Finished submitted = m_cluster.drover.run(
            words("submit --hold --name") << Sequences << QStringLiteral("--") << QStringLiteral("true"));
        QVERIFY2(submitted.exitCode == 0, submitted.err);
        const Finished finished = m_cluster.drover.run(words(command));
        QCOMPARE(finished.exitCode, 0);
        QVERIFY2(!mayHarmTerminals(finished.out), finished.out);
    }

    void electWatchShowsWhatACandidateIsCalled_data()
    {
        QTest::addColumn<QString>("format");
        QTest::newRow("table") << QStringLiteral("table");
        QTest::newRow("jsonl") << QStringLiteral("jsonl");
    }
    void electWatchShowsWhatACandidateIsCalled()
    {
        QFETCH(QString, format);
        const std::unique_ptr<QProcess> candidate =
            m_cluster.drover.start(words("elect hostile --id") << Sequences << QStringLiteral("--")
                                                               << QStringLiteral("sleep") << QStringLiteral("600"));
        const std::unique_ptr<QProcess> watching = m_cluster.drover.start(words("elect --watch hostile -o") << format);
        QByteArray seen;
        QVERIFY2(waitForOutput(*watching, "title", seen), seen);
        QVERIFY2(!mayHarmTerminals(seen), seen);
        for (QProcess *const process : {candidate.get(), watching.get()}) {
            sendSignal(*process, SIGTERM);
            DroverProgram::finish(*process);
        }
    }

    void aJobOfAFarCenturyCostsTheMasterNothing()
    {
        const Finished refused = drover("submit --start-at 2400-01-01T00:00 -- true");
        QCOMPARE(refused.exitCode, 2);
        QVERIFY2(refused.complainsOnce() && refused.err.contains("2115"), refused.err);
        QCOMPARE(drover("submit --start-at 2110-01-01T00:00 -- true").exitCode, 0);

        jobs::JobSpec spec;
        spec.command = QStringList(QStringLiteral("true"));
        spec.notes.notBefore = std::chrono::milliseconds(13'569'465'600'000); // in the year 2400
        m_cluster.write(m_layout.queue("default") / "w5-0000000900", spec.encode());
        const std::unique_ptr<QProcess> worker = m_cluster.drover.start(words("worker --slots 1"));
        QTRY_VERIFY_WITH_TIMEOUT(drover("master show").exitCode == 0, 30'000);
        QVERIFY(drover("ls").out.contains("default-900"));
        QCOMPARE(drover("run --delay 1s -- true").exitCode, 0); // by then the master has read the queue
        const qint64 before = processorTimeOf(worker->processId());
        QTest::qWait(2000); // a time to measure in, not to wait for anything
        const qint64 spent = processorTimeOf(worker->processId()) - before;
        sendSignal(*worker, SIGTERM);
        DroverProgram::finish(*worker);
        const qint64 ticksPerSecond = ::sysconf(_SC_CLK_TCK);
        QVERIFY2(before >= 0 && spent < ticksPerSecond / 2, qPrintable(QString::number(spent)));
    }

    // Some seconds of work for a stranger. The master lost its session and all workers their jobs.
    void floodsOfNodesCostNoJob()
    {
        const std::unique_ptr<QProcess> workers[] = {m_cluster.drover.start(words("worker --slots 2 --id flooded-1")),
                                                     m_cluster.drover.start(words("worker --slots 2 --id flooded-2"))};
        const QString begun = m_cluster.drover.directory() + QStringLiteral("/begun-");
        const QString script = QStringLiteral("echo >> '%1'$DROVER_JOB_ID; sleep 600").arg(begun);
        QStringList ids;
        for (int i = 0; i < 3; ++i)
            ids.append(QString::fromUtf8(m_cluster.drover.run(words("submit -- sh -c") << script).out.trimmed()));
        const auto timesBegun = [&](const QString &id) { return QFileInfo(begun + id).size(); };
        for (const QString &id : std::as_const(ids))
            QTRY_COMPARE_WITH_TIMEOUT(timesBegun(id), 1, 60'000);
        const QByteArrayList members = m_cluster.children(m_layout.members());

        constexpr int Nodes = 20'000;
        const zk::Path root = m_layout.queues().parent();
        const std::pair<const char *, int> floods[] = {// and the lengths of the names: as long as they count for one
                                                       {"queues", 32},
                                                       {"waiting", 32},
                                                       {"schedules", 64},
                                                       {"members", 200},
                                                       {"files", 200}};
        for (const auto &[directory, nameLength] : floods) {
            m_cluster.write(root / directory, {});
            m_cluster.flood(root / directory, Nodes, nameLength);
        }
        for (const char *const trouble : {"number of queues", "number of schedules"})
            QTRY_VERIFY_WITH_TIMEOUT(drover("master show").out.contains(trouble), 60'000);
        QCOMPARE(m_cluster.drover.run(words("run -- true"), 120'000).exitCode, 0); // jobs are begun meanwhile
        for (const QString &id : std::as_const(ids)) {
            QCOMPARE(timesBegun(id), 1);
            QCOMPARE(json(drover(qPrintable(QStringLiteral("show -o json ") + id))).value(u"state"),
                     QStringLiteral("running"));
        }
        const QByteArrayList present = m_cluster.children(m_layout.members());
        for (const QByteArray &member : members)
            QVERIFY(present.contains(member));
        const Finished doctor = m_cluster.drover.run(words("doctor"), 120'000);
        QVERIFY2(doctor.out.count('\n') < 500, doctor.out.left(10'000));

        QCOMPARE(m_cluster.drover.run(words("cancel") + ids).exitCode, 0);
        for (const std::unique_ptr<QProcess> &worker : workers) {
            sendSignal(*worker, SIGTERM);
            DroverProgram::finish(*worker);
        }
    }
};

QTEST_GUILESS_MAIN(HostileNodesTest)
#include "nodes_test.moc"
