#pragma once

#include "zk/path.h"

#include <QByteArray>
#include <QByteArrayList>

#include <chrono>
#include <functional>
#include <vector>

namespace drover::zk {

using Zxid = qint64;
using SessionId = qint64;

// A znode's metadata, as the server keeps it. Times are milliseconds since the Unix epoch by the server's clock.
struct Stat {
    // The transaction that created the node. It is unique in an ensemble's life, so it serves as fencing token.
    Zxid czxid = 0;
    Zxid mzxid = 0; // the transaction that last changed the data
    qint64 ctime = 0; // ms
    qint64 mtime = 0; // ms
    qint32 version = 0; // number of changes of the data
    qint32 cversion = 0; // number of changes of the children
    qint32 aversion = 0; // number of changes of the ACL
    SessionId ephemeralOwner = 0; // 0: not ephemeral
    qint32 dataLength = 0; // bytes
    qint32 numChildren = 0;
    Zxid pzxid = 0; // the transaction that last changed the children

    friend bool operator==(const Stat &, const Stat &) = default;
};

struct Created {
    Path path; // with the sequence number, for a sequential node
    Stat stat;
};

struct Node {
    QByteArray data;
    Stat stat;
};

struct Children {
    QByteArrayList names; // in any order
    Stat stat; // of the parent
};

struct Acl {
    qint32 permissions = 0; // bits: 1 read, 2 write, 4 create, 8 delete, 16 admin
    QByteArray scheme;
    QByteArray id;

    friend bool operator==(const Acl &, const Acl &) = default;
};
// Empty, for a new node: the list that its session gives to nodes of that path.
using AclList = std::vector<Acl>;

// The ACL of a new node by its path. That of a sequential node is asked for without its number.
using AclOfPath = std::function<AclList(const Path &)>;

inline constexpr qint32 AllPermissions = 31;

inline AclList openAcl()
{
    return {Acl{AllPermissions, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}};
}

struct AclOfNode {
    AclList acl;
    Stat stat;
};

enum class CreateMode {
    Persistent,
    PersistentSequential,
    Ephemeral,
    EphemeralSequential,
    Container, // the server removes it some time after its last child
    Ttl, // removed if childless and unchanged for the TTL
    TtlSequential,
};

inline constexpr bool hasTtl(CreateMode mode)
{
    return mode == CreateMode::Ttl || mode == CreateMode::TtlSequential;
}

inline constexpr qint32 AnyVersion = -1;

} // namespace drover::zk
