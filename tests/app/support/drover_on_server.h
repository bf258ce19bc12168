#pragma once

#include "async/qt_loop.h"
#include "drover_program.h"
#include "jobs/model/layout.h"
#include "support/zk_server.h"
#include "trust/credentials.h"
#include "zk/client/session.h"

#include <functional>
#include <memory>
#include <optional>

namespace drover::test {

// A real server with the cluster "default", the program that talks to it, and a session by which the test looks and
// meddles. What fails there throws.
class DroverOnServer
{
public:
    enum class Access {
        Closed, // the program finds its user's credentials, which have all roles
        Open, // for tests that write jobs without a signature, or nodes that all may use
    };
    explicit DroverOnServer(zk::LocalServerOptions options = testServerOptions(), Access access = Access::Closed)
        : server(std::move(options)), m_isClosed(access == Access::Closed)
    {
    }
    explicit DroverOnServer(Access access) : DroverOnServer(testServerOptions(), access) { }
    // Ends the test program with an error if a node of the closed cluster is open to all clients.
    ~DroverOnServer();

    // Once, before anything else.
    void start(const QByteArrayList &queues);
    // A session again, if the last one was lost; what looks and meddles below does it by itself.
    void reconnect();

    zk::Session &zk() { return *m_session; }
    const trust::Credentials &credentials() const { return *m_credentials; } // of a closed cluster's user
    QByteArrayList children(const zk::Path &path); // none of a missing node
    QByteArray data(const zk::Path &path); // what is stored there
    QJsonObject json(const zk::Path &path);
    void write(const zk::Path &path, const QByteArray &data); // creates it, or sets its data
    void createFor(const zk::Path &path, const QByteArray &data, const zk::AclList &acl);
    void remove(const zk::Path &path); // if it is there
    // Stops the only worker, if there is one, and waits until its member node has gone.
    void stopWorker(std::unique_ptr<QProcess> &worker);
    // With nodes `flood-<number>`, filled up to so many letters, as fast as the server can. Their data is made by
    // `data`.
    void flood(const zk::Path &directory, int count, int nameLength, const std::function<QByteArray(int)> &data = {});

    const jobs::Layout layout{QByteArrayLiteral("default")};
    TestServer server;
    DroverProgram drover;
    QStringList runAs{}; // users whose jobs the credentials may run; set before start()

private:
    template <typename Ask>
    auto insist(const Ask &ask);

    void makeCredentials();

    const bool m_isClosed;
    std::optional<trust::Credentials> m_credentials;
    zk::Access m_access; // of the test's own session
    async::QtLoop m_loop;
    std::unique_ptr<zk::Session> m_session;
};

} // namespace drover::test
