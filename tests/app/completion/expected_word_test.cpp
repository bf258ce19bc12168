#include "app/commands/commands.h"
#include "app/completion/expected_word.h"

#include <QTest>

using namespace drover::app;

// What may stand at the end of a line, without a cluster.
class ExpectedWordTest : public QObject
{
    Q_OBJECT

    static ExpectedWord after(const char *line) { return expectedWord(QString::fromUtf8(line).split(u' ')); }

    static QStringList wordsAfter(const char *line)
    {
        QStringList words;
        for (const Candidate &candidate : after(line).words)
            words.append(candidate.word);
        return words;
    }

    static QList<CompletionKind> kindsAfter(const char *line) { return after(line).kinds; }

private Q_SLOTS:
    void initTestCase() { setCommandGroups(droverCommands()); }

    void everyCommandIsOffered()
    {
        const QStringList firsts = wordsAfter("");
        for (const CommandGroup &group : commandGroups()) {
            for (const Command &command : group.commands) {
                const QString first = QString::fromLatin1(command.name).section(u' ', 0, 0);
                QCOMPARE(firsts.count(first), group.title ? 1 : 0);
            }
        }
        QVERIFY(firsts.contains(QStringLiteral("help")));
        QCOMPARE(wordsAfter("cron "),
                 (QStringList{QStringLiteral("add"), QStringLiteral("ls"), QStringLiteral("show"), QStringLiteral("rm"),
                              QStringLiteral("pause"), QStringLiteral("resume"), QStringLiteral("run")}));
        QCOMPARE(wordsAfter("help cron "), wordsAfter("cron "));
        QCOMPARE(wordsAfter("help "), firsts.mid(0, firsts.size() - 1));
        QCOMPARE(wordsAfter("--cluster c cron "), wordsAfter("cron "));
    }

    void everyOptionIsOffered()
    {
        for (const Command &command : commands()) {
            const QByteArray line = QByteArray(command.name) + " --";
            const QStringList offered = wordsAfter(line);
            for (const QCommandLineOption &option : command.options)
                QVERIFY2(offered.contains(QStringLiteral("--") + option.names().last()), line);
            QVERIFY2(offered.contains(QStringLiteral("--cluster")), line);
        }
        QVERIFY(wordsAfter("--").contains(QStringLiteral("--cluster")));
        QVERIFY(!wordsAfter("--").contains(QStringLiteral("--queue")));
    }

    void optionsAreForTheirVerbs()
    {
        QVERIFY(wordsAfter("barrier b wait --").contains(QStringLiteral("--timeout")));
        QVERIFY(!wordsAfter("barrier b open --").contains(QStringLiteral("--timeout")));
        QVERIFY(wordsAfter("barrier b open --").contains(QStringLiteral("--path")));
        QCOMPARE(wordsAfter("barrier b "),
                 (QStringList{QStringLiteral("wait"), QStringLiteral("open"), QStringLiteral("close")}));
        QCOMPARE(kindsAfter("barrier "), QList{CompletionKind::Barrier});
    }

    void valuesOfOptions()
    {
        QCOMPARE(wordsAfter("-o "),
                 (QStringList{QStringLiteral("table"), QStringLiteral("json"), QStringLiteral("jsonl")}));
        QCOMPARE(wordsAfter("ls --output "), wordsAfter("-o "));
        QCOMPARE(kindsAfter("submit --queue "), QList{CompletionKind::Queue});
        QCOMPARE(kindsAfter("submit --queue=de"), QList{CompletionKind::Queue});
        QCOMPARE(after("submit --queue=de").fixed, QStringLiteral("--queue="));
        QCOMPARE(after("submit --queue=de").begun, QStringLiteral("de"));
        QCOMPARE(after("submit --after-ok default-3,default-4").fixed, QStringLiteral("default-3,"));
        QCOMPARE(after("submit --after-ok=default-3,default-4").fixed, QStringLiteral("--after-ok=default-3,"));
        QCOMPARE(kindsAfter("submit --file "), QList{CompletionKind::File});
        QCOMPARE(kindsAfter("submit --dir "), QList{CompletionKind::Directory});
        QCOMPARE(kindsAfter("submit --name "), QList{CompletionKind::None});
        QCOMPARE(kindsAfter("cancel --name "), QList{CompletionKind::JobName});
        QCOMPARE(kindsAfter("cancel --tag "), QList{CompletionKind::Tag});
        QVERIFY(wordsAfter("history --outcome ").contains(QStringLiteral("timed-out")));
        QVERIFY(wordsAfter("history --summary ").contains(QStringLiteral("worker")));
        QVERIFY(wordsAfter("history --sort ").contains(QStringLiteral("submitter")));
    }

    void argumentsAreWhatTheVerbCanBeDoneTo()
    {
        QCOMPARE(kindsAfter("signal "), QList{CompletionKind::Signal});
        QCOMPARE(kindsAfter("signal TERM "), QList{CompletionKind::RunningJob});
        QCOMPARE(kindsAfter("signal TERM default-3 "), QList{CompletionKind::RunningJob});
        QCOMPARE(kindsAfter("release "), QList{CompletionKind::HeldJob});
        QCOMPARE(kindsAfter("cancel --queue q "), QList{CompletionKind::UnfinishedJob});
        QCOMPARE(kindsAfter("show "), QList{CompletionKind::AnyJob});
        QVERIFY(kindsAfter("show default-3 ").isEmpty()); // it takes one
        QCOMPARE(kindsAfter("queue pause "), QList{CompletionKind::Queue});
        QCOMPARE(kindsAfter("queue "), QList{CompletionKind::Items});
        QVERIFY(kindsAfter("no-such-command ").isEmpty());
        QCOMPARE(kindsAfter("counter tickets add -5 -"), QList<CompletionKind>());
    }

    // From there on the shell knows better.
    void aProgramIsTheShells()
    {
        QCOMPARE(after("submit --name n -- l").program, 4);
        QCOMPARE(after("submit l").program, 1);
        QCOMPARE(after("submit ls -l --wa").program, 1);
        QCOMPARE(after("submit --wa").program, -1);
        QCOMPARE(after("lock ").program, -1);
        QCOMPARE(after("lock db -- ls -").program, 3);
        QCOMPARE(after("lock -- db ls -").program, 3);
        QCOMPARE(after("group web join -- ").program, 4);
        QCOMPARE(after("cron add nightly @daily -- ba").program, 5);
        QCOMPARE(after("cron add nightly @daily --").program, -1);
    }

    // Who adds a command or an option says what its words are; then the shell knows, too.
    void everyPlaceholderIsUnderstood()
    {
        const QStringList free{QStringLiteral("SERVERS"),     QStringLiteral("DURATION"),
                               QStringLiteral("N"),           QStringLiteral("K"),
                               QStringLiteral("S"),           QStringLiteral("NAME"),
                               QStringLiteral("ID"),          QStringLiteral("USER"),
                               QStringLiteral("KEY"),         QStringLiteral("NAME[=VALUE]"),
                               QStringLiteral("SIZE"),        QStringLiteral("CODES"),
                               QStringLiteral("NAME=VALUE"),  QStringLiteral("ADDRESS[:PORT]"),
                               QStringLiteral("HOST[:PORT]"), QStringLiteral("TIME"),
                               QStringLiteral("RANGE"),       QStringLiteral("PATTERN"),
                               QStringLiteral("TEXT"),        QStringLiteral("WORDS"),
                               QStringLiteral("VERSION"),     QStringLiteral("COMMAND"),
                               QStringLiteral("LIBRARIES"),   QStringLiteral("PORT"),
                               QStringLiteral("LABEL,..."),   QStringLiteral("BYTES"),
                               QStringLiteral("PERCENT"),     QStringLiteral("NxSLOTS,..."),
                               QStringLiteral("MASK"),        QStringLiteral("ROLE"),
                               QStringLiteral("SERIAL"),      QStringLiteral("NAME=REFERENCE"),
                               QStringLiteral("KEY=VALUE")};
        for (const Command &command : commands()) {
            for (const QCommandLineOption &option : command.options) {
                const QString placeholder = option.valueName();
                const bool known = placeholder.isEmpty() || placeholder.contains(u'|') || free.contains(placeholder)
                    || kindOfPlaceholder(placeholder) != CompletionKind::None;
                QVERIFY2(known,
                         qPrintable(QStringLiteral("%1 --%2 %3")
                                        .arg(QLatin1String(command.name), option.names().last(), placeholder)));
            }
            const bool hasWords = command.argumentCount.most > 0
                && QLatin1String(command.synopsis) != QLatin1String("FILE NAME REPORT")
                && QLatin1String(command.synopsis) != QLatin1String("-- WORD...");
            QVERIFY2(command.takes.isEmpty() != hasWords, command.name);
        }
    }
};

QTEST_GUILESS_MAIN(ExpectedWordTest)
#include "expected_word_test.moc"
