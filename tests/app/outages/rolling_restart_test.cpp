#include "app/support/drover_on_server.h"

#include <QFile>
#include <QTest>

#include <map>

using namespace drover;
using namespace drover::test;

namespace {

constexpr int Workers = 3;
constexpr int Slots = 2 * Workers;
constexpr int Short = 40; // jobs

} // namespace

// Every worker of a busy cluster is replaced, one after the other: the real program, real workers.
class RollingRestartTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;
    std::map<int, std::unique_ptr<QProcess>> m_workers;
    QByteArrayList m_arrays; // of all functions, as the file of their lines
    qsizetype m_tasks = 0; // of all arrays

    static QByteArray nameOf(int worker) { return "w" + QByteArray::number(worker); }

    void startWorker(int number)
    {
        m_workers[number] =
            m_drover.start(words(QStringLiteral("worker --slots 2 --id w%1 --spool spool%1").arg(number)));
        QByteArray seen;
        QVERIFY(waitForMessage(*m_workers[number], "2 slots", seen));
    }

    // Each writes a line for each attempt, when it begins and when it ends.
    static QByteArray job(const char *pause)
    {
        return "sh -c 'echo begin $DROVER_JOB_ID $DROVER_ATTEMPT >> runs; sleep " + QByteArray(pause)
            + "; echo end $DROVER_JOB_ID $DROVER_ATTEMPT >> runs'";
    }

    QByteArray submit(const QByteArray &options)
    {
        const Finished submitted = m_drover.shell("drover submit " + options);
        if (submitted.exitCode != 0)
            qWarning("%s", submitted.err.constData());
        return submitted.out.trimmed();
    }

    QMap<QByteArray, int> linesOf(const QByteArray &what) const
    {
        QFile file(m_drover.directory() + QStringLiteral("/runs"));
        QMap<QByteArray, int> lines;
        if (!file.open(QIODevice::ReadOnly))
            return lines;
        for (const QByteArray &line : file.readAll().split('\n')) {
            if (line.startsWith(what))
                ++lines[line];
        }
        return lines;
    }

    void stop(int number)
    {
        m_workers[number]->terminate();
        const Finished stopped = DroverProgram::finish(*m_workers[number]);
        QVERIFY2(stopped.exitCode == 0, stopped.err);
        m_workers.erase(number);
    }

    void submitTasks(int count, const char *pause)
    {
        m_arrays.append(submit("--array 1-" + QByteArray::number(count) + " -- " + job(pause)));
        m_tasks += count;
    }

    // All slots are taken, and more waits.
    void fillAll()
    {
        submitTasks(Slots, "1.5");
        QTRY_COMPARE_WITH_TIMEOUT(linesOf("begin ").size(), m_tasks, 60'000);
        submitTasks(Short, "0.05");
    }

    void waitForTheLatest() { QCOMPARE(m_drover.shell("drover wait " + m_arrays.last()).exitCode, 0); }

    void checkThatEachRanOnce()
    {
        const Finished waited = m_drover.shell("drover wait " + m_arrays.join(' '));
        QVERIFY2(waited.exitCode == 0, waited.out + waited.err);
        const QMap<QByteArray, int> begun = linesOf("begin ");
        QCOMPARE(begun.size(), m_tasks);
        QCOMPARE(linesOf("end ").size(), m_tasks);
        for (auto line = begun.begin(); line != begun.end(); ++line)
            QVERIFY2(line.value() == 1 && line.key().endsWith(" 1"), line.key()); // the first attempt
    }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default")}); }
    void init()
    {
        for (int number = 1; number <= Workers; ++number)
            startWorker(number);
    }
    void cleanup()
    {
        for (const auto &[number, worker] : m_workers) {
            worker->terminate();
            DroverProgram::finish(*worker);
        }
        m_workers.clear();
    }

    void eachIsDrainedAndReplaced()
    {
        for (int number = 1; number <= Workers; ++number) {
            fillAll();
            const Finished drained = m_drover.shell("drover worker drain " + nameOf(number));
            QVERIFY2(drained.exitCode == 0, drained.err);
            stop(number);
            submitTasks(Short, "0.05"); // for the others
            waitForTheLatest();
            startWorker(number);
            QCOMPARE(m_drover.shell("drover worker uncordon " + nameOf(number)).exitCode, 0);
        }
        checkThatEachRanOnce();
    }

    // As a service manager does it: the worker stops claiming, and waits for its jobs.
    void eachIsStoppedWithoutADrain()
    {
        for (int number = 1; number <= Workers; ++number) {
            fillAll();
            stop(number);
            waitForTheLatest();
            startWorker(number);
        }
        checkThatEachRanOnce();
    }
};

QTEST_GUILESS_MAIN(RollingRestartTest)

#include "rolling_restart_test.moc"
