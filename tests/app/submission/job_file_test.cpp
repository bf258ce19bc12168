#include "app/cli/failure.h"
#include "app/submission/job_file.h"

#include <QTest>

using namespace drover;

// What a job file says of a key that is there twice. tests/fuzz/jobs/job_file.cpp tries all else.
class JobFileTest : public QObject
{
    Q_OBJECT

    static QByteArray complaintAbout(const QByteArray &text, const char *place)
    {
        try {
            jobs::JobSpec spec;
            app::JobFile::parse(text, QString::fromUtf8(place)).applyTo(spec);
        } catch (const app::UsageError &error) {
            return error.what();
        }
        return {};
    }

private Q_SLOTS:
    void aKeyThatIsThereTwiceIsNamedWithItsLine_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QByteArray>("complaint");
        const auto row = [](const char *name, const char *text, const char *complaint) {
            QTest::newRow(name) << QByteArray(text) << QByteArray(complaint);
        };
        row("a field", "{\"command\": [\"true\"],\n \"name\": \"a\",\n \"name\": \"b\"}",
            "job.json:3: name is there twice");
        row("the command", "{\"command\": [\"true\"], \"command\": [\"rm\"]}", "job.json:1: command is there twice");
        row("a variable", "{\"command\": [\"true\"],\n \"env\": {\"A\": \"1\",\n  \"A\": \"2\"}}",
            "job.json:3: A is there twice");
        row("by another spelling", "{\"command\": [\"true\"],\n\"name\": \"a\",\n\"n\\u0061me\" : \"b\"}",
            "job.json:3: name is there twice");
        row("hyphen and underscore", "{\"command\": [\"true\"], \"time-limit\": \"1s\", \"time_limit\": \"2s\"}",
            "is there twice: hyphens and underscores mean the same");
        row("singular and plural", "{\"command\": [\"true\"], \"tag\": \"a\", \"tags\": [\"b\"]}",
            "is there twice: hyphens and underscores mean the same, and so do the names of options");
        row("a value like a key", "{\"command\": [\"name\", \"name\", \"{\\\"name\\\": 1}\"],\n\"name\": \"name\"}",
            "");
        row("one key of two objects", "{\"command\": [\"true\"], \"env\": {\"name\": \"1\"}, \"name\": \"a\"}", "");
        row("no JSON", "{\"command\": [\"true\"], \"name\": \"a\", \"name\": }", "this is not JSON");
    }
    void aKeyThatIsThereTwiceIsNamedWithItsLine()
    {
        QFETCH(QByteArray, text);
        QFETCH(QByteArray, complaint);
        const QByteArray complained = complaintAbout(text, "job.json");
        QVERIFY2(complaint.isEmpty() ? complained.isEmpty() : complained.contains(complaint), complained);
    }

    // A file of several jobs is what --stdin reads; YAML is none that is read at all.
    void anotherFormIsAnswered()
    {
        const QByteArray one = "{\"command\": [\"true\"]}";
        QVERIFY(
            complaintAbout('[' + one + ',' + one + ']', "job.json").startsWith("job.json:1: a job is one JSON object"));
        const QByteArray lines = complaintAbout(one + '\n' + one + '\n', "job.json");
        QVERIFY2(lines.startsWith("job.json:2: a job is one") && lines.contains("; drover submit --stdin takes"),
                 lines);
        QVERIFY(complaintAbout("1", "job.json").startsWith("job.json:1: this is not JSON"));
        const QByteArray yaml = complaintAbout("command: [true]\n", "job.yaml");
        QVERIFY2(yaml.endsWith("expected '=', saw ':'; a line of TOML is key = value, and a heading is [name]"), yaml);
    }

    // A key of `-o json`, the option's name, and that with underscores.
    void allSpellingsOfAFieldMeanTheSame()
    {
        for (const char *const key : {"locks_shared", "locks-shared", "lock-shared", "lock_shared"}) {
            jobs::JobSpec spec;
            const QByteArray text = QByteArray("command = [\"true\"]\n") + key + " = [\"a\", \"b\"]\n";
            app::JobFile::parse(text, QStringLiteral("job.toml")).applyTo(spec);
            QCOMPARE(spec.sharedLocks, (QStringList{QStringLiteral("a"), QStringLiteral("b")}));
        }
        QVERIFY(complaintAbout("{\"command\": [\"true\"], \"labls\": []}", "job.json").contains("did you mean labels"));
    }

    // What `show` prints beside the job is no field.
    void theJobInWhatIsShownIsRead()
    {
        jobs::JobSpec spec;
        const QByteArray shown(
            "{\"id\": \"default-1\", \"schema\": 1, \"job\": {\"command\": [\"true\"], \"slots\": 2}}");
        app::JobFile::parse(shown, QStringLiteral("shown")).applyTo(spec);
        QCOMPARE(spec.needs.slots, 2);
        QVERIFY(
            complaintAbout("{\"command\": [\"true\"], \"job\": {}}", "job.json").contains("is not a field of a job"));
    }

    void allFieldsThatAreWrongAreNamedInTheirOrder()
    {
        const QByteArray toml =
            complaintAbout("command = [\"true\"]\nretries = \"many\"\npriority = \"high\"\nnam = \"a\"\n", "job.toml");
        const QByteArrayList lines = QByteArray(toml).replace("; job.toml", "\njob.toml").split('\n');
        QVERIFY2(lines.size() == 3 && lines[0].startsWith("job.toml:2: retries has to be ")
                     && lines[1].startsWith("job.toml:3: priority has to be ")
                     && lines[2].startsWith("job.toml:4: nam "),
                 toml);
        const QByteArray json = complaintAbout("{\"command\": \"true\", \"retries\": \"many\"}", "job.json");
        QVERIFY2(json.contains("command has to be ") && json.contains("retries has to be "), json);
    }

    void soItIsInToml()
    {
        const QByteArray complained = complaintAbout("command = [\"true\"]\nname = \"a\"\nname = \"b\"\n", "job.toml");
        QVERIFY2(complained.startsWith("job.toml:3: "), complained);
    }
};

QTEST_GUILESS_MAIN(JobFileTest)
#include "job_file_test.moc"
