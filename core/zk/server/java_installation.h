#pragma once

#include <QString>

#include <stdexcept>

namespace drover::zk {

// A program or file that a local server needs is not installed. what() says which package to install.
class NotInstalled : public std::runtime_error
{
public:
    using std::runtime_error::runtime_error;
};

// Where to search for a Java ZooKeeper server. The defaults fit Debian's package `zookeeper`.
struct JavaInstallation {
    QString javaHome = qEnvironmentVariable("JAVA_HOME"); // its bin/java is tried before `path`
    QString path = qEnvironmentVariable("PATH"); // directories separated by ':'
    QString jars = QStringLiteral("/usr/share/java");

    // Both throw NotInstalled.
    QString java() const;
    // The manifest of zookeeper.jar names all jars that it needs, except for a logger. That is slf4j-simple, on which
    // the package depends.
    QString classPath() const;
};

} // namespace drover::zk
