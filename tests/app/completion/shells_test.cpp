#include "app/support/drover_on_server.h"

#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QStandardPaths>
#include <QTest>

#include <csignal>

#include <poll.h>
#include <pty.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace drover;
using namespace drover::test;

namespace {

// An interactive program on a pseudo-terminal of its own, killed in the end.
class OnTerminal
{
public:
    OnTerminal(const QByteArrayList &command, const QStringList &environment)
    {
        std::vector<QByteArray> texts;
        for (const QString &variable : environment)
            texts.push_back(variable.toLocal8Bit());
        std::vector<char *> variables;
        for (QByteArray &text : texts)
            variables.push_back(text.data());
        variables.push_back(nullptr);
        QByteArrayList words = command;
        std::vector<char *> arguments;
        for (QByteArray &word : words)
            arguments.push_back(word.data());
        arguments.push_back(nullptr);
        winsize size{};
        size.ws_row = 40;
        size.ws_col = 150;
        m_child = ::forkpty(&m_terminal, nullptr, nullptr, &size);
        if (m_child == 0) {
            ::execve(arguments[0], arguments.data(), variables.data());
            ::_exit(127);
        }
    }
    ~OnTerminal()
    {
        if (m_child > 0) {
            ::kill(m_child, SIGKILL);
            ::waitpid(m_child, nullptr, 0);
        }
        ::close(m_terminal);
    }
    Q_DISABLE_COPY_MOVE(OnTerminal)

    bool type(const QByteArray &keys) const { return ::write(m_terminal, keys.constData(), size_t(keys.size())) > 0; }

    // Reads until `text` was shown; false once 30 s are over, or `stop` says so.
    template <typename Stop>
    bool shows(const QByteArray &text, const Stop &stop)
    {
        QElapsedTimer waited;
        waited.start();
        while (!seen.contains(text) && waited.elapsed() < 30'000 && !stop()) {
            pollfd readable{m_terminal, POLLIN, 0};
            char buffer[4096];
            if (::poll(&readable, 1, 50) <= 0)
                continue;
            const ssize_t count = ::read(m_terminal, buffer, sizeof buffer);
            if (count <= 0)
                break;
            seen.append(buffer, count);
        }
        return seen.contains(text);
    }

    QByteArray seen;

private:
    pid_t m_child = -1;
    int m_terminal = -1;
};

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

// The key Tab in a real interactive shell, where the names of jobs in the cluster try to run a command.
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
    QByteArrayList hostileNames() const
    {
        const QByteArray touch = "touch " + inDirectory(QStringLiteral("touched")).toUtf8();
        return {":program a[$(" + touch + ")]", ":program psvar[$(" + touch + ")]", ":program (" + touch + ")"};
    }

    void nothingRunsAtTab(const Shell &shell, const QString &firstInPath) const
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
        QVERIFY(terminal.type("drover ls --name \t"));
        const bool completed = terminal.shows("plain-name", isTouched);
        QVERIFY2(!isTouched(), terminal.seen);
        QVERIFY2(completed, terminal.seen);
    }

    static void everyShell()
    {
        QTest::addColumn<int>("shell");
        for (int i = 0; i < int(std::size(Shells)); ++i)
            QTest::newRow(Shells[i].name) << i;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_cluster.start({"default"});
        QByteArrayList names = hostileNames();
        names.append("plain-name");
        for (const QByteArray &name : names) {
            const Finished submitted =
                m_cluster.drover.run({QStringLiteral("submit"), QStringLiteral("--hold"), QStringLiteral("--name"),
                                      QString::fromUtf8(name), QStringLiteral("--"), QStringLiteral("true")});
            QVERIFY2(submitted.exitCode == 0, submitted.err);
        }
    }

    void aNameFromTheClusterIsNoDirective_data() { everyShell(); }
    void aNameFromTheClusterIsNoDirective()
    {
        QFETCH(int, shell);
        nothingRunsAtTab(Shells[shell], qEnvironmentVariable("DROVER_BIN_DIR"));
    }

    // The scripts do not rely on the program: an older one may be first in $PATH.
    void theScriptRunsNothing_data() { everyShell(); }
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
        nothingRunsAtTab(Shells[shell], inDirectory(QStringLiteral("older")));
    }
};

QTEST_GUILESS_MAIN(ShellsTest)
#include "shells_test.moc"
