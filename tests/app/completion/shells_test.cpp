#include "app/support/drover_on_server.h"
#include "app/support/on_terminal.h"
#include "jobs/model/worker_info.h"

#include <QDir>
#include <QFile>
#include <QJsonDocument>
#include <QJsonObject>
#include <QStandardPaths>
#include <QTest>

using namespace drover;
using namespace drover::test;

namespace {

struct Shell {
    const char *name;
    const char *settings; // the file that it reads first, below the directory of the test
    const char *content;
    QByteArrayList options;
};

// The prompt says that the settings were read, so that the completion is loaded.
const Shell Shells[] = {
    {"bash", "bashrc", "eval \"$(drover completion bash)\"\nPS1='rea''dy> '\n", {"--noprofile", "--rcfile", "bashrc"}},
    {"zsh",
     ".zshrc",
     "autoload -Uz compinit\ncompinit -u -D\nsource <(drover completion zsh)\nPS1='rea''dy> '\n",
     {"-o", "NO_GLOBAL_RCS"}},
    {"fish",
     "xdg_config_home/fish/config.fish",
     "drover completion fish | source\nfunction fish_prompt\n    printf 'rea''dy> '\nend\n",
     {}},
};

} // namespace

// The key Tab in a real interactive shell, where texts in the cluster try to run a command.
class ShellsTest : public QObject
{
    Q_OBJECT

    DroverOnServer m_cluster;

    QString inDirectory(const QString &name) const { return m_cluster.drover.directory() + u'/' + name; }

    void write(const QString &name, const QByteArray &content) const
    {
        QFile file(inDirectory(name));
        QVERIFY(QDir().mkpath(QFileInfo(file).path()));
        QVERIFY(file.open(QFile::WriteOnly | QFile::Truncate));
        file.write(content);
    }

    // Names that run `touch` in the arithmetic of bash, in that of zsh, and as command substitution of fish.
    static QByteArrayList hostileNames()
    {
        const QByteArray touch = "touch ~/touched"; // a tag has 64 characters at most
        return {":program a[$(" + touch + ")]", ":program psvar[$(" + touch + ")]", ":program (" + touch + ")"};
    }

    void nothingRunsAtTab(const Shell &shell, const QString &firstInPath, const QByteArray &typed) const
    {
        const QString program = QStandardPaths::findExecutable(QString::fromLatin1(shell.name));
        if (program.isEmpty())
            QSKIP("this shell is not installed");
        write(QString::fromLatin1(shell.settings), shell.content);
        QProcessEnvironment environment = m_cluster.drover.environment();
        environment.insert(QStringLiteral("HOME"), m_cluster.drover.directory());
        environment.insert(QStringLiteral("ZDOTDIR"), m_cluster.drover.directory());
        environment.insert(QStringLiteral("TERM"), QStringLiteral("xterm"));
        environment.insert(QStringLiteral("PATH"), firstInPath + u':' + environment.value(QStringLiteral("PATH")));
        QByteArrayList command{program.toLocal8Bit()};
        for (const QByteArray &option : shell.options)
            command.append(option == "bashrc" ? inDirectory(QStringLiteral("bashrc")).toLocal8Bit() : option);
        command.append("-i");

        const QString touched = inDirectory(QStringLiteral("touched"));
        QFile::remove(touched);
        const auto isTouched = [&touched] { return QFile::exists(touched); };
        OnTerminal terminal(command, environment.toStringList());
        QVERIFY2(terminal.shows("ready> ", isTouched), terminal.seen);
        QVERIFY(terminal.type(typed + '\t'));
        const bool completed = terminal.shows("plain-name", isTouched);
        QVERIFY2(!isTouched(), terminal.seen);
        QVERIFY2(completed, terminal.seen);
    }

    // In every shell, before each kind of word that comes from the cluster and may be any text.
    static void everyWord()
    {
        QTest::addColumn<int>("shell");
        QTest::addColumn<QByteArray>("typed");
        for (int i = 0; i < int(std::size(Shells)); ++i) {
            for (const char *const typed :
                 {"drover ls --name ", "drover ls --tag ", "drover submit --label ", "drover files show "})
                QTest::addRow("%s: %s", Shells[i].name, typed) << i << QByteArray(typed);
        }
    }

    void submit(const QString &name, const QString &tag) const
    {
        const Finished submitted =
            m_cluster.drover.run(words("submit --hold --name") << name << QStringLiteral("--tag") << tag
                                                               << QStringLiteral("--") << QStringLiteral("true"));
        QVERIFY2(submitted.exitCode == 0, submitted.err);
    }

    // Only a forged record holds such texts.
    void forge(const QStringList &texts)
    {
        jobs::WorkerInfo info;
        info.id = QStringLiteral("forged");
        info.slotCount = 1;
        info.labels = texts;
        m_cluster.write(m_cluster.layout.members() / "forged", info.encode());
        for (qsizetype i = 0; i < texts.size(); ++i) {
            const QJsonObject ledger{{QStringLiteral("v"), 1},
                                     {QStringLiteral("path"), texts[i]},
                                     {QStringLiteral("id"), QStringLiteral("i")}};
            const zk::Path node = m_cluster.layout.file(QStringLiteral("/%1").arg(i));
            m_cluster.write(node, {});
            m_cluster.write(node / "meta", QJsonDocument(ledger).toJson());
        }
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        QStringList texts;
        for (const QByteArray &name : hostileNames())
            texts.append(QString::fromUtf8(name));
        for (const QString &text : texts)
            submit(text, text);
        submit(QStringLiteral("plain-name"), QStringLiteral("plain-name"));
        texts.append(QStringLiteral("plain-name"));
        m_cluster.write(m_cluster.layout.files(), {});
        forge(texts);
    }

    void cleanupTestCase()
    {
        // The records are read as they were meant: the labels and paths are among what is known.
        const Finished files = m_cluster.drover.run(words("files ls"));
        QVERIFY2(files.out.contains(":program a["), files.out + files.err);
        const Finished workers = m_cluster.drover.run(words("worker ls"));
        QVERIFY2(workers.out.contains(":program a["), workers.out + workers.err);
    }

    void aNameFromTheClusterIsNoDirective_data() { everyWord(); }
    void aNameFromTheClusterIsNoDirective()
    {
        QFETCH(int, shell);
        QFETCH(QByteArray, typed);
        nothingRunsAtTab(Shells[shell], qEnvironmentVariable("DROVER_BIN_DIR"), typed);
    }

    // The scripts do not rely on the program: an older one may be first in $PATH.
    void theScriptRunsNothing_data()
    {
        QTest::addColumn<int>("shell");
        for (int i = 0; i < int(std::size(Shells)); ++i)
            QTest::newRow(Shells[i].name) << i;
    }
    void theScriptRunsNothing()
    {
        QFETCH(int, shell);
        QByteArray lines = "plain-name\n";
        for (const QByteArray &name : hostileNames())
            lines += name + '\n';
        write(QStringLiteral("lines"), lines);
        write(QStringLiteral("older/drover"),
              "#!/bin/sh\n[ \"$1\" = complete ] && exec cat '" + inDirectory(QStringLiteral("lines")).toUtf8()
                  + "'\nexec '" + qgetenv("DROVER_BIN_DIR") + "/drover' \"$@\"\n");
        QFile::setPermissions(inDirectory(QStringLiteral("older/drover")),
                              QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        nothingRunsAtTab(Shells[shell], inDirectory(QStringLiteral("older")), "drover ls --name ");
    }
};

QTEST_GUILESS_MAIN(ShellsTest)
#include "shells_test.moc"
