#include "app/support/drover_program.h"

#include <QFile>
#include <QRegularExpression>
#include <QTest>

using namespace drover::test;

// The commands of the README, pasted in their order into one shell on a machine with nothing but Drover.
class ReadmeTest : public QObject
{
    Q_OBJECT

    DroverProgram m_drover;

    // The lines that begin with a prompt, without it.
    static QStringList commandsOf(const QString &readme)
    {
        QStringList commands;
        for (const QString &line : readme.split(u'\n')) {
            if (line.startsWith(u"$ "))
                commands.append(line.mid(2));
        }
        return commands;
    }

    // As a line of a script that ends with the first command that does not do what its comment says.
    static QString checked(const QString &command)
    {
        static const QRegularExpression comment(QStringLiteral(" {2,}# .*$"));
        static const QRegularExpression exitCode(QStringLiteral("exit code (\\d+)"));
        const QString said = comment.match(command).captured();
        QString bare = QString(command).remove(comment);
        QString expected = QStringLiteral("0");
        if (said.contains(u"Ctrl-C ends it")) {
            bare.prepend(QStringLiteral("timeout --preserve-status --signal INT 3 "));
            expected = QStringLiteral("130");
        } else if (exitCode.match(said).hasMatch()) {
            expected = exitCode.match(said).captured(1);
        }
        return QStringLiteral("%1\ncode=$?; test $code = %2 || { echo \"exit code $code of: \"%3 >&2; exit 1; }\n")
            .arg(bare, expected, QStringLiteral("'") + QString(bare).replace(u"'"_qs, u"'\\''"_qs) + u'\'');
    }

private Q_SLOTS:
    void initTestCase()
    {
        const Finished up = m_drover.run(words("up --detach --workers 3"), 120'000);
        QVERIFY2(up.exitCode == 0, up.err);
    }

    void everyCommandWorks()
    {
        QFile file(QStringLiteral(DROVER_SOURCE_DIR "/README.md"));
        QVERIFY(file.open(QIODevice::ReadOnly));
        QStringList commands = commandsOf(QString::fromUtf8(file.readAll()));
        QVERIFY(commands.first().startsWith(u"drover up ")); // it stays in its terminal
        commands.removeFirst();
        QCOMPARE(commands.removeIf([](const QString &command) { return command.startsWith(u"drover-console "); }), 1);
        QVERIFY(commands.size() > 35);
        QString script;
        for (const QString &command : commands)
            script += checked(command);
        QProcess bash;
        bash.setProcessEnvironment(m_drover.environment());
        bash.setWorkingDirectory(m_drover.directory());
        bash.start(QStringLiteral("bash"),
                   {QStringLiteral("-c"), QStringLiteral("PATH=$DROVER_BIN_DIR:$PATH\n") + script});
        bash.closeWriteChannel();
        const Finished finished = DroverProgram::finish(bash, 240'000);
        QVERIFY2(finished.exitCode == 0, finished.err);
        QVERIFY2(finished.out.startsWith("hello\ndefault-1\n"), finished.out);
        for (const char *const text : {"reading\n", "mine\n", "leading\n", "http://10.0.0.7"})
            QVERIFY2(finished.out.contains(text), text);
    }
};

QTEST_GUILESS_MAIN(ReadmeTest)
#include "readme_test.moc"
