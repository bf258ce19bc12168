#include "support/zk_server.h"

#include "support/await.h"
#include "zk/server/four_letter_word.h"

namespace drover::test {

using namespace std::chrono_literals;

namespace {

zk::LocalServerOptions inDirectory(zk::LocalServerOptions options, const QString &directory)
{
    options.directory = directory;
    return options;
}

} // namespace

zk::LocalServerOptions testServerOptions()
{
    zk::LocalServerOptions options;
    options.tickTime = 500ms;
    options.maxSessionTimeout = 60s;
    options.containerCheckInterval = 500ms;
    options.fsync = false;
    options.namesSessions = true; // tests count them
    options.heapMegabytes = 256;
    return options;
}

TestServer::TestServer(zk::LocalServerOptions options)
    : m_server(m_loop, inDirectory(std::move(options), m_directory.path()))
{
}

void TestServer::start()
{
    await(m_server.start(), 2min);
}

void TestServer::stop()
{
    await(m_server.stop(), 2min);
}

void TestServer::kill9()
{
    await(m_server.kill9(), 2min);
}

void TestServer::restart()
{
    await(m_server.restart(), 2min);
}

void TestServer::pause()
{
    await(m_server.pause());
}

QByteArray TestServer::ask(const QByteArray &word)
{
    return await(zk::fourLetterWord(QStringLiteral("127.0.0.1"), m_server.port(), word));
}

// wchs counts data watches alone.
int TestServer::watches()
{
    for (const QByteArray &line : ask("mntr").split('\n')) {
        if (line.startsWith("zk_watch_count"))
            return line.split('\t').back().trimmed().toInt();
    }
    return -1;
}

TestEnsemble::TestEnsemble(zk::LocalServerOptions options, int size)
    : m_ensemble(m_loop, inDirectory(std::move(options), m_directory.path()), size)
{
}

void TestEnsemble::start()
{
    await(m_ensemble.start(), 5min);
}

void TestEnsemble::stop()
{
    await(m_ensemble.stop(), 2min);
}

void TestEnsemble::kill9(int index)
{
    await(m_ensemble.server(index).kill9(), 2min);
}

void TestEnsemble::restart(int index)
{
    await(m_ensemble.server(index).restart(), 2min);
}

void TestEnsemble::pause(int index)
{
    await(m_ensemble.server(index).pause());
}

QByteArray TestEnsemble::ask(int index, const QByteArray &word)
{
    return await(zk::fourLetterWord(QStringLiteral("127.0.0.1"), m_ensemble.server(index).port(), word));
}

int TestEnsemble::elected(int members)
{
    return await(m_ensemble.elected(members), 2min);
}

} // namespace drover::test
