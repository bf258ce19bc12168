#include "app/commands/commands.h"
#include "app/program/help.h"
#include "app/program/see_also.h"

#include <QSet>
#include <QTest>

using namespace drover::app;

class SeeAlsoTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    void initTestCase() { setCommandGroups(droverCommands()); }

    // Each command names what its reader needs next, and each of these once; a name that is no command would be
    // missing.
    void everyCommandNamesOthers()
    {
        const auto others = [](const char *name) {
            QStringList names;
            for (const Command *const other : seeAlso(*findCommand(QString::fromLatin1(name))))
                names.append(QString::fromLatin1(other->name));
            return names;
        };
        for (const CommandGroup &group : commandGroups()) {
            for (const Command &command : group.title ? group.commands : QList<Command>()) {
                const QStringList names = others(command.name);
                QVERIFY2(!names.isEmpty() && !names.contains(QLatin1String(command.name)), command.name);
                QCOMPARE(QSet<QString>(names.begin(), names.end()).size(), names.size());
                // In "See also", or at the top with the other commands of its word.
                const QString help = helpText(command);
                for (const QString &name : names)
                    QVERIFY2(help.contains(QStringLiteral("\n  %1 ").arg(name)), command.name);
            }
        }
        QCOMPARE(others("submit"), QStringLiteral("run wait logs show why").split(u' '));
        QCOMPARE(others("cron run").mid(0, 3), QStringLiteral("wait,logs,cron add").split(u','));
        QCOMPARE(others("config check").mid(0, 2), QStringLiteral("worker,launch").split(u','));
    }

    void everyNeighbourIsACommand()
    {
        for (const auto &[name, others] : neighbours()) {
            const QStringList names = QString(QLatin1String(others)).split(QStringLiteral(", "));
            QVERIFY2(findCommand(QLatin1String(name)), name);
            for (const QString &each : names)
                QVERIFY2(findCommand(each), qPrintable(each));
        }
    }

    void whatAReaderAsksOfATableOrATimeIsExplained_data()
    {
        QTest::addColumn<QString>("command");
        QTest::addColumn<QString>("sentence");
        const auto add = [](const char *command, const char *sentence) {
            QTest::newRow(sentence) << QString::fromLatin1(command) << QString::fromLatin1(sentence);
        };
        add("ls", "PRIO is the priority");
        add("ls", "FOR is how long");
        add("history", "RAN how long its last attempt took");
        add("top", "TRY is the number of the attempt");
        add("queue ls", "AGE is the time since");
        add("submit", "not before this local time");
        add("cron add", "local time");
    }
    void whatAReaderAsksOfATableOrATimeIsExplained()
    {
        QFETCH(QString, command);
        QFETCH(QString, sentence);
        const QString help = helpText(*findCommand(command)).simplified(); // lines are broken anywhere
        QVERIFY2(help.contains(sentence), qPrintable(help));
    }
};

QTEST_GUILESS_MAIN(SeeAlsoTest)
#include "see_also_test.moc"
