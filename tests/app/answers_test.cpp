#include "app/support/drover_on_server.h"
#include "jobs/cluster/cluster_config.h"
#include "jobs/model/final_record.h"

#include <QFile>
#include <QJsonArray>
#include <QTest>

using namespace drover;
using namespace drover::test;

// A request for something that is missing or unavailable is refused with a reason. An empty answer means that there is
// nothing to list.
class AnswersTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    const jobs::Layout &m_layout = m_cluster.layout;
    DroverProgram &m_drover = m_cluster.drover;

    // As the master and the workers leave them.
    void writeRecord(const char *id, int code, const char *worker)
    {
        jobs::FinalRecord record;
        record.id = *jobs::JobId::parse(QString::fromLatin1(id));
        record.code = code;
        record.worker = QString::fromLatin1(worker);
        record.attempts.claimVersion = 1;
        m_cluster.write(m_layout.done(record.id), record.encode());
    }

    void write(const char *name, const QByteArray &content) const
    {
        QFile file(m_drover.directory() + u'/' + QLatin1String(name));
        QVERIFY(file.open(QIODevice::WriteOnly) && file.write(content) == content.size());
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({QByteArrayLiteral("default"), QByteArrayLiteral("many"), QByteArrayLiteral("full")});
        writeRecord("default-900", 1, "");
        writeRecord("default-900.1", 0, "w1");
        writeRecord("default-900.2", 4, "w1");
        writeRecord("default-901", 0, "w1");
    }

    void refused_data()
    {
        QTest::addColumn<int>("code");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char *arguments, int code, const char *message) {
            QTest::newRow(arguments) << code << QByteArray(message);
        };
        row("ls default-999", 3, "there is no job default-999");
        row("ls default-999.3", 3, "there is no job default-999");
        row("events --queue nosuch", 3, "there is no queue \"nosuch\"");
        row("events --cluster nosuch", 3, "there is no cluster \"nosuch\"");
        row("counter c get --cluster nosuch", 3, "there is no cluster \"nosuch\"");
        row("worker ls --cluster nosuch", 3, "there is no cluster \"nosuch\"");
        row("logs default-900", 4, "drover logs default-900.2 shows the output of one that failed");
        row("run -o json -- true", 2, "-o json has no meaning here: the command prints the output of the job");
        row("logs -o jsonl default-1", 2, "-o jsonl has no meaning here");
        row("history export -o json", 2, "--output: \"json\" must be csv or jsonl");
        row("worker drain w1 -o json", 3, "w1"); // it prints nothing in any form, like queue pause
        row("worker --memory 1000T", 2, "units of 1024, up to 512T");
        row("history --since 2h --until 3h", 2, "no job can have ended between them");
        row("--connect= ls", 2, "--connect: \"\" names no server");
        row("move --tag foo nosuch", 3, "there is no queue \"nosuch\"");
        row("priority -1 default-1", 2,
            "-1 is negative, which is not possible here; usage: drover priority [OPTIONS] N");
        row("limit set lic -1", 2, "-1 is negative, which is not possible here");
        row("queue limit default -1", 2, "-1 is negative, which is not possible here");
        row("cluster limits --done-limit 0", 2, "--done-limit");
    }
    void refused()
    {
        QFETCH(int, code);
        QFETCH(QByteArray, message);
        const Finished finished = m_drover.run(words(QTest::currentDataTag()));
        QCOMPARE(finished.exitCode, code);
        const Finished help = m_drover.run(words("--help") + words(QTest::currentDataTag()));
        QVERIFY2(help.out.contains("\n  " + QByteArray::number(code) + "    "), help.out);
        QVERIFY2(finished.complainsOnce() && finished.err.contains(message), finished.err);
        QVERIFY2(finished.out.isEmpty(), finished.out);
    }

    void logsOfOneThatIsStillThere()
    {
        const auto logsOf = [this](const char *submit) {
            const QByteArray id = m_drover.run(words(submit)).out.trimmed();
            return m_drover.run(words(("logs -f " + id).constData()));
        };
        const Finished gang = logsOf("submit --gang 2 -- true");
        QCOMPARE(gang.exitCode, 4);
        QVERIFY2(gang.err.contains(" is a gang: ") && gang.err.contains(".INDEX"), gang.err);
        const Finished array = logsOf("submit --array 1-2 -- true");
        QCOMPARE(array.exitCode, 4);
        QVERIFY2(array.err.contains(" is an array: "), array.err);
    }

    void endedJobsAreListedById()
    {
        const QByteArray tasks = m_drover.run(words("ls default-900")).out;
        QVERIFY2(tasks.contains("default-900.1 ") && tasks.contains("default-900.2 "), tasks);
        QVERIFY(m_drover.run(words("ls default-901")).out.contains("default-901 "));
    }

    void programsGetAll()
    {
        const QByteArray line = "{\"command\": [\"true\"], \"queue\": \"many\"}\n";
        write("jobs", line.repeated(250));
        QCOMPARE(m_drover.shell("drover submit --stdin < jobs").exitCode, 0);
        QCOMPARE(m_drover.run(words("ls --queue many -o jsonl")).out.count('\n'), 250);
        QCOMPARE(json(m_drover.run(words("ls --queue many -o json"))).value(QStringLiteral("jobs")).toArray().size(),
                 250);
        QCOMPARE(m_drover.run(words("ls --queue many -o jsonl --rows 30")).out.count('\n'), 30);
        const Finished table = m_drover.run(words("ls --queue many"));
        QCOMPARE(table.out.count('\n'), 201);
        QVERIFY2(table.err.contains("200 of 250"), table.err);
    }

    void topAsJson()
    {
        const QJsonObject sample = json(m_drover.run(words("top -o json")));
        QCOMPARE(sample.value(QStringLiteral("schema")).toInt(), 1);
        QCOMPARE(sample.value(QStringLiteral("queues")).toArray().size(), 3);
        QCOMPARE(m_drover.run(words("top -o jsonl")).out.count('\n'), 1);
    }

    void namedJobsHaveToFitTheFilters()
    {
        const QByteArray id = m_drover.run(words("submit --hold -- true")).out.trimmed();
        const Finished finished = m_drover.run(words(("cancel --tag foo " + id).constData()));
        QCOMPARE(finished.exitCode, 3);
        QVERIFY2(finished.err.contains("named jobs must also match all filters"), finished.err);
    }

    void howMuchTheClusterKeepsCanBeSet()
    {
        m_cluster.write(m_layout.config(), R"({"v":1,"later":7,"history":"/srv/h.sqlite"})");
        QVERIFY(m_drover.run(words("cluster limits")).out.contains("50,000 unfinished jobs"));
        const QJsonObject set = json(m_drover.run(words("cluster limits --queue-limit 1 --done-limit 50000 -o json")));
        QCOMPARE(set.value(QStringLiteral("queue_limit")).toInt(), 1);
        QCOMPARE(set.value(QStringLiteral("done_limit")).toInt(), 50'000);
        QCOMPARE(m_drover.run(words("history keep --jobs 5 --in none")).exitCode, 0);
        QCOMPARE(m_drover.run(words("submit --queue full -- true")).exitCode, 0);
        const Finished full = m_drover.run(words("submit --queue full -- true"));
        QCOMPARE(full.exitCode, 7);
        QVERIFY2(full.err.contains("drover cluster limits --queue-limit N"), full.err);
        const auto waiting = m_drover.start(words("submit --queue full --wait-for-room -- true"));
        QByteArray seen;
        QVERIFY(waitForMessage(*waiting, "waiting for room: queue full holds 1 ", seen));
        QCOMPARE(m_drover.run(words("cancel --queue full")).exitCode, 0);
        QCOMPARE(DroverProgram::finish(*waiting).exitCode, 0);
        const QJsonObject kept = m_cluster.json(m_layout.config());
        QCOMPARE(kept.value(QStringLiteral("later")).toInt(), 7);
        QCOMPARE(kept.value(QStringLiteral("done_limit")).toInt(), 50'000);
        QCOMPARE(kept.value(QStringLiteral("history_limit")).toInt(), 5);
        QVERIFY(!kept.contains(QStringLiteral("history")));
        m_cluster.write(m_layout.config(), jobs::ClusterConfig().encode());
    }

    void theRetriesThatWillBe()
    {
        const QByteArray id = m_drover.run(words("submit --hold --retries 2 --backoff 10m -- true")).out.trimmed();
        const QJsonObject job = json(m_drover.run(words(("show -o json " + id).constData())));
        QCOMPARE(job.value(QStringLiteral("backoff")).toString(), QStringLiteral("10m"));
        QCOMPARE(job.value(QStringLiteral("backoff_max")).toString(), QStringLiteral("10m"));
    }

    void jobFilesOfAnyName()
    {
        write("job", "\n {\"command\": [\"echo\", \"hi\"]}");
        for (const char *const script : {"drover submit --dry-run --file job", "drover submit --dry-run --file - < job",
                                         "echo 'command = [\"echo\", \"hi\"]' | drover submit --dry-run --file -"}) {
            const Finished finished = m_drover.shell(script);
            QVERIFY2(finished.exitCode == 0, finished.err);
            QCOMPARE(json(finished).value(QStringLiteral("command")).toArray().size(), 2);
        }
        const Finished bad = m_drover.shell("echo '{' | drover submit --file -");
        QVERIFY2(bad.exitCode == 2 && bad.err.contains("standard input:2: this is not JSON"), bad.err);
    }
};

QTEST_GUILESS_MAIN(AnswersTest)
#include "answers_test.moc"
