#include "app/support/drover_program.h"
#include "interop/interop_fixture.h"
#include "recipes/locks/revocation.h"

#include <QTest>

#include <csignal>

using namespace drover;
using namespace drover::recipes;
using namespace drover::test;

// A contender asks the holder to let go: Curator's Revoker and `drover lock --revocable`, and the other way round.
class RevocationTest : public QObject
{
    Q_OBJECT

    std::unique_ptr<InteropFixture> m_fixture;
    DroverProgram m_drover;

    zk::Client &ours() { return m_fixture->ours(0); }
    zk::Path onlyNodeIn(const zk::Path &directory)
    {
        const QByteArrayList names = await(namesIn(ours(), directory));
        if (names.size() != 1)
            throw std::runtime_error("the line has not one node");
        return directory / names.front();
    }
    static async::Task<QByteArrayList> namesIn(zk::Client &zk, zk::Path directory)
    {
        const auto line = co_await zk.children(directory);
        co_return line->names;
    }

private Q_SLOTS:
    void initTestCase()
    {
        m_fixture = std::make_unique<InteropFixture>();
        m_drover.setVariable("DROVER_CONNECT", m_fixture->server.connectString());
    }
    void cleanupTestCase() { m_fixture.reset(); }

    void curatorsRevokerEndsTheCommand_data()
    {
        QTest::addColumn<QString>("options");
        QTest::newRow("mutex") << QStringLiteral("--path /asked/mutex");
        QTest::newRow("writer") << QStringLiteral("--path /asked/writer --write");
        QTest::newRow("reader") << QStringLiteral("--path /asked/reader --shared");
    }
    void curatorsRevokerEndsTheCommand()
    {
        QFETCH(QString, options);
        const zk::Path directory(options.section(u' ', 1, 1).toUtf8());
        const std::unique_ptr<QProcess> holder =
            m_drover.start(words(QStringLiteral("lock %1 --revocable --").arg(options))
                           << QStringLiteral("sh") << QStringLiteral("-c")
                           << QStringLiteral("trap 'echo bye; exit 8' TERM; echo held; while :; do sleep 0.05; done"));
        QByteArray seen;
        QVERIFY(waitForOutput(*holder, "held", seen));
        m_fixture->curator().ask("asker", "revocation ask " + onlyNodeIn(directory).bytes());
        const Finished finished = DroverProgram::finish(*holder);
        QCOMPARE(finished.exitCode, 8);
        QVERIFY2((seen + finished.out).contains("bye"), finished.out);
        QVERIFY(m_fixture->hasChildren(directory, 0));
    }

    void aHolderOfCuratorHearsUs()
    {
        const zk::Path directory("/asked/curator");
        ForeignPeer &curator = m_fixture->curator();
        curator.ask("holder", "revocation acquire " + directory.bytes());
        curator.tell("holder", "revocation asked " + directory.bytes());
        await(askRevocation(ours(), onlyNodeIn(directory)));
        await(curator.answer("holder"));
        curator.ask("holder", "revocation release " + directory.bytes());
        QVERIFY(m_fixture->hasChildren(directory, 0));
    }
};

QTEST_GUILESS_MAIN(RevocationTest)
#include "revocation_test.moc"
