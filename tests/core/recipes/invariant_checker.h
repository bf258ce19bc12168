#pragma once

#include "recipes/blocks/fence.h"
#include "support/fake/fake_zookeeper.h"
#include "zk/client.h"

#include <QPointer>
#include <QStringList>

#include <set>

namespace drover::test {

// Checks what the recipes promise about locks, permits, leaderships, memberships and claims. It looks at the server's
// tree after each accepted write and at each grant, so no client can deceive it. Outlives the holds.
//
// The promise is a lease (zk/client.h, aliveUntil()). A process may believe that it holds something from the grant on,
// until the first of these: it gives the thing up; its session is Lost; aliveUntil() of its session has passed, even
// if the process is frozen and cannot notice. It may believe so while suspended. It asks no server: the command under
// `drover lock` does not either.
//
//   1. Beliefs exclude each other: at no instant may more believe than there is room for. It does not matter whether a
//      server would accept their writes.
//   2. A belief is true: the newest tree, which no follower need have, accepts the fence of each process that may
//      believe. So a grant of a node that was never made, or a node that went before its belief, is a violation even
//      if no other process takes the thing.
//   3. Fences exclude each other: at no instant does the newest tree accept more fences than there is room for. This
//      covers the processes that go on beyond their lease.
//   4. The tokens in each fenced resource never fall.
//
// A lease promises nothing against two events, and a belief that they have ended is no violation: an administrator ends
// the session early (FakeZooKeeper::onEviction), and a program that is no party to the recipe deletes its nodes
// (mayDelete()). Invariants 3 and 4 hold against both.
class InvariantChecker
{
public:
    explicit InvariantChecker(FakeZooKeeper &server);

    // A process believes that it holds `what`, through this session and for as long as this object lives. There may be
    // as many holders as the largest room that one of them knows.
    class Hold
    {
    public:
        struct Share {
            int weight = 1;
            int room = 1;
        };
        Hold(InvariantChecker &checker, QByteArray what, recipes::Fence fence, const zk::Client &session,
             Share share = {1, 1});
        Hold(const Hold &) = delete;
        Hold &operator=(const Hold &) = delete;
        ~Hold();

    private:
        friend class InvariantChecker;
        InvariantChecker &m_checker;
        QByteArray m_what;
        recipes::Fence m_fence;
        QPointer<const zk::Client> m_session;
        Share m_share;
    };

    // What holders write into their fenced resources, /resource/<name>: numbers that never fall.
    static zk::Path resource(const QByteArray &name) { return zk::Path("/resource") / name; }

    // After each write that the server has accepted.
    void committed(const FakeZooKeeper::Commit &commit);
    // This session deletes nodes of others, as no party to a recipe does.
    void mayDelete(zk::SessionId session) { m_intruders.insert(session); }
    void require(bool holds, const QString &otherwise);

    const QStringList &violations() const { return m_violations; }

private:
    bool accepts(const recipes::Fence &fence) const;
    bool mayBelieve(const Hold &hold) const;
    void check(const QByteArray &what);
    void checkTokens();

    const FakeTree &m_tree;
    std::vector<const Hold *> m_holds;
    std::set<zk::SessionId> m_evicted;
    std::set<zk::SessionId> m_intruders;
    zk::Zxid m_lastIntrusion = 0;
    std::map<QByteArray, zk::Zxid> m_tokens; // the newest of each resource
    QStringList m_violations;
};

} // namespace drover::test
