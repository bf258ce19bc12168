#pragma once

#include "app/support/drover_program.h"
#include "support/zk_server.h"
#include "trust/credentials.h"

#include <QFile>
#include <QTest>

namespace drover::test {

// A closed cluster on a real server, and the machines of an administrator, of two people and of workers. Each has
// directories of its own.
class KeyMachines : public QObject
{
protected:
    TestServer m_server;
    DroverProgram m_admin;
    DroverProgram m_alice;
    DroverProgram m_bob;
    DroverProgram m_workers;

    static QString credentialsOf(const DroverProgram &machine)
    {
        return machine.environment().value(QStringLiteral("XDG_CONFIG_HOME"))
            + QStringLiteral("/drover/credentials/default");
    }
    static trust::Credentials read(const DroverProgram &machine)
    {
        return trust::Credentials::read(credentialsOf(machine));
    }
    static Finished run(const DroverProgram &machine, const QString &line) { return machine.run(words(line)); }
    static QByteArray output(const DroverProgram &machine, const QString &line)
    {
        const Finished finished = run(machine, line);
        return finished.exitCode == 0 ? finished.out.trimmed()
                                      : "exit code " + QByteArray::number(finished.exitCode) + ": " + finished.err;
    }
    void login(const DroverProgram &machine, const QString &name)
    {
        const QString file = machine.directory() + u'/' + name + u".drover"_qs;
        QVERIFY(QFile::copy(m_admin.directory() + u'/' + name + u".drover"_qs, file));
        QCOMPARE(run(machine, u"login "_qs + file).exitCode, 0);
    }
    std::unique_ptr<QProcess> startWorker(const char *id) const
    {
        return m_workers.start(words("worker --slots 2 --id") << QLatin1String(id));
    }
    // Each ended well, by its first attempt.
    static QByteArray endOf(const DroverProgram &machine, const QByteArray &id)
    {
        const QByteArray waited = output(machine, u"wait --timeout 120s "_qs + QString::fromLatin1(id));
        const QJsonObject job = json(run(machine, u"show -o json "_qs + QString::fromLatin1(id)));
        const bool isGood = job[u"state"].toString() == u"succeeded" && job[u"attempt"].toInt() == 1;
        return isGood ? QByteArray("good") : waited + ' ' + QJsonDocument(job).toJson();
    }

    void found()
    {
        m_server.start();
        const Finished founded = run(m_admin, u"cluster init --connect "_qs + m_server.connectString());
        QVERIFY2(founded.exitCode == 0, founded.err);
        for (const char *const line : {"user add alice --role submit --role viewer --role operate",
                                       "user add bob --role submit --role viewer", "worker add machine"})
            QVERIFY2(run(m_admin, QLatin1String(line)).exitCode == 0, line);
        login(m_alice, u"alice"_qs);
        login(m_bob, u"bob"_qs);
        login(m_workers, u"machine"_qs);
    }
};

} // namespace drover::test
