#include "zk/server/java_installation.h"

#include <QFileInfo>
#include <QStandardPaths>

namespace drover::zk {

QString JavaInstallation::java() const
{
    if (!javaHome.isEmpty()) {
        const QFileInfo program(javaHome + QStringLiteral("/bin/java"));
        if (program.isExecutable())
            return program.absoluteFilePath();
    }
    const QStringList directories = path.split(u':', Qt::SkipEmptyParts);
    // With no directory to look in, QStandardPaths would look in the PATH of this process.
    QString found =
        directories.isEmpty() ? QString() : QStandardPaths::findExecutable(QStringLiteral("java"), directories);
    if (found.isEmpty())
        throw NotInstalled("cannot start a ZooKeeper server: no java in JAVA_HOME or PATH; "
                           "install it with: apt-get install default-jre-headless");
    return found;
}

QString JavaInstallation::classPath() const
{
    const QString server = jars + QStringLiteral("/zookeeper.jar");
    if (!QFileInfo::exists(server))
        throw NotInstalled(QStringLiteral("cannot start a ZooKeeper server: %1 does not exist; "
                                          "install it with: apt-get install zookeeper")
                               .arg(server)
                               .toStdString());
    return jars + QStringLiteral("/slf4j-simple.jar:") + server;
}

} // namespace drover::zk
