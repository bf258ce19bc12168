#include "app/support/drover_on_server.h"
#include "jobs/client/job_lookup.h"
#include "support/await.h"
#include "support/send_signal.h"

#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>
#include <QTest>

#include <csignal>

#include <sys/stat.h>

using namespace drover;
using namespace drover::test;
using namespace std::chrono_literals;

// What `drover submit` makes of options, job files and lines, looked up in the znodes. No worker runs.
class SubmitTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;
    DroverProgram &m_drover = m_cluster.drover;
    DroverProgram m_alone; // knows no server

    Finished submit(const char *options) { return m_drover.run(words("submit") + words(options)); }

    QString write(const char *name, const QByteArray &content) const
    {
        QFile file(m_drover.directory() + u'/' + QLatin1String(name));
        if (!file.open(QIODevice::WriteOnly) || file.write(content) != content.size())
            qFatal("cannot write %s", name);
        return file.fileName();
    }

    Finished feed(const QStringList &arguments, const QByteArray &input)
    {
        const std::unique_ptr<QProcess> process = m_drover.start(arguments);
        process->write(input);
        process->closeWriteChannel();
        return DroverProgram::finish(*process);
    }

    jobs::JobView view(const QByteArray &id)
    {
        const std::optional<jobs::JobId> parsed = jobs::JobId::parse(QString::fromLatin1(id.trimmed()));
        if (!parsed)
            throw std::runtime_error("no id: " + id.toStdString());
        return await(jobs::lookUp(jobs::Cluster(m_cluster.zk(), m_cluster.layout), *parsed));
    }
    // Of a job that has just been submitted.
    jobs::JobSpec specOf(const Finished &submitted)
    {
        if (submitted.exitCode != 0)
            throw std::runtime_error(submitted.err.toStdString());
        return view(submitted.out).spec.value();
    }
    qsizetype count() { return m_cluster.children(m_cluster.layout.queue("default")).size(); }

private Q_SLOTS:
    void initTestCase() { m_cluster.start({QByteArrayLiteral("default"), QByteArrayLiteral("other")}); }

    void aJobFileMayBeAFifo()
    {
        const QString fifo = m_drover.directory() + QStringLiteral("/fifo");
        QCOMPARE(::mkfifo(qPrintable(fifo), 0600), 0);
        const QStringList arguments = words("submit --id-only --file") + QStringList(fifo);
        for (const int signal : {SIGTERM, SIGINT}) {
            const std::unique_ptr<QProcess> waiting = m_drover.start(arguments);
            QTRY_VERIFY_WITH_TIMEOUT(catches(waiting->processId(), signal), 30'000);
            QTest::qWait(100); // until it waits for a writer
            sendSignal(*waiting, signal);
            QCOMPARE(DroverProgram::finish(*waiting, 20'000).exitCode, 128 + signal);
        }
        const std::unique_ptr<QProcess> reader = m_drover.start(arguments);
        QFile writer(fifo);
        QVERIFY(writer.open(QIODevice::WriteOnly)); // blocks until it reads
        writer.write("command = [\"true\"]\nname = \"piped\"\n");
        writer.close();
        QCOMPARE(specOf(DroverProgram::finish(*reader)).name, QStringLiteral("piped"));
        const Finished missing = m_drover.run(words("submit --file nothing"));
        QCOMPARE(missing.exitCode, 2);
        QVERIFY2(missing.complainsOnce() && missing.err.contains("the job file nothing: No such file"), missing.err);
    }

    void everyOptionReachesTheJob()
    {
        const QString input = write("in", "x");
        const jobs::JobSpec spec = specOf(m_drover.run(
            words("submit --name n --comment c --queue other --priority 2 --tag a --tag b --env A=1 --dir / "
                  "--append-to shared "
                  "--stdout out/%j --stderr /tmp/%n.err --ulimit nofile=64 --ulimit fsize=1G "
                  "--output-limit 1K --time-limit 3s --grace 1s --max-attempts 7 "
                  "--retries 4 --retry-on 1,137 --backoff 2s --backoff-max 1m --slots 3 --memory 2G --label gpu,big "
                  "--label ssd --lock l1 --lock l2 --lock-shared s --limit db")
            << QStringLiteral("--input") << input << words("-- sleep 1")));
        const QString here = m_drover.directory();
        QCOMPARE(spec.command, words("sleep 1"));
        QCOMPARE(spec.name, QStringLiteral("n"));
        QCOMPARE(spec.comment, QStringLiteral("c"));
        QCOMPARE(spec.priority, 2);
        QCOMPARE(spec.tags, words("a b"));
        QCOMPARE(spec.environment.at(QStringLiteral("A")), QStringLiteral("1"));
        QCOMPARE(spec.directory, QStringLiteral("/"));
        QCOMPARE(spec.input, input);
        QCOMPARE(spec.appendTo, here + QStringLiteral("/shared"));
        QCOMPARE(spec.outputLimit, 1024);
        QCOMPARE(spec.standardOutput, here + QStringLiteral("/out/%j"));
        QCOMPARE(spec.standardError, QStringLiteral("/tmp/%n.err"));
        QCOMPARE(spec.ulimits, words("nofile=64 fsize=1073741824"));
        QCOMPARE(spec.timeLimit, 3000ms);
        QCOMPARE(spec.killGrace, 1000ms);
        QCOMPARE(spec.maxAttempts, 7);
        QCOMPARE(spec.retry, (jobs::RetryPolicy{4, {1, 137}, 2000ms, 60'000ms}));
        QCOMPARE(spec.needs, (jobs::Needs{3, qint64(2) << 30, words("gpu big ssd")}));
        QCOMPARE(spec.locks, words("l1 l2"));
        QCOMPARE(spec.sharedLocks, words("s"));
        QCOMPARE(spec.limits, words("db"));
        QVERIFY(spec.submitter == m_cluster.credentials().ownCertificate().name);
        QVERIFY(!spec.key.isEmpty());
        QVERIFY(!spec.waits());
    }

    void whenAJobStarts()
    {
        const qint64 now = QDateTime::currentMSecsSinceEpoch();
        const jobs::JobSpec delayed = specOf(submit("--delay 1h -- true"));
        QVERIFY(delayed.notes.notBefore.count() >= now + 3'600'000
                && delayed.notes.notBefore.count() < now + 4'000'000);
        QCOMPARE(specOf(submit("--start-at 2100-01-01T00:00:00Z -- true")).notes.notBefore.count(), 4102444800000);
        const qint64 tonight = specOf(submit("--start-at 23:59 -- true")).notes.notBefore.count();
        QVERIFY(tonight >= now && tonight <= now + 86'400'000 + 60'000);
        const Finished held = submit("--hold -- true");
        QCOMPARE(view(held.out).state, jobs::JobState::Held);
        QCOMPARE(view(held.out).spec->notes.heldBy, QStringLiteral("test"));
        QCOMPARE(specOf(submit("--array 1-9:2%3 -- true")).array, (jobs::ArrayIndices{1, 9, 2, 3}));
        QCOMPARE(specOf(submit("--array 1-3,8%2 -- true")).array->toString(), QStringLiteral("1-3,8%2"));
    }

    // This cluster has no master, so the job stays as it is.
    void aSingletonWaitsForEarlierJobsOfItsName()
    {
        const QByteArray plain = submit("--name nightly -- true").out.trimmed();
        const Finished singleton = submit("--name nightly --singleton -- true");
        QCOMPARE(view(singleton.out).state, jobs::JobState::Waiting);
        QVERIFY(specOf(singleton).singleton);
        const QString id = QString::fromLatin1(singleton.out.trimmed());
        const Finished why = m_drover.run(words("why") << id);
        QVERIFY2(why.out.contains("it is a singleton, and 1 job called \"nightly\" came before it and has not ended: "
                                  + plain),
                 why.out);
        QVERIFY(m_drover.run(words("show -o json") << id).out.contains("\"singleton\": true"));
    }

    void aDependencyMustExist()
    {
        const QByteArray first = submit("-- true").out.trimmed();
        const QByteArray ended = submit("-- true").out.trimmed();
        QCOMPARE(m_drover.run(words("cancel") << QString::fromLatin1(ended)).exitCode, 0);
        const Finished both =
            m_drover.run(words("submit --after-ok") << QString::fromLatin1(first + ',' + ended) << words("--after-any")
                                                    << QString::fromLatin1(ended) << words("-- true"));
        using Kind = jobs::Dependency::Kind;
        const jobs::JobId a = jobs::JobId::parse(QString::fromLatin1(first)).value();
        const jobs::JobId b = jobs::JobId::parse(QString::fromLatin1(ended)).value();
        QCOMPARE(specOf(both).after, (std::vector<jobs::Dependency>{{Kind::Ok, a}, {Kind::Ok, b}, {Kind::Any, b}}));
        QCOMPARE(view(both.out).state, jobs::JobState::Waiting);

        const qsizetype before = count();
        for (const char *const command :
             {"submit --after-fail default-9999 -- true", "run --after default-9999 -- true"}) {
            const Finished unknown = m_drover.run(words(command));
            QCOMPARE(unknown.exitCode, 3);
            QVERIFY2(unknown.complainsOnce() && unknown.err.contains("default-9999"), unknown.err);
        }
        QCOMPARE(count(), before);
    }

    void dryRunSubmitsNothing()
    {
        const Finished finished = m_alone.run(words("submit --dry-run --retries 2 --label gpu --env A=b -- echo hi"));
        QVERIFY2(finished.exitCode == 0, finished.err);
        const QJsonObject job = QJsonDocument::fromJson(finished.out).object();
        QCOMPARE(job.value(QStringLiteral("command")).toArray().size(), 2);
        QCOMPARE(job.value(QStringLiteral("retries")).toInt(), 2);
        QCOMPARE(job.value(QStringLiteral("labels")).toArray().first().toString(), QStringLiteral("gpu"));
        QCOMPARE(job.value(QStringLiteral("env"))[QStringLiteral("A")].toString(), QStringLiteral("b"));
        QCOMPARE(m_alone.run(words("submit --dry-run --retries many -- true")).exitCode, 2);
    }

    void aDryRunPrintsAJobFile()
    {
        const QString input = write("input", "x");
        for (const QStringList &options :
             {words("--name n --comment c --queue other --priority 2 --tag a --tag b --env A=1 --dir / --append-to "
                    "shared "
                    "--stdout out/%j --stderr /tmp/%a.err --ulimit nofile=64 --output-limit 1K --time-limit 3s "
                    "--grace 1s --max-attempts 7 --retries 4 --retry-on 1,137 --backoff 1500ms --backoff-max 1m "
                    "--slots 3 "
                    "--memory 2G --label gpu,big --lock l1 --lock-shared s --limit db --dedupe k --hold "
                    "--start-at 2100-01-01T00:00:00Z --array 1-9:2%3 --after default-1 --after-ok default-2,default-3 "
                    "--after-fail default-4 --after-any default-5 --singleton --input")
                  << input,
              words("--gang 2 --env EMPTY="), words("--delay 1h")}) {
            const Finished printed = m_alone.run(words("submit --dry-run") + options + words("-- sh -c true"));
            QVERIFY2(printed.exitCode == 0, printed.err);
            const QString file = write("printed.json", printed.out);
            const Finished again = m_alone.run(words("submit --dry-run --file") << file);
            QVERIFY2(again.exitCode == 0, again.err);
            QCOMPARE(again.out, printed.out);
        }
    }

    void idOnlyPrintsNothingElse()
    {
        const Finished finished = submit("--id-only -o json -- true");
        QCOMPARE(finished.out.count('\n'), 1);
        QCOMPARE(view(finished.out).state, jobs::JobState::Ready);
        const QJsonObject json = QJsonDocument::fromJson(submit("-o json -- true").out).object();
        QVERIFY(json.value(QStringLiteral("id")).toString().startsWith(u"default-"));
    }

    void jobFiles()
    {
        const QString toml =
            write("job.toml",
                  "command = ['sh', '-c', 'exit 3']\nname = 'fromfile'\ncomment = 'for the audit'\nretries = 2\n"
                  "retry-on = [1, 2]\nmemory = '1M'\nlabel = ['a', 'b']\nhold = true\n"
                  "time_limit = '10s'\nstart-at = 2100-01-01T00:00:00Z\n[env]\nA = 'b'\n");
        const jobs::JobSpec spec = specOf(m_drover.run(words("submit --file") << toml));
        QCOMPARE(spec.command, (QStringList{QStringLiteral("sh"), QStringLiteral("-c"), QStringLiteral("exit 3")}));
        QCOMPARE(spec.name, QStringLiteral("fromfile"));
        QCOMPARE(spec.comment, QStringLiteral("for the audit"));
        QCOMPARE(spec.retry.codes, (QList<int>{1, 2}));
        QCOMPARE(spec.needs.memory, 1 << 20);
        QCOMPARE(spec.needs.labels, words("a b"));
        QVERIFY(!spec.notes.heldBy.isEmpty());
        QCOMPARE(spec.timeLimit, 10'000ms);
        QCOMPARE(spec.notes.notBefore.count(), 4102444800000);
        QCOMPARE(spec.environment.at(QStringLiteral("A")), QStringLiteral("b"));
        QVERIFY(spec.environment.contains(QStringLiteral("PATH")));

        const jobs::JobSpec other = specOf(
            m_drover.run(words("submit --name option --label c --retries 5 --file") << toml << words("-- true")));
        QCOMPARE(other.command, words("true"));
        QCOMPARE(other.name, QStringLiteral("option"));
        QCOMPARE(other.needs.labels, words("c"));
        QCOMPARE(other.retry.limit, 5);
        QCOMPARE(other.retry.codes, (QList<int>{1, 2}));

        const QString json = write("job.json", R"({"command": ["true"], "memory": 4194304, "hold": false, "tag": "x",
                                                   "env": ["B=c"], "label": [], "priority": 1, "comment": "x y"})");
        const jobs::JobSpec fromJson = specOf(m_drover.run(words("submit --file") << json));
        QCOMPARE(fromJson.needs.memory, 4 << 20);
        QCOMPARE(fromJson.needs.labels, QStringList());
        QCOMPARE(fromJson.tags, words("x"));
        QVERIFY(fromJson.notes.heldBy.isEmpty());
        QCOMPARE(fromJson.priority, 1);
        QCOMPARE(fromJson.comment, QStringLiteral("x y"));
    }

    void badJobFiles_data()
    {
        QTest::addColumn<QString>("file");
        QTest::addColumn<QByteArray>("content");
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char *file, const char *content, const char *message) {
            QTest::addRow("%s", content) << QString::fromLatin1(file) << QByteArray(content) << QByteArray(message);
        };
        row("a.toml", "command = ['true']\n\nretrys = 1\n",
            "a.toml:3: retrys is not a field of a job; did you mean retries, ");
        row("a.toml", "command = ['true']\ntime_limit = '1s'\ntime-limit = '1s'\n", "is there twice");
        row("a.toml", "command = ['true']\nretries = '1'\n", "a.toml:2: retries has to be a whole number");
        row("a.toml", "command = 'true'\n", "a.toml:1: command has to be a list of texts");
        row("a.toml", "command = ['true', 1]\n", "a.toml:1: command has to be a list of texts");
        row("a.toml", "command = ['true']\nhold = 'yes'\n", "a.toml:2: hold has to be true or false");
        row("a.toml", "command = ['true']\ntime-limit = 5\n", "a.toml:2: time-limit has to be a text");
        row("a.toml", "command = ['true']\ntime-limit = 'soon'\n", "a.toml:2: time-limit: \"soon\"");
        row("a.toml", "command = ['true']\nretry-on = ['x']\n", "a.toml:2: retry-on");
        row("a.toml", "command = ['true']\npriority = 1.5\n", "a.toml:2: priority has to be a whole number");
        row("a.toml", "command = ['true']\n[env]\nA = 1\n", "a.toml:2: env has to be a table of texts");
        row("a.toml", "command = ['true']\ndelay = '1s'\nstart-at = '23:59'\n", "both say when");
        row("a.toml", "command = ['true']\nbackoff = '1s'\n", "a.toml:2: backoff means nothing without retries; add");
        row("a.toml", "command = ['true']\nretry_on = 3\nretries = 0\n", "a.toml:2: retry_on means nothing without");
        row("a.toml", "name = 'n'\n", "no command");
        row("a.toml", "command = ['true'\n", "a.toml:1: Error while parsing array");
        row("a.json", "{\"command\": [\"true\"],\n\n oops}", "a.json:3: this is not JSON");
        row("a.json", "[1]", "a.json:1: a job is one JSON object");
        row("a.json", "{\"command\": [\"true\"], \"slots\": \"2\"}", "a.json: slots has to be a whole number");
        row("a.json", "{\"command\": [\"tr\\u0000ue\"]}", "a.json: command contains a NUL");
        row("a.json", "{\"command\": []}", "a.json: command has to be a list of texts");
    }
    void badJobFiles()
    {
        QFETCH(QString, file);
        QFETCH(QByteArray, content);
        QFETCH(QByteArray, message);
        const QString path = write(qPrintable(file), content);
        const Finished finished = m_alone.run(words("submit --dry-run --file") << path);
        QCOMPARE(finished.exitCode, 2);
        QVERIFY2(finished.complainsOnce() && finished.err.contains(message), finished.err);
    }

    void usage_data()
    {
        QTest::addColumn<QByteArray>("message");
        const auto row = [](const char *options, const char *message) {
            QTest::newRow(options) << QByteArray(message);
        };
        row("--dry-run", "there is no command");
        row("--file /nowhere/job.toml", "/nowhere/job.toml");
        row("--retries 1001 -- true", "--retries");
        row("--retries 1 --retry-on 0 -- true", "--retry-on");
        row("--retry-on 1 -- true", "retries");
        row("--backoff 1x --retries 1 -- true", "--backoff");
        row("--slots 0 -- true", "--slots");
        row("--memory much -- true", "--memory");
        row("--memory 1 -- true", "--memory: \"1\" is too little; give at least 1 MiB");
        row("--stdout out/ -- true", "--stdout: out/ is a folder");
        row("--label a,,b -- true", "--label");
        row("--lock a/b -- true", "--lock");
        row("--lock a --lock-shared a -- true", "\"a\"");
        row("--start-at 25:00 -- true", "--start-at");
        row("--start-at 2001-01-01 -- true", "has passed");
        row("--start-at 23:59 --delay 1s -- true", "both say when");
        row("--after-ok 41 -- true", "--after-ok");
        row("--array 9-1 -- true", "--array");
        row("--array 0-1000000 -- true", "1000000 indices");
        row("--tag  -- true", "--tag");
        row("--dedupe  -- true", "--dedupe");
        row("--stdin --wait", "--wait");
        row("--stdin --file x", "--file");
        row("--stdin --priority 11", "--priority");
    }
    void usage()
    {
        QFETCH(QByteArray, message);
        const qsizetype before = count();
        const Finished finished = submit(QTest::currentDataTag());
        QCOMPARE(finished.exitCode, 2);
        QVERIFY2(finished.complainsOnce() && finished.err.contains(message), finished.err);
        QCOMPARE(count(), before);
    }

    void linesInTheirOrder()
    {
        constexpr int Lines = 1000;
        QByteArray input;
        for (int i = 0; i < Lines; ++i)
            input += "{\"command\": [\"echo\", \"" + QByteArray::number(i) + "\"], \"queue\": \"other\"}\n\n";
        const Finished finished = feed(words("submit --stdin --tag batch"), input);
        QVERIFY2(finished.exitCode == 0, finished.err);
        const QByteArrayList ids = finished.out.trimmed().split('\n');
        QCOMPARE(ids.size(), Lines);
        for (int i = 0; i < Lines; i += 111) {
            const jobs::JobSpec spec = view(ids[i]).spec.value();
            QCOMPARE(spec.command.last(), QString::number(i));
            QCOMPARE(spec.tags, words("batch"));
        }
    }

    void aBadLineStopsNoOther()
    {
        const QByteArray good = "{\"command\": [\"true\"]}\n";
        const QByteArray input = good + "nonsense\n" + good + "{\"comand\": [\"true\"]}\n"
            + "{\"command\": [\"x\"], \"queue\": \"no\"}\n"
            + "{\"command\": [\"true\"], \"after\": [\"default-9999\"]}\n" + QByteArray(400'000, 'x') + "\n"
            + good.trimmed();
        const Finished finished = feed(words("submit --stdin"), input);
        QCOMPARE(finished.exitCode, 1);
        QCOMPARE(finished.out.count("default-"), 3);
        QCOMPARE(finished.err.count('\n'), 6);
        for (const char *const part : {"line 2: this is not JSON", "line 4: comand", "line 5: there is no queue \"no\"",
                                       "line 6: a job cannot wait for default-9999", "line 7: longer", "5 of 8 jobs"})
            QVERIFY2(finished.err.contains(part), finished.err);
        const Finished dry = feed(words("submit --stdin --dry-run"), good + good);
        QCOMPARE(dry.exitCode, 0);
        QCOMPARE(dry.out.count("\"command\":[\"true\"]"), 2);
        QCOMPARE(feed(words("submit --stdin"), {}).exitCode, 0);
    }

    void linesAreSubmittedAsTheyCome()
    {
        const std::unique_ptr<QProcess> process = m_drover.start(words("submit --stdin -o jsonl"));
        for (int i = 1; i <= 3; ++i) {
            process->write("{\"command\": [\"true\"]}\n");
            QByteArray seen;
            QVERIFY(waitForOutput(*process, "\"line\":" + QByteArray::number(i), seen));
        }
        sendSignal(*process, SIGTERM); // it waits for input
        QCOMPARE(DroverProgram::finish(*process).exitCode, 128 + SIGTERM);
    }

    void aKeyIsSubmittedOnce()
    {
        const QByteArray first = submit("--dedupe nightly -- true").out.trimmed();
        QVERIFY(!first.isEmpty());
        const qsizetype before = count();
        QCOMPARE(submit("--dedupe nightly -- false").out.trimmed(), first);
        QCOMPARE(count(), before);
        QVERIFY(submit("--dedupe nightly --queue other -- true").out.startsWith("other-"));
        QVERIFY(submit("--dedupe weekly -- true").out.trimmed() != first);

        const QString id = QString::fromLatin1(first);
        QCOMPARE(m_drover.run({QStringLiteral("cancel"), id}).exitCode, 0);
        QCOMPARE(submit("--dedupe nightly -- true").out.trimmed(), first); // its record is there
        m_cluster.remove(m_cluster.layout.done(jobs::JobId::parse(id).value()));
        const QByteArray second = submit("--dedupe nightly -- true").out.trimmed();
        QVERIFY(!second.isEmpty() && second != first);
        QCOMPARE(submit("--dedupe nightly -- true").out.trimmed(), second);
        QCOMPARE(feed(words("submit --stdin"), "{\"command\": [\"true\"], \"dedupe\": \"nightly\"}\n").out.trimmed(),
                 second);
    }
};

QTEST_GUILESS_MAIN(SubmitTest)
#include "submit_test.moc"
