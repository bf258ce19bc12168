#pragma once

#include "app/support/command_samples.h"
#include "app/support/drover_program.h"
#include "support/zk_server.h"
#include "trust/credentials.h"

#include <map>

namespace drover::test {

// A closed cluster with two workers, in which the lines of samples() work. Ends the test program if it does not begin.
class SampleCluster
{
public:
    ~SampleCluster();

    void start(); // once, before anything else

    QString connectString() const { return m_server.connectString(); }
    const DroverProgram &administrator() const { return m_administrator; } // has all roles
    // What the administrator's command prints; a warning if it fails.
    QString administer(const QString &line) const;
    QString administer(const char *line) const { return administer(QString::fromUtf8(line)); }
    // The sample with what its placeholders stand for. What it may change is made for it, if it `isUsedUp`.
    QStringList filled(const Sample &sample, bool isUsedUp);

    // Gives these credentials to the program. Ends the test program if that fails.
    static void logIn(const DroverProgram &program, const trust::Credentials &credentials);

private:
    void startWorker(const char *id, const char *options);
    void makeShared();
    QString runningJob() const;
    QString make(const QByteArray &placeholder);

    TestServer m_server;
    DroverProgram m_administrator;
    DroverProgram m_machine; // the workers'
    DroverProgram m_reader; // a viewer
    std::vector<std::unique_ptr<QProcess>> m_workers;
    std::map<QByteArray, QString> m_shared; // ids that nothing uses up
    int m_number = 10;
};

} // namespace drover::test
