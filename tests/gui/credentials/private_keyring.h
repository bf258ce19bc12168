#pragma once

#include "gui/private_bus.h"

#include <QDir>
#include <QTest>

namespace drover::test {

// gnome-keyring's secret service on a bus of the test alone. There is no prompt there. It starts
// once in a process: libsecret keeps its session with it.
class PrivateKeyring
{
public:
    ~PrivateKeyring() { stop(); }

    // With a new keyring, which is unlocked. Nothing if it runs.
    void start()
    {
        if (m_service.state() != QProcess::NotRunning)
            return;
        const QString run = m_bus.path(QStringLiteral("run"));
        QDir().mkpath(run);
        QFile::setPermissions(run, QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
        m_bus.begin(m_service, QStringLiteral("gnome-keyring-daemon"),
                    {QStringLiteral("--foreground"), QStringLiteral("--unlock"), QStringLiteral("--components=secrets"),
                     QStringLiteral("--control-directory"), run + QStringLiteral("/control")});
        m_service.write("password of the test");
        m_service.closeWriteChannel();
        QTRY_VERIFY_WITH_TIMEOUT(call(QStringLiteral("org.freedesktop.DBus.Peer.Ping"), {}), 30'000);
    }
    bool lock()
    {
        return call(QStringLiteral("org.freedesktop.Secret.Service.Lock"),
                    {QStringLiteral("array:objpath:/org/freedesktop/secrets/collection/login")});
    }
    void stop()
    {
        if (m_service.state() == QProcess::NotRunning)
            return;
        resume();
        m_service.kill();
        m_service.waitForFinished();
    }
    void pause() { sendSignal(m_service, SIGSTOP); }
    void resume() { sendSignal(m_service, SIGCONT); }

    // All that the service has written.
    QByteArray stored() const
    {
        QByteArray all;
        const QDir keyrings(m_bus.path(QStringLiteral("data/keyrings")));
        const QStringList names = keyrings.entryList(QDir::Files);
        for (const QString &name : names) {
            QFile file(keyrings.filePath(name));
            if (file.open(QIODevice::ReadOnly))
                all += file.readAll();
        }
        return all;
    }

private:
    static bool call(const QString &method, const QStringList &arguments)
    {
        QProcess ask;
        ask.start(QStringLiteral("dbus-send"),
                  QStringList{QStringLiteral("--session"), QStringLiteral("--print-reply"),
                              QStringLiteral("--dest=org.freedesktop.secrets"),
                              QStringLiteral("/org/freedesktop/secrets"), method}
                      + arguments);
        return ask.waitForFinished() && ask.exitCode() == 0;
    }

    PrivateBus m_bus;
    QProcess m_service;
};

} // namespace drover::test
