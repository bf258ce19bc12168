#include "app/cli/failure.h"
#include "app/commands/commands.h"
#include "app/program/command_line.h"
#include "app/submission/job_file.h"
#include "app/submission/submission.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

using namespace drover::app;
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

    void whatItRefusesIsNoticed()
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
