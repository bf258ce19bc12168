#include "app/cli/failure.h"
#include "app/commands/bench/bench_commands.h"
#include "app/commands/commands.h"
#include "app/program/command_line.h"
#include "app/program/help.h"
#include "app/program/manual_page.h"
#include "app/submission/job_fields.h"
#include "app/submission/submission.h"

#include <QFile>
#include <QProcess>
#include <QRegularExpression>
#include <QTest>

using namespace drover;
using namespace drover::app;

class CommandLineTest : public QObject
{
    Q_OBJECT

    static CommandLine parse(const char *words) { return CommandLine::parse(QString::fromUtf8(words).split(u' ')); }

    static QByteArray errorOf(const char *words)
    {
        try {
            parse(words);
        } catch (const UsageError &error) {
            return error.what();
        }
        return {};
    }

    static bool takesAJob(const Command &command)
    {
        return std::any_of(command.options.begin(), command.options.end(), [](const QCommandLineOption &option) {
            return option.names().contains(QStringLiteral("after-ok"));
        });
    }

private Q_SLOTS:
    void init() { setCommandGroups(droverCommands()); }

    void commandsOfACompanionGoToIt()
    {
        for (const char *const words :
             {"drover bench lock --rtt 1ms", "drover --cluster c bench", "drover help bench lock",
              "drover bench --help", "drover --help bench", "drover lab locks", "drover complete -- bench l",
              "drover complete -- --cluster c help bench l"}) {
            const CommandLine line = parse(words);
            QVERIFY2(line.kind == CommandLine::Kind::Companion, words);
            QCOMPARE(line.companion->file, "drover-bench");
        }
        for (const char *const words :
             {"drover complete -- bench", "drover complete -- lock bench -- l", "drover run bench", "drover help"})
            QVERIFY2(parse(words).kind != CommandLine::Kind::Companion, words);
        QVERIFY(errorOf("drover bnech").contains("did you mean bench"));
    }

    void optionsOfTheProgramStandAnywhere()
    {
        for (const char *const words :
             {"drover -o json --cluster c worker ls", "drover worker ls -o json --cluster c",
              "drover worker -o json ls --cluster c", "drover --cluster=c worker ls --output=json"}) {
            const CommandLine line = parse(words);
            QCOMPARE(line.command->name, "worker ls");
            QCOMPARE(line.arguments->value("output"), QStringLiteral("json"));
            QCOMPARE(line.arguments->value("cluster"), QStringLiteral("c"));
            QVERIFY(line.arguments->positional().isEmpty());
        }
    }

    void oneWordIsACommandOfItsOwn()
    {
        const CommandLine line = parse("drover worker --slots 3");
        QCOMPARE(line.command->name, "worker");
        QCOMPARE(line.arguments->integer("slots", 1, 10, 1), 3);
    }

    void aGuardedCommandKeepsItsOptions()
    {
        for (const char *const words : {"drover run --name n -- ls -l --all", "drover run --name n ls -l --all",
                                        "drover --cluster c run --name n ls -l --all"}) {
            const CommandLine line = parse(words);
            QCOMPARE(line.arguments->positional().join(u' '), QStringLiteral("ls -l --all"));
            QCOMPARE(line.arguments->value("name"), QStringLiteral("n"));
        }
        const CommandLine locked = parse("drover lock L --timeout 2s -- sh -c x -- y");
        QCOMPARE(locked.arguments->positional().join(u' '), QStringLiteral("L sh -c x -- y"));
        QCOMPARE(locked.arguments->value("timeout"), QStringLiteral("2s"));
    }

    // Without a NAME the program's name would be taken for it, and its first argument for the program.
    void aNameStandsBeforeTheDashes()
    {
        for (const char *const words : {"drover lock -- echo hi", "drover lock --timeout 2s -- echo hi",
                                        "drover semaphore --permits 2 -- echo hi", "drover elect -- echo hi",
                                        "drover double-barrier --count 2 -- echo hi", "drover group web -- echo hi"})
            QVERIFY2(errorOf(words).contains("too few arguments before --; usage: drover "), errorOf(words));
        QCOMPARE(parse("drover lock --path /a/l -- echo hi").arguments->positional().join(u' '),
                 QStringLiteral("l echo hi"));
        QCOMPARE(parse("drover group --path /a/g join -- echo hi").arguments->positional().join(u' '),
                 QStringLiteral("g join echo hi"));
        QCOMPARE(parse("drover lock L echo hi").arguments->positional().join(u' '), QStringLiteral("L echo hi"));
    }

    void optionsAreForTheirVerbs()
    {
        QCOMPARE(parse("drover barrier b wait --timeout 3s").arguments->value("timeout"), QStringLiteral("3s"));
        QVERIFY(parse("drover barrier b open --path /b -o json").arguments->has("path"));
        QCOMPARE(errorOf("drover barrier b open --timeout 3s"),
                 QByteArray("drover barrier: --timeout means nothing to open; it is for wait"));
        for (const Command &command : commands()) {
            for (const Verb &verb : command.verbs) {
                for (const QString &name : verb.options)
                    QVERIFY2(
                        std::any_of(command.options.begin(), command.options.end(),
                                    [&](const QCommandLineOption &option) { return option.names().contains(name); }),
                        qPrintable(name));
            }
        }
    }

    void aNegativeNumberIsNoOption()
    {
        for (const char *const words : {"drover counter c add -5", "drover counter c add -5 --path /c",
                                        "drover counter --path /c add -5", "drover counter c add -- -5"})
            QCOMPARE(parse(words).arguments->at(2), QStringLiteral("-5"));
        QVERIFY(errorOf("drover queue q put -5").contains("5"));
    }

    void help()
    {
        QCOMPARE(parse("drover").kind, CommandLine::Kind::Help);
        QCOMPARE(parse("drover help").kind, CommandLine::Kind::Help);
        QCOMPARE(parse("drover --help").kind, CommandLine::Kind::Help);
        for (const char *const words : {"drover worker ls --help", "drover help worker ls", "drover --help worker ls",
                                        "drover worker ls -h --no-such-option"}) {
            const CommandLine line = parse(words);
            QCOMPARE(line.kind, CommandLine::Kind::Help);
            QCOMPARE(line.command->name, "worker ls");
        }
        for (const char *const words :
             {"drover cron --help", "drover help cron", "drover --help cron", "drover cron -h"}) {
            const CommandLine line = parse(words);
            QCOMPARE(line.kind, CommandLine::Kind::Help);
            QCOMPARE(line.group, QStringLiteral("cron"));
        }
        QVERIFY(groupHelpText(QStringLiteral("cron")).contains(u"\n  cron add "));
        const QString word = helpText(*findCommand(QStringLiteral("queue"))); // a command by itself, too
        const qsizetype others = word.indexOf(u"\n\nOther commands that begin with this word:\n  queue ls ");
        QVERIFY(others > 0 && others < word.indexOf(u"Options:") && word.count(u"\n  queue pause ") == 1);
        QCOMPARE(parse("drover show --help").command->name, "show"); // although the id is missing
        QCOMPARE(parse("drover --version").kind, CommandLine::Kind::Version);
    }

    void optionsAloneAreNoCommand()
    {
        QCOMPARE(errorOf("drover -o ls"),
                 QByteArray("there is no command after \"-o ls\"; drover help lists the commands"));
        QVERIFY(errorOf("drover --connect x").contains("no command"));
    }

    void everyCommandExplainsItself()
    {
        const QString all = helpText();
        for (const CommandGroup &group : commandGroups()) {
            for (const Command &command : group.commands)
                QCOMPARE(all.contains(QStringLiteral("\n  %1 ").arg(QLatin1String(command.name))),
                         group.title != nullptr);
        }
        for (const Command &command : commands()) {
            QVERIFY(command.run);
            const QString text = helpText(command);
            QVERIFY(text.startsWith(QStringLiteral("Usage: drover %1 ").arg(QLatin1String(command.name))));
            for (const QCommandLineOption &option : command.options)
                QVERIFY(text.contains(QStringLiteral("--") + option.names().last()));
        }
    }

    // drover --help and the page drover(1).
    void theProgramExplainsItself()
    {
        const QString help = helpText();
        const QString page = QString::fromUtf8(manualPage(QStringLiteral("drover"))).remove(u'\\');
        for (const char *const example : wholeProgram().examples) {
            QCOMPARE(errorOf(example), QByteArray());
            QVERIFY(help.contains(QStringLiteral("\n  %1\n").arg(QLatin1String(example))));
            QVERIFY(page.contains(QStringLiteral("\n%1\n").arg(QLatin1String(example))));
        }
        QFile codes(QStringLiteral(DROVER_SOURCE_DIR "/app/cli/exit_codes.h"));
        QVERIFY(codes.open(QIODevice::ReadOnly));
        int found = 0;
        const QRegularExpression definition(QStringLiteral("Exit\\w+ = (\\d+),"));
        for (auto all = definition.globalMatch(QString::fromUtf8(codes.readAll())); all.hasNext(); ++found) {
            const QString code = all.next().captured(1).replace(QStringLiteral("128"), QStringLiteral("N"));
            QVERIFY2(help.contains(QStringLiteral("\n  %1 ").arg(code)), qPrintable(code));
            QVERIFY2(page.contains(QStringLiteral("\n.TP\nfB%1fR\n").arg(code)), qPrintable(code));
        }
        QVERIFY(found > 10 && wholeProgram().examples.size() == 3);
    }

    // An example that is refused misleads. What a shell redirects stands last in it.
    void everyCommandHasExamplesThatParse()
    {
        for (const QList<CommandGroup> &groups : {benchCommands(), droverCommands()}) {
            setCommandGroups(groups);
            for (const CommandGroup &group : commandGroups()) {
                for (const Command &command : group.title ? group.commands : QList<Command>()) {
                    QVERIFY2(!command.examples.isEmpty() && command.examples.size() <= 3, command.name);
                    for (const char *const example : command.examples) {
                        const QString typed = QString::fromUtf8(example).section(QStringLiteral(" < "), 0, 0);
                        const CommandLine line = CommandLine::parse(QProcess::splitCommand(typed));
                        QVERIFY2(line.kind == CommandLine::Kind::Command, example);
                        QCOMPARE(line.command->name, command.name);
                        if (takesAJob(command))
                            requireValidOptions(*line.arguments);
                        QVERIFY(helpText(command).contains(QStringLiteral("\nExamples:\n  drover ")));
                    }
                }
            }
        }
    }

    void everyCommandSaysWhichRoleItNeeds()
    {
        const auto roleOf = [](const char *name) {
            const QString text = helpText(*findCommand(QString::fromLatin1(name)));
            return text.section(QStringLiteral("Role in a closed cluster: "), 1).section(u'\n', 0, 0);
        };
        for (const Command &command : commands())
            QVERIFY2(!roleOf(command.name).isEmpty(), command.name);
        QCOMPARE(roleOf("ls"), QStringLiteral("viewer"));
        QCOMPARE(roleOf("counter"), QStringLiteral("submit; viewer for get"));
        QCOMPARE(roleOf("group"), QStringLiteral("viewer; submit for join"));
        QCOMPARE(roleOf("move"), QStringLiteral("operate and submit; viewer with --dry-run"));
        QCOMPARE(roleOf("submit"), QStringLiteral("submit; none with --dry-run"));
        QCOMPARE(roleOf("whoami"), QStringLiteral("none"));
    }

    void aRoleIncludesOthers()
    {
        using trust::Role;
        QVERIFY(Need{Role::Viewer}.isMetBy({Role::Worker}));
        QVERIFY(Need{Role::Submit}.isMetBy({Role::Operate}));
        QVERIFY(!Need{Role::Submit}.isMetBy({Role::Viewer}));
        QVERIFY(!Need{Role::Operate}.isMetBy({Role::Worker})); // a machine is no operator
        QVERIFY(!Need{Role::Worker}.isMetBy({Role::Operate}));
        QVERIFY(!Need{Role::Admin}.isMetBy({Role::Operate, Role::Worker}));
        QVERIFY(Need().isMetBy({}));
        const Need signs{Role::Operate, {}, Need::Signs};
        QVERIFY(!signs.isMetBy({Role::Admin}));
        QVERIFY(!signs.isMetBy({Role::Submit}));
        QVERIFY(signs.isMetBy({Role::Operate, Role::Submit}));
        const CommandLine get = parse("drover counter c get");
        QCOMPARE(needOf(get.command->needs, *get.arguments)->role, std::optional(Role::Viewer));
        const CommandLine add = parse("drover counter c add 1");
        QCOMPARE(needOf(add.command->needs, *add.arguments)->role, std::optional(Role::Submit));
    }

    void exitCodesAreExplained()
    {
        const QString text = helpText(*findCommand(QStringLiteral("config set")));
        QVERIFY2(text.contains(u"\nExit codes:\n  0    success\n"), qPrintable(text));
        QVERIFY2(text.contains(u"\n  4    it has changed"), qPrintable(text));
        QVERIFY2(text.indexOf(u"\n  4 ") < text.indexOf(u"\n  6 "), qPrintable(text));
        QVERIFY(helpText(*findCommand(QStringLiteral("doctor"))).contains(u"\n  1    there is a problem\n"));
        const QList<int> known{
            ExitOk,          ExitError,  ExitUsage,   ExitNotFound, ExitWrongState,           ExitDenied,
            ExitUnreachable, ExitNoRoom, ExitTimeout, ExitNoCode,   ExitCommandNotExecutable, ExitCommandNotFound};
        for (const Command &command : commands()) {
            for (const Command::ExitMeaning &exit : command.exits)
                QVERIFY2(qstrcmp(exit.code, "N") == 0 || known.contains(QByteArray(exit.code).toInt()), command.name);
        }
    }

    // The shell of the one who pastes an example replaces a variable between double quotes, before the job has it.
    void examplesLeaveVariablesToTheJob()
    {
        static const QRegularExpression replaced(QStringLiteral("^[^']*\"[^\"']*\\$"));
        for (const Command &command : commands()) {
            for (const char *const example : command.examples)
                QVERIFY2(!replaced.match(QString::fromUtf8(example)).hasMatch(), example);
        }
    }

    void helpFitsIntoEightyColumns()
    {
        for (const QList<CommandGroup> &groups : {benchCommands(), droverCommands()}) {
            setCommandGroups(groups);
            QStringList texts{helpText(), groupHelpText(QStringLiteral("cron")),
                              groupHelpText(QStringLiteral("bench"))};
            for (const Command &command : commands())
                texts.append(helpText(command));
            for (const QString &text : texts) {
                for (const QString &line : text.split(u'\n'))
                    QVERIFY2(line.size() <= 80, qPrintable(line));
            }
        }
    }

    // TIME is a point in time and DURATION a length of it, in every usage.
    void aDurationIsCalledOne()
    {
        const QStringList points{QStringLiteral("since"), QStringLiteral("until"), QStringLiteral("start-at")};
        for (const QList<CommandGroup> &groups : {benchCommands(), droverCommands()}) {
            setCommandGroups(groups);
            for (const Command &command : commands()) {
                for (const QCommandLineOption &one : command.options)
                    QVERIFY((one.valueName() == u"TIME") == points.contains(one.names().last()));
            }
        }
    }

    void aMisspeltOptionIsSuggested()
    {
        QVERIFY(errorOf("drover submit --prioritty 3 -- true")
                    .contains("unknown option --prioritty; did you mean --priority?"));
        QVERIFY(errorOf("drover submit --prioritty=3 -- true").contains("did you mean --priority?"));
        QVERIFY(errorOf("drover --clustr c ls").contains("unknown option --clustr; did you mean --cluster?"));
        QVERIFY(errorOf("drover ls --rosw 3").contains("did you mean --rows?"));
        const QByteArray strange = errorOf("drover ls --zzzzzzzz");
        QVERIFY2(strange.contains("unknown option --zzzzzzzz.") && !strange.contains("did you mean"), strange);
        QVERIFY(errorOf("drover ls -z").contains("unknown option -z."));
    }

    void resubmitNamesNoDefaults()
    {
        for (const QCommandLineOption &option : findCommand(QStringLiteral("resubmit"))->options)
            QVERIFY2(!option.description().contains(u"default: "), qPrintable(option.description()));
        QVERIFY(helpText(*findCommand(QStringLiteral("submit"))).contains(u"(default: 5)"));
    }

    void theHelpSaysWhichOptionsMayBeRepeated()
    {
        for (const JobField &field : jobFields()) {
            using enum JobField::Type;
            const bool isMany = field.type == List || field.type == Codes || field.type == Variables;
            QVERIFY2(QByteArray(field.description).contains("may be repeated") == isMany, field.name);
        }
        QCOMPARE(errorOf("drover submit --array 1-1 --array 2-3 true"),
                 QByteArray("drover submit: --array is given 2 times, and takes one value"));
        QCOMPARE(errorOf("drover --cluster a submit --cluster b --tag a --tag b --hold --hold true"), QByteArray());
        QCOMPARE(errorOf("drover worker --grace 30s --grace 60s"), QByteArray()); // DROVER_WORKER_OPTIONS
    }

    void theReadmeNamesEveryCommandAndExitCode()
    {
        QFile file(QStringLiteral(DROVER_SOURCE_DIR "/app/README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        const QString readme = QString::fromUtf8(file.readAll());
        for (const Command &command : commands()) {
            const QRegularExpression called(QStringLiteral("drover %1\\b(?!-)").arg(QLatin1String(command.name)));
            QVERIFY2(readme.contains(called), command.name);
        }
        for (const int code : {ExitOk, ExitError, ExitUsage, ExitNotFound, ExitWrongState, ExitDenied, ExitUnreachable,
                               ExitNoRoom, ExitTimeout, ExitNoCode, ExitCommandNotExecutable, ExitCommandNotFound})
            QVERIFY2(readme.contains(QStringLiteral("| %1 | ").arg(code)), qPrintable(QString::number(code)));
    }

    // If ZooKeeper is lost before the answer, the message names the command that shows the outcome. The commands that
    // may simply be run again are listed here.
    void aChangingCommandNamesTheOneThatShowsTheResult()
    {
        const QString again = QStringLiteral("ls,show,why,logs,wait,events,history,history export,cron ls,cron "
                                             "show,up,down,worker,config check,launch start,launch status,launch "
                                             "stop,launch restart,launch upgrade,worker ls,worker show,"
                                             "queue ls,limit ls,cluster status,cluster check,cluster prepare,master "
                                             "show,top,doctor,tree,completion,complete,config "
                                             "get,config watch,files ls,files show,"
                                             "files verify,lock,semaphore,elect,barrier wait,group join,group ls,group "
                                             "watch,counter get,queue peek,queue "
                                             "ls,demo,demo-count,manual,user ls,whoami,login");
        const QStringList harmless = again.split(u',');
        for (const Command &command : commands()) {
            const QString name = QLatin1String(command.name);
            if (command.verbs.isEmpty() && !command.check)
                QVERIFY2(harmless.contains(name) || name.startsWith(u"lab ") || name.startsWith(u"bench "),
                         command.name);
            for (const Verb &verb : command.verbs)
                QVERIFY2(verb.check || harmless.contains(name + u' ' + verb.name), qPrintable(name + verb.name));
        }
    }

    void theSuggestedCheckNamesWhatWasTyped()
    {
        const auto check = [](const char *words) {
            const CommandLine line = parse(words);
            return checkOf(*line.command, *line.arguments);
        };
        QCOMPARE(check("drover counter hits add 1"), QStringLiteral("drover counter hits get"));
        QCOMPARE(check("drover counter hits get"), QString());
        QCOMPARE(check("drover queue --path /items put a"), QStringLiteral("drover tree /items"));
        QCOMPARE(check("drover ls"), QString());
    }

    void unknownCommandsGetTheNearest()
    {
        QVERIFY(errorOf("drover sbmit -- true").contains("did you mean submit?"));
        QVERIFY(errorOf("drover master").contains("needs one more word: show"));
        QVERIFY(errorOf("drover workr ls").contains("worker ls"));
        QVERIFY(errorOf("drover frobnicate").contains("drover help"));
        QVERIFY(errorOf("drover help frobnicate").contains("drover help"));
    }

    void wrongArguments()
    {
        QVERIFY(errorOf("drover show").contains("too few arguments; usage: drover show"));
        QVERIFY(errorOf("drover show a b").contains("too many arguments"));
        QVERIFY(errorOf("drover ls --no-such").contains("no-such"));
        QVERIFY(errorOf("drover --no-such ls").contains("no-such"));
        QVERIFY(errorOf("drover priority").contains("too few"));
        QVERIFY(errorOf("drover ls --rows").contains("rows"));
    }
};

QTEST_GUILESS_MAIN(CommandLineTest)
#include "command_line_test.moc"
