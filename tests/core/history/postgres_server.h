#pragma once

#include <QProcess>
#include <QTemporaryDir>

namespace drover::test {

// A PostgreSQL server of Debian's package on a free loopback port, its data in a temporary directory; gone with this
// object, and with this process however that ends. Run as root it becomes the user postgres.
class PostgresServer
{
public:
    PostgresServer(); // starts it
    ~PostgresServer();

    void start();
    void kill9();

    // A database that holds nothing.
    QString newDatabase(const QString &options = {});
    QString url(const QString &database) const;

private:
    QByteArray tryToStart(); // what the server says until it is ready or has ended
    static QString program(const char *name);
    void run(const char *name, const QStringList &arguments);
    void prepare(QProcess &process) const;

    QTemporaryDir m_directory;
    quint16 m_port;
    int m_databases = 0;
    QProcess m_server;
};

} // namespace drover::test
