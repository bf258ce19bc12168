#include "app/support/drover_program.h"
#include "toolchain/source_tree.h"

#include <QDir>
#include <QFile>
#include <QMap>
#include <QRegularExpression>
#include <QTest>

using namespace drover::test;
using namespace Qt::StringLiterals;

namespace {

const QString Sources = QStringLiteral(DROVER_SOURCE_DIR);

// The words that stand for what a reader has.
const QMap<QString, QString> &readersWords()
{
    static const QMap<QString, QString> words{
        {u"ARRAY"_s, u"default-1"_s},    {u"COMMAND"_s, u"ls"_s},
        {u"DIR"_s, u"/tmp/there"_s},     {u"DIRECTORY"_s, u"pages"_s},
        {u"FILE"_s, u"hosts.toml"_s},    {u"ID"_s, u"default-1"_s},
        {u"JOB"_s, u"default-1"_s},      {u"N"_s, u"5"_s},
        {u"NAME"_s, u"name"_s},          {u"PLACE"_s, u"none"_s},
        {u"QUEUE"_s, u"default"_s},      {u"S"_s, u"00112233445566778899aabbccddeeff"_s},
        {u"WORD..."_s, u"submit --a"_s}, {u"WORKER"_s, u"worker-1"_s},
    };
    return words;
}

// What stands in `...` and begins like a command, and the commands of packaging/run in fenced blocks; once for each
// text. Of other blocks documents_test and runners_test have the commands. Not the messages that
// troubleshooting.md quotes in the first column of its tables: reference_test compares them with the programs.
QMap<QString, QString> inlineCommands(const QList<SourceFile> &documents)
{
    static const QRegularExpression fenced(
        u"^```.*?^```"_s, QRegularExpression::MultilineOption | QRegularExpression::DotMatchesEverythingOption);
    static const QRegularExpression message(u"^\\| `[^`]+`"_s, QRegularExpression::MultilineOption);
    static const QRegularExpression span(u"`((?:drover|drover-console|packaging/run)(?:\\s[^`]+)?)`"_s);
    static const QRegularExpression ofTheSources(u"^drover\\$ ((?:packaging|tests/bench/peers)/run(?: .*)?)$"_s,
                                                 QRegularExpression::MultilineOption);
    QMap<QString, QString> found;
    for (const SourceFile &document : documents) {
        QString text = document.text;
        for (auto it = ofTheSources.globalMatch(text); it.hasNext();)
            found.insert(it.next().captured(1).section(u"  "_s, 0, 0), document.path);
        text.remove(fenced);
        if (document.path.endsWith(u"troubleshooting.md"))
            text.remove(message);
        for (auto it = span.globalMatch(text); it.hasNext();)
            found.insert(it.next().captured(1).simplified().replace(u"\\|"_s, u"|"_s), document.path);
    }
    return found;
}

// With a reader's words for those in capitals, and what may be left out in brackets.
QString filledIn(const QString &command)
{
    QStringList words = QString(command).remove(u'[').remove(u']').split(u' ');
    for (QString &word : words)
        word = readersWords().value(word, word);
    return words.join(u' ');
}

QStringList optionsIn(const QString &command)
{
    static const QRegularExpression option(u"(?<= )--[a-z][a-z-]*"_s);
    QStringList options;
    for (auto it = option.globalMatch(command.section(u" -- "_s, 0, 0)); it.hasNext();)
        options.append(it.next().captured());
    return options;
}

// A command is only named if nothing stands behind its words but options without a value.
bool isNamed(const QString &command)
{
    static const QRegularExpression name(u"^drover( [a-z-]+){1,2}( --[a-z-]+)*$"_s);
    return name.match(command).hasMatch();
}

} // namespace

// Every command that a document names in its text, given to the real programs: each has to be one that they know, with
// options and values that they take. No cluster is there, so nothing is carried out.
class InlineCommandsTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;
    QMap<QString, QString> m_usage; // what packaging/run says of each of its verbs
    QMap<QString, QByteArray> m_helps; // by the command

    QByteArray helpOf(const QString &command)
    {
        if (!m_helps.contains(command)) {
            const Finished finished =
                m_drover.shell("PATH=$DROVER_BIN_DIR:$PATH; QT_QPA_PLATFORM=offscreen " + command.toUtf8() + " --help");
            m_helps[command] = finished.exitCode == 0 ? finished.out : QByteArray();
        }
        return m_helps[command];
    }

    // Empty if the help of `command` has each option.
    QString missingOption(const QString &command, const QStringList &options)
    {
        const QByteArray help = helpOf(command);
        if (help.isEmpty())
            return u"there is no "_s + command;
        for (const QString &option : options) {
            const QRegularExpression whole(option + u"(?![a-z-])"_s);
            if (!whole.match(QString::fromUtf8(help)).hasMatch())
                return u"%1 has no %2"_s.arg(command, option);
        }
        return {};
    }

    // Of a command of drover that is whole: it is refused for the lack of a cluster, and not for what it says.
    QString objectionToWhole(const QString &command)
    {
        QString lonely = command;
        lonely.insert(6, u" --connect 127.0.0.1:1 --connect-timeout 50ms"_s);
        if (command.startsWith(u"drover worker -"))
            lonely += u" --allow-root --policy none --listen none"_s;
        const Finished finished = m_drover.shell("exec timeout 60 env " + lonely.toUtf8());
        const bool refused = finished.exitCode == 2 || finished.exitCode >= 124;
        return refused ? u"exit code %1: %2"_s.arg(finished.exitCode).arg(QString::fromUtf8(finished.err)) : QString();
    }

    QString objectionToVerb(const QString &command)
    {
        const QString verb = command.section(u' ', 1, 1);
        const QString rest = command.section(u' ', 2);
        if (verb.isEmpty())
            return {};
        if (!m_usage.contains(verb))
            return u"packaging/run has no verb "_s + verb;
        if (verb == u"bench" || verb == u"demo")
            return objectionTo(u"drover "_s + command.section(u' ', 1));
        if (verb == u"storm" || verb == u"peers")
            return missingOption(verb == u"storm" ? Sources + u"/tests/storm/storm"_s
                                                  : Sources + u"/tests/bench/peers/run"_s,
                                 optionsIn(command));
        static const QRegularExpression word(u"^[a-z-]+$"_s); // the others are values
        for (const QString &said : rest.split(u' ', Qt::SkipEmptyParts)) {
            const bool isTarget = verb == u"fuzz" && QDir(Sources + u"/tests/fuzz/corpus/"_s + said).exists();
            if (word.match(said).hasMatch() && said != u"name" && !isTarget && !m_usage[verb].contains(said))
                return u"packaging/run %1 has no %2"_s.arg(verb, said);
        }
        return {};
    }

    // Empty if the programs take the command.
    QString objectionTo(const QString &text)
    {
        const QString command = filledIn(text);
        if (command == u"drover" || command == u"drover-console --lab-participant") // the program; not for people
            return {};
        if (command.startsWith(u"packaging/run"))
            return objectionToVerb(command);
        if (command.startsWith(u"tests/bench/peers/run"))
            return missingOption(Sources + u"/tests/bench/peers/run"_s, optionsIn(command));
        if (command.startsWith(u"drover-console"))
            return missingOption(u"drover-console"_s, optionsIn(command));
        if (command.startsWith(u"drover up "))
            return missingOption(u"drover up"_s, optionsIn(command)); // it needs no cluster, and would be carried out
        if (command.startsWith(u"drover cluster check --server-config "))
            return missingOption(u"drover cluster check"_s, optionsIn(command)); // it asks no server and reads a file
        if (isNamed(command))
            return missingOption(command.section(u" --"_s, 0, 0), optionsIn(command));
        return objectionToWhole(command);
    }

private Q_SLOTS:
    void initTestCase()
    {
        const QString usage = QString::fromUtf8(m_drover.shell("exec " + Sources.toUtf8() + "/packaging/run").out);
        static const QRegularExpression verb(u"^  ([a-z][a-z-]*)(.*?)(?=^  [a-z]|\\z)"_s,
                                             QRegularExpression::MultilineOption
                                                 | QRegularExpression::DotMatchesEverythingOption);
        for (auto it = verb.globalMatch(usage); it.hasNext();) {
            const QRegularExpressionMatch match = it.next();
            m_usage.insert(match.captured(1), match.captured(2));
        }
        QVERIFY(m_usage.contains(u"build"_s) && m_usage.contains(u"clean"_s));
        // The files that commands name; of `drover launch` a machine that no ssh reaches.
        const Finished made = m_drover.shell(
            "printf 'command = [\"true\"]\\n' >job.toml; printf 'Port 1\\n' >ssh;"
            "printf 'ssh_config = \"ssh\"\\n[[host]]\\nname = \"a\"\\naddress = \"127.0.0.1\"\\n' >hosts.toml");
        QVERIFY2(made.exitCode == 0, made.err);
    }

    void eachIsTaken_data()
    {
        QTest::addColumn<QString>("command");
        const QMap<QString, QString> commands = inlineCommands(textFiles());
        QVERIFY(commands.size() > 180);
        for (auto it = commands.cbegin(); it != commands.cend(); ++it)
            QTest::addRow("%s: %s", qPrintable(it.value()), qPrintable(it.key())) << it.key();
    }

    void eachIsTaken()
    {
        QFETCH(QString, command);
        if (command == u"drover roll-call") { // of a worked example in CONTRIBUTING.md, whose patch makes it
            QFile patch(Sources + u"/packaging/examples/command.patch"_s);
            QVERIFY(patch.open(QIODevice::ReadOnly) && patch.readAll().contains("\"roll-call\""));
            return;
        }
        const QString objection = objectionTo(command);
        QVERIFY2(objection.isEmpty(), qPrintable(objection));
    }

    void aWrongOneIsNoticed_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<bool>("taken");
        const auto add = [](const char *command, bool taken) {
            QTest::newRow(command) << QString::fromUtf8(command) << taken;
        };
        add("drover submit", true);
        add("drover sbumit", false);
        add("drover cron", true);
        add("drover cron list", false);
        add("drover events --audit", true);
        add("drover events --audits", false);
        add("drover queue limit QUEUE N", true);
        add("drover queue limit QUEUE many", false);
        add("drover history --since 2h", true);
        add("drover history --since 2x", false);
        add("drover bench lock --rtt ten", false);
        add("drover up --servers 3", true);
        add("drover up --server 3", false);
        add("drover worker --slots 8", true);
        add("drover worker --slots x", false);
        add("drover launch FILE upgrade", true);
        add("drover launch FILE again", false);
        add("drover-console --bench NAME [--json]", true);
        add("drover-console --bench NAME [--xml]", false);
        add("packaging/run figures walk", true);
        add("packaging/run figures wait", false);
        add("packaging/run figure walk", false);
        add("packaging/run storm --minutes 60", true);
        add("packaging/run storm --hours 60", false);
        add("packaging/run fuzz claim --runs 5", true);
        add("packaging/run fuzz clain --runs 5", false);
        add("packaging/run peers --faults", true);
        add("packaging/run peers --flaws", false);
    }

    void aWrongOneIsNoticed()
    {
        QFETCH(QString, command);
        QFETCH(bool, taken);
        QCOMPARE(objectionTo(command).isEmpty(), taken);
    }

    // The blocks of app/README.md are usages, such as "drover ls [--all]   drover show ID"; a line that is indented
    // goes on with the command above.
    void theReferenceNamesOptionsThatThereAre()
    {
        static const QRegularExpression usage(u"\\b(drover [a-z-]+)( [a-z-]+)?((?:(?!\\bdrover [a-z]).)*)"_s,
                                              QRegularExpression::DotMatchesEverythingOption);
        static const QRegularExpression option(u"--[a-z][a-z-]*"_s);
        QFile file(Sources + u"/app/README.md"_s);
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QStringList parts = QString::fromUtf8(file.readAll()).split(u"```"_s);
        int count = 0;
        for (qsizetype i = 1; i < parts.size(); i += 2) {
            for (auto it = usage.globalMatch(parts[i]); it.hasNext();) {
                const QRegularExpressionMatch match = it.next();
                const QString both = match.captured(1) + match.captured(2);
                const bool isOne = helpOf(both).startsWith("Usage: " + both.toUtf8() + ' ');
                QStringList options;
                for (auto named = option.globalMatch(match.captured(3)); named.hasNext();)
                    options.append(named.next().captured());
                count += static_cast<int>(options.size());
                const QString objection = missingOption(isOne ? both : match.captured(1), options);
                QVERIFY2(objection.isEmpty(), qPrintable(objection));
            }
        }
        QVERIFY(count > 120);
    }

    void whatIsACommandInAText()
    {
        const QString text =
            u"`drover ls` and `drover\nworker ls`, not `droverx` or `x drover`\n```\n$ `drover no`\n```\n"
            "| `drover up runs` | `drover a \\| b` |\n"_s;
        QCOMPARE(inlineCommands({{u"README.md"_s, text}}).keys(),
                 (QStringList{u"drover a | b"_s, u"drover ls"_s, u"drover up runs"_s, u"drover worker ls"_s}));
        QCOMPARE(inlineCommands({{u"docs/troubleshooting.md"_s, text}}).size(), 3);
    }
};

QTEST_GUILESS_MAIN(InlineCommandsTest)
#include "inline_commands_test.moc"
