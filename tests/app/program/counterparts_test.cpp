#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/program/command_line.h"
#include "app/submission/job_file.h"
#include "app/submission/submission.h"
#include "app/support/drover_on_server.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace drover::app;
using drover::test::DroverOnServer;
using drover::test::DroverProgram;
using drover::test::Finished;
using drover::test::words;
using namespace Qt::StringLiterals;

namespace {

// A row of coming-from.md: `left` | `drover ...` | remark.
struct Row {
    QString habit;
    QString counterpart;
};

QList<Row> rows()
{
    QFile file(QStringLiteral(DROVER_SOURCE_DIR "/packaging/docs/coming-from.md"));
    if (!file.open(QIODevice::ReadOnly))
        return {};
    static const QRegularExpression row(u"^\\| `((?:[^`])+)` \\| (?:`([^`]+)`|none) \\|"_s,
                                        QRegularExpression::MultilineOption);
    QList<Row> found;
    for (auto it = row.globalMatch(QString::fromUtf8(file.readAll())); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        found.append({match.captured(1), match.captured(2).replace(u"\\|"_s, u"|"_s)});
    }
    return found;
}

// What a shell gives to drover when it runs the command, and its standard input.
struct Call {
    QStringList arguments;
    QByteArray input;
};

Call callOf(const QString &command)
{
    QTemporaryDir directory;
    QFile(directory.filePath(u"a.log"_s)).open(QIODevice::WriteOnly);
    QProcess bash;
    bash.setWorkingDirectory(directory.path());
    bash.start(u"bash"_s,
               {u"-c"_s, u"drover() { printf '%s\\n' drover \"$@\"; printf '\\f'; [ -t 0 ] || cat; }\n"_s + command});
    bash.closeWriteChannel();
    bash.waitForFinished();
    const QByteArray said = bash.readAllStandardOutput();
    const qsizetype end = said.indexOf('\f');
    return {QString::fromUtf8(said.left(end)).split(u'\n', Qt::SkipEmptyParts), said.mid(end + 1)};
}

} // namespace

// The commands that coming-from.md gives for those of other programs.
class CounterpartsTest : public QObject
{
    Q_OBJECT

    // One job in JSON a line. Throws UsageError.
    static void readLines(const QByteArray &input)
    {
        for (const QByteArray &line : input.trimmed().split('\n')) {
            drover::jobs::JobSpec spec;
            JobFile::parseJson(line).applyTo(spec);
            QCOMPARE(spec.command, (QStringList{u"gzip"_s, u"a.log"_s}));
        }
    }

    // The programs and files of the rows.
    static void makeFiles(const DroverProgram &program)
    {
        const Finished made = program.shell("for name in job.sh step report backup check callback b; do"
                                            "  printf '#!/bin/sh\n' >$name && chmod +x $name; done;"
                                            "printf 'all test:\n\ttrue\n' >Makefile; echo >add.py; echo text >a.log;"
                                            "printf 'command = [\"true\"]\n' >job.toml");
        QVERIFY2(made.exitCode == 0, made.err);
    }

    // Of the job that `submit` makes.
    static QString idOf(const DroverProgram &program, const QString &submit)
    {
        const QString command = u"drover submit --id-only "_s + submit;
        return QString::fromUtf8(program.shell(command.toUtf8()).out.simplified()).section(u' ', 0, 0);
    }

    // Runs a row. Its jobs are cancelled at once, because a thousand of them are no part of what is tested.
    static void requireRun(const DroverProgram &program, const QString &command)
    {
        const QString name = command.section(u' ', 3, 3); // of a recurring job, which the row before may have added
        const QString before = command.startsWith(u"drover cron add"_s) && !command.contains(u"--replace"_s)
            ? u"drover cron rm %1 2>/dev/null; "_s.arg(name)
            : QString();
        const bool findsNone = command.contains(u"cancel --submitter alice"_s);
        const Finished finished = program.shell((before + command).toUtf8());
        QVERIFY2(finished.exitCode == (findsNone ? 3 : 0), command.toUtf8() + ": " + finished.err);
        const QString said = QString::fromUtf8(finished.out).simplified();
        if (command.contains(u"drover submit"_s) && !command.contains(u"--dry-run"_s))
            program.run(QStringList{u"cancel"_s} + said.split(u' '));
    }

    // The command, with a job that it can act on instead of default-7.
    static QString readied(const DroverProgram &program, const QString &command, const QString &ended)
    {
        static const QHash<QString, QString> jobs{
            {u"signal"_s, u"-- sleep 100"_s},
            {u"requeue"_s, u"-- sleep 100"_s},
            {u"hold"_s, u"--label nosuch -- true"_s},
            {u"priority"_s, u"--hold -- true"_s},
            {u"cancel"_s, u"--hold -- true"_s},
            {u"resubmit"_s, u"--wait --array 1-2 -- sh -c 'exit $((DROVER_ARRAY_INDEX - 1))'"_s},
        };
        const QString submit = jobs.value(command.section(u' ', 1, 1));
        if (!command.contains(u"default-7"_s) || submit.isEmpty())
            return QString(command).replace(u"default-7"_s, ended);
        const QString id = idOf(program, submit);
        const auto runs = [&] {
            return program.shell((u"drover show "_s + id + u" -o json"_s).toUtf8()).out.contains("\"running\"");
        };
        if (submit.contains(u"sleep"_s))
            [&] { QTRY_VERIFY_WITH_TIMEOUT(runs(), 60'000); }();
        return QString(command).replace(u"default-7"_s, id);
    }

private Q_SLOTS:
    void theParserTakesEach_data()
    {
        setCommandGroups(droverCommands());
        QTest::addColumn<QString>("counterpart");
        for (const Row &row : rows()) {
            if (!row.counterpart.isEmpty())
                QTest::addRow("%s", qPrintable(row.habit)) << row.counterpart;
        }
    }

    void theParserTakesEach()
    {
        QFETCH(QString, counterpart);
        const Call call = callOf(counterpart);
        QVERIFY2(call.arguments.value(0) == u"drover", qPrintable(counterpart));
        try {
            const CommandLine line = CommandLine::parse(call.arguments);
            QVERIFY(line.kind == CommandLine::Kind::Command);
            const QString name = QLatin1String(line.command->name);
            if (name == u"submit" && line.arguments->has("stdin"))
                readLines(call.input);
            else if (name == u"submit" || name == u"run" || name == u"cron add")
                QVERIFY(!specFrom(*line.arguments, {}, name == u"cron add" ? 2 : 0).command.isEmpty());
        } catch (const UsageError &error) {
            QFAIL(qPrintable(counterpart + u": "_s + QString::fromUtf8(error.what())));
        }
    }

    // Each succeeds, on a real cluster with jobs such as the rows name.
    void eachCommandOfTheDocumentRuns()
    {
        DroverOnServer cluster;
        DroverProgram &program = cluster.drover;
        program.setVariable("DROVER_HISTORY", program.directory() + u"/history.sqlite"_s);
        cluster.start({"default", "night", "slow"});
        const auto worker =
            program.start(words("worker --id n1 --slots 8 --queue default --queue night --queue slow --label ssd"));
        const auto workers = [&cluster] { return cluster.children(cluster.layout.members()).size(); };
        QTRY_COMPARE_WITH_TIMEOUT(workers(), 1, 60'000);
        makeFiles(program);
        const QString ended = idOf(program, u"--wait --tag run-7 -- true"_s);
        QString ofAWorker;
        QString drain;
        int count = 0;
        for (const Row &row : rows()) {
            const QString command = row.counterpart;
            if (command.startsWith(u"drover worker --"_s)) {
                ofAWorker = command;
            } else if (command.startsWith(u"drover worker drain"_s)) {
                drain = command;
            } else if (!command.isEmpty()) {
                requireRun(program, readied(program, command, ended));
                ++count;
            }
            if (QTest::currentTestFailed())
                return;
        }
        QVERIFY(count > 55);
        const auto another = program.start(ofAWorker.split(u' ').mid(1));
        QTRY_COMPARE_WITH_TIMEOUT(workers(), 2, 60'000);
        another->terminate();
        QCOMPARE(DroverProgram::finish(*another).exitCode, 0);
        program.run(words("cancel --yes default-0..100000")); // what still runs
        requireRun(program, drain);
        worker->terminate();
        QCOMPARE(DroverProgram::finish(*worker).exitCode, 0);
    }

    void anOptionThatDoesNotExistIsNoticed()
    {
        const Call call = callOf(u"printf 'x\\n' | drover submit --no-such 'a b' -- true"_s);
        QCOMPARE(call.arguments, (QStringList{u"drover"_s, u"submit"_s, u"--no-such"_s, u"a b"_s, u"--"_s, u"true"_s}));
        QCOMPARE(call.input, "x\n");
        QVERIFY_THROWS_EXCEPTION(UsageError, CommandLine::parse(call.arguments));
    }

    void aMisspeltSecondWordIsNamed()
    {
        const auto errorOf = [](const QString &typed) -> QByteArray {
            try {
                CommandLine::parse(typed.split(u' '));
            } catch (const UsageError &error) {
                return error.what();
            }
            return {};
        };
        QVERIFY(errorOf(u"drover worker check"_s).contains("there is no \"drover worker check\""));
        QVERIFY(errorOf(u"drover config chekc"_s).contains("did you mean drover config check?"));
    }

    // Each line that begins a row has been read as one.
    void noRowIsLeftOut()
    {
        QFile file(QStringLiteral(DROVER_SOURCE_DIR "/packaging/docs/coming-from.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QCOMPARE(rows().size(), file.readAll().count("\n| `"));
        QVERIFY(rows().size() > 60);
    }
};

QTEST_GUILESS_MAIN(CounterpartsTest)
#include "counterparts_test.moc"
