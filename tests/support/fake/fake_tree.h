#pragma once

#include "zk/request.h"
#include "zk/watch.h"

#include <map>
#include <optional>
#include <set>
#include <vector>

namespace drover::test {

// The znodes of a ZooKeeper 3.8 server and the rules of its requests, without sessions, watches or time: a request of a
// session at a zxid and a wall time in, a reply and the events out. ACLs are enforced.
class FakeTree
{
public:
    struct Znode {
        QByteArray data;
        std::set<QByteArray> children;
        zk::AclList acl = zk::openAcl();
        // As the server stores it: cversion counts creates alone, the sizes are not filled in. See statOf().
        zk::Stat stat;
    };

    // Who asks, and when. `zxid` is that of this transaction; reads do not use it.
    struct Context {
        zk::SessionId session = 0;
        zk::Zxid zxid = 0;
        qint64 wallTime = 0; // ms of the Unix epoch
        std::vector<QByteArray> digests; // "user:password" of the session, for ACLs
    };

    // Events in the order in which they happen. All events of a transaction have its zxid.
    struct Outcome {
        zk::Response response;
        std::vector<zk::WatchEvent> events;
    };

    FakeTree();

    Outcome apply(const zk::Request &request, const Context &context);
    // A read as a server answers it that has carried out all transactions up to `view`, and none after.
    zk::Response read(const zk::Request &request, zk::Zxid view, const std::vector<QByteArray> &digests) const;
    // Deletes the ephemeral nodes of the session.
    Outcome closeSession(zk::SessionId session, zk::Zxid zxid);
    // What the server's container manager would delete at this time: containers whose last child has gone, TTL nodes
    // that are unchanged and childless for longer than their time.
    std::vector<zk::Path> outlived(qint64 wallTime) const;
    Outcome removeOutlived(const zk::Path &path, zk::Zxid zxid);
    // Whether outlived() may ever name a node if nothing but time changes.
    bool hasPerishable() const;

    const Znode *find(const zk::Path &path) const;
    // The node as transaction `view` left it.
    std::optional<Znode> at(const zk::Path &path, zk::Zxid view) const;
    static zk::Stat statOf(const Znode &node); // as clients see it

    // Makes the next sequential child of `path` have this number, to test what comes after 2^31 - 1.
    void setNextSequence(const zk::Path &path, qint32 number);
    // Makes the data of `path` have this version, to test the same.
    void setVersion(const zk::Path &path, qint32 version);

    // One line a node, sorted: path, owner if ephemeral, data.
    QByteArray dump() const;

private:
    class Writer;

    // What a transaction has changed at one node.
    struct Past {
        zk::Zxid changedBy = 0;
        std::optional<Znode> before; // none: there was no node. Its children are left out
        QByteArray child; // that came or went, if any
        bool hadChild = false;
    };

    static zk::Response read(const zk::ExistsRequest &, const Znode &node);
    static zk::Response read(const zk::GetRequest &, const Znode &node);
    static zk::Response read(const zk::ChildrenRequest &, const Znode &node);
    static zk::Response read(const zk::GetAclRequest &, const Znode &node);

    std::map<QByteArray, Znode> m_nodes;
    std::map<QByteArray, std::vector<Past>> m_past; // of each node, oldest first
    std::map<zk::SessionId, std::set<QByteArray>> m_ephemerals;
    std::set<QByteArray> m_perishable; // containers and TTL nodes
};

} // namespace drover::test
