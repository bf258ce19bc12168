#pragma once

#include <QString>
#include <QStringList>

#include <stdexcept>

namespace drover::zk {

// Something that a local server needs is not installed; the message says what to install.
class NotInstalled : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Where a Java ZooKeeper server is looked for. The defaults are Debian's package `zookeeper`.
struct JavaInstallation {
    QString javaHome = qEnvironmentVariable("JAVA_HOME"); // bin/java below it comes first, if it is there
    QString path = qEnvironmentVariable("PATH"); // directories separated by ':'
    QString jars = QStringLiteral("/usr/share/java");

    // Both throw NotInstalled.
    QString java() const;
    // zookeeper.jar names all that it needs in its manifest, except a log: slf4j-simple, which its package depends on.
    QString classPath() const;
};

} // namespace drover::zk
