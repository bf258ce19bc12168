#include "zk/client/client_log.h"

#include <QTest>

using namespace drover::zk;

class ClientLogTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // As the C client writes them.
    void aFailedServerIsNamedWithTheReason_data()
    {
        QTest::addColumn<QByteArray>("line");
        QTest::addColumn<QString>("trouble");
        const auto row = [](const char *name, const char *end, const char *trouble) {
            QTest::newRow(name) << QByteArray("2026-11-24 10:00:00,000:7:ZOO_ERROR@handle_socket_error_msg@1: ") + end
                                << QString::fromLatin1(trouble);
        };
        row("link down", "Socket 10.77.0.1:2181 zk retcode=-7, errno=110(Connection timed out): ...",
            "10.77.0.1:2181: no answer in time");
        row("its own time-out", "Socket 10.77.0.1:2181 zk retcode=-7, errno=11(Resource temporarily unavailable): ...",
            "10.77.0.1:2181: no answer in time");
        row("no server", "Socket 127.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): server refused",
            "127.0.0.1:2181: connection refused: no server runs there");
        row("no route", "Socket 10.255.255.1:2181 zk retcode=-4, errno=113(No route to host): ...",
            "10.255.255.1:2181: No route to host");
        row("end of file", "Socket 127.0.0.1:2181 zk retcode=-4, errno=112(Host is down): failed",
            "127.0.0.1:2181: closed the connection: it is not serving (no majority?), has too many clients, or is not "
            "a ZooKeeper server");
        row("of no server", "initiated connection", "before");
    }
    void aFailedServerIsNamedWithTheReason()
    {
        QFETCH(QByteArray, line);
        QFETCH(QString, trouble);
        QString seen = QStringLiteral("before");
        const ClientLog log(seen);
        ClientLog::write(line.constData());
        QCOMPARE(seen, trouble);
    }

    void afterwardsNothingIsWritten()
    {
        QString seen;
        {
            const ClientLog log(seen);
        }
        ClientLog::write("Socket 127.0.0.1:2181 zk retcode=-4, errno=111(Connection refused): server refused");
        QCOMPARE(seen, QString());
    }
};

QTEST_GUILESS_MAIN(ClientLogTest)
#include "client_log_test.moc"
