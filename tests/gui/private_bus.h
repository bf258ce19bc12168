#pragma once

#include "support/send_signal.h"

#include <QFile>
#include <QTemporaryDir>

#include <vector>

#include <sys/prctl.h>

namespace drover::test {

// A session bus of this process alone, in a directory that goes with it. The bus starts no other program. It ends with
// the process, and not before: GLib ends a process that loses its bus. Make it once in a process, and before what looks
// for a bus.
class PrivateBus
{
public:
    PrivateBus()
    {
        QFile configuration(path(QStringLiteral("bus.conf")));
        if (!configuration.open(QIODevice::WriteOnly))
            qFatal("cannot write %s", qPrintable(configuration.fileName()));
        configuration.write("<busconfig><type>session</type><listen>" + address()
                            + "</listen><policy context=\"default\"><allow own=\"*\"/><allow send_destination=\"*\"/>"
                              "<allow receive_sender=\"*\"/></policy></busconfig>");
        configuration.close();
        QProcess &bus = newProcess();
        begin(bus, QStringLiteral("dbus-daemon"),
              {QStringLiteral("--nofork"), QStringLiteral("--nopidfile"), QStringLiteral("--print-address"),
               QStringLiteral("--config-file=") + configuration.fileName()});
        if (!bus.waitForReadyRead())
            qFatal("there is no bus: %s", bus.readAllStandardError().constData());
        qputenv("DBUS_SESSION_BUS_ADDRESS", address());
        for (const char *const other : {"DISPLAY", "WAYLAND_DISPLAY", "GNOME_KEYRING_CONTROL"})
            qunsetenv(other);
    }

    QByteArray address() const { return "unix:path=" + QFile::encodeName(path(QStringLiteral("bus"))); }
    QString path(const QString &name) const { return m_home.filePath(name); }

    // One that ends with this process, and not before. It is never destroyed, and always reachable.
    static QProcess &newProcess()
    {
        static auto *const all = new std::vector<QProcess *>;
        return *all->emplace_back(new QProcess);
    }

    // A program whose home directory is that of the bus. It ends with this process.
    void begin(QProcess &process, const QString &program, const QStringList &arguments) const
    {
        QProcessEnvironment environment = QProcessEnvironment::systemEnvironment();
        environment.insert(QStringLiteral("HOME"), m_home.path());
        environment.insert(QStringLiteral("XDG_DATA_HOME"), path(QStringLiteral("data")));
        environment.insert(QStringLiteral("XDG_RUNTIME_DIR"), path(QStringLiteral("run")));
        process.setProcessEnvironment(environment);
        process.setChildProcessModifier([] { ::prctl(PR_SET_PDEATHSIG, SIGKILL); });
        process.start(program, arguments);
        if (!process.waitForStarted())
            qFatal("%s does not start: %s", qPrintable(program), qPrintable(process.errorString()));
    }

    // A display of this process alone, which this process and those that it begins from now on use.
    void beginDisplay() const
    {
        QProcess &display = newProcess();
        begin(display, QStringLiteral("Xvfb"),
              {QStringLiteral("-displayfd"), QStringLiteral("1"), QStringLiteral("-screen"), QStringLiteral("0"),
               QStringLiteral("1280x900x24"), QStringLiteral("-nolisten"), QStringLiteral("tcp")});
        if (!display.waitForReadyRead())
            qFatal("there is no display: %s", display.readAllStandardError().constData());
        qputenv("DISPLAY", ':' + display.readLine().trimmed());
        qputenv("QT_QPA_PLATFORM", "xcb");
    }

private:
    QTemporaryDir m_home;
};

} // namespace drover::test
