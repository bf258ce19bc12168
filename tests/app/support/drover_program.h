#pragma once

#include <QJsonObject>
#include <QProcess>
#include <QTemporaryDir>

#include <chrono>

namespace drover::test {

struct Finished {
    int exitCode = -1; // 128 + signal if it was killed
    QByteArray out;
    QByteArray err;

    // One line on stderr that begins with "drover: ".
    bool complainsOnce() const { return err.startsWith("drover: ") && err.count('\n') == 1; }
};

// A command line without quotes.
inline QStringList words(const QString &text)
{
    return text.split(u' ');
}
inline QStringList words(const char *text)
{
    return words(QString::fromUtf8(text));
}

// What `-o json` has printed.
QJsonObject json(const Finished &finished);

// The real `drover`, run with XDG directories of its own, so that tests meet neither each other nor the user.
class DroverProgram
{
public:
    DroverProgram();
    // Ends whatever `drover up` this object started. Ends the test program with an error if a process is left that was
    // started in directory() or with environment(): such a process is killed after a moment of patience, half a minute
    // unless setPatience() says otherwise. A test that is killed leaves no cluster either.
    ~DroverProgram();
    void setPatience(std::chrono::milliseconds patience) { m_patience = patience; }

    QProcessEnvironment environment() const { return m_environment; }
    void setVariable(const char *name, const QString &value) { m_environment.insert(QLatin1String(name), value); }
    QString directory() const { return m_directory.path(); }

    // Runs it to its end. Here and by start(), a worker without --policy has none, and may run jobs as root.
    Finished run(const QStringList &arguments, int limitMs = 60'000) const;
    // Runs a shell that finds it, in directory().
    Finished shell(const QByteArray &script) const;
    // Starts it, its streams open.
    std::unique_ptr<QProcess> start(const QStringList &arguments) const;
    static Finished finish(QProcess &process, int limitMs = 60'000);

private:
    void guardCluster() const;

    QTemporaryDir m_directory;
    QProcessEnvironment m_environment;
    std::chrono::milliseconds m_patience = std::chrono::seconds(90); // what a killed worker leaves ends within it
    mutable int m_alive = -1; // the lock that the guard of a detached cluster waits for
    mutable qint64 m_guardPid = 0; // 0: there is none
};

// Adds up what a process writes to its standard output until `text` is among it.
bool waitForOutput(QProcess &process, const QByteArray &text, QByteArray &seen, int limitMs = 60'000);
bool waitForMessage(QProcess &process, const QByteArray &text, QByteArray &seen, int limitMs = 60'000);

// Whether the process has a handler for the signal.
bool catches(qint64 pid, int signal);

} // namespace drover::test
