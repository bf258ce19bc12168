#include "support/process_loop.h"
#include "zk/client/server_names.h"

#include <QMap>
#include <QStringList>
#include <QTest>

#include <dlfcn.h>
#include <netdb.h>

using namespace drover;
using namespace drover::test;
using namespace drover::zk;
using namespace std::chrono_literals;

namespace {

QMap<QByteArray, QByteArray> answers; // of the name server, by name; for all others it is away

// One session's names, and what it is given for them.
struct Following {
    VirtualLoop world;
    ProcessLoop process{world};
    QList<QStringList> changes;
    ServerNames names{process, [this](const ServerList &servers) {
                          QStringList addresses;
                          for (const ServerAddress &server : servers)
                              addresses.append(server.toString());
                          changes.append(addresses);
                      }};

    explicit Following(const char *servers)
    {
        names.set(parseConnectString(QString::fromLatin1(servers)));
        world.runFor(1s);
    }

    void lookAgain()
    {
        world.runFor(1min);
        names.refresh(30s);
        world.runFor(1s);
    }
};

} // namespace

// In the place of the C library's, for all that is linked with this program.
extern "C" int getaddrinfo(const char *name, const char *service, const addrinfo *hints, addrinfo **found)
{
    static const auto original = reinterpret_cast<decltype(&getaddrinfo)>(::dlsym(RTLD_NEXT, "getaddrinfo"));
    const QByteArray address = answers.value(name);
    return address.isEmpty() ? EAI_AGAIN : original(address.constData(), service, hints, found);
}

// What a session knows of its servers while the name server goes and comes.
class ServerNamesTest : public QObject
{
    Q_OBJECT

private Q_SLOTS:
    // The session stays with both servers: the one whose name has no answer now may well run.
    void aNameWithoutAnAnswerKeepsItsAddress()
    {
        const QStringList both{QStringLiteral("192.0.2.1:1"), QStringLiteral("192.0.2.2:2")};
        answers = {{"one.example", "192.0.2.1"}, {"two.example", "192.0.2.2"}};
        Following session("one.example:1,two.example:2");
        QCOMPARE(session.changes, QList<QStringList>{both});

        answers.remove("one.example");
        session.lookAgain();
        QCOMPARE(session.changes, QList<QStringList>{both});
        const QString trouble = session.names.trouble(QStringLiteral("refused"));
        QVERIFY2(trouble.startsWith(u"tried 192.0.2.1:1, 192.0.2.2:2; refused; cannot resolve one.example: "),
                 qPrintable(trouble));

        answers.clear();
        session.lookAgain();
        session.lookAgain();
        QCOMPARE(session.changes, QList<QStringList>{both});

        answers = {{"one.example", "192.0.2.9"}};
        session.lookAgain();
        QCOMPARE(session.changes, (QList<QStringList>{both, {QStringLiteral("192.0.2.9:1"), both[1]}}));
    }

    void aNameWithoutAnyAnswerYetIsLookedUpAgain()
    {
        answers.clear();
        Following session("one.example:1");
        QVERIFY(session.changes.isEmpty());
        QVERIFY(session.names.trouble({}).contains(u"cannot resolve one.example"));
        answers = {{"one.example", "192.0.2.1"}};
        session.lookAgain();
        QCOMPARE(session.changes, QList<QStringList>{{QStringLiteral("192.0.2.1:1")}});
        QCOMPARE(session.names.trouble({}), QString());
    }
};

QTEST_GUILESS_MAIN(ServerNamesTest)
#include "server_names_test.moc"
