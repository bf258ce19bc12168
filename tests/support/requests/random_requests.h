#pragma once

#include "support/seeded_random.h"
#include "zk/request.h"

#include <vector>

namespace drover::test {

// A seeded stream of requests on a small family of znodes below one node, so that they often meet: creates of all
// modes, right and wrong versions, transactions, ACLs valid and not. What is generated depends on the seed and on the
// sequential nodes that noteCreated() reports, and on nothing else.
class RandomRequests
{
public:
    // Below "/" the nodes that every server has are read too, and deletions of them tried.
    RandomRequests(quint64 seed, zk::Path base);

    zk::Request next();
    void noteCreated(const zk::Path &path);

    SeededRandom &random() { return m_random; }

private:
    zk::Path anyPath(); // that may exist
    zk::Path newPath(bool sequential);
    qint32 version();
    QByteArray data();
    zk::AclList acl();
    zk::CreateMode mode(bool inTransaction);
    zk::CreateRequest create(bool inTransaction);
    zk::Transaction transaction();

    SeededRandom m_random;
    zk::Path m_base;
    std::vector<zk::Path> m_created;
};

} // namespace drover::test
