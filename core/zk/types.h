#pragma once

#include "zk/path.h"

#include <QByteArray>
#include <QByteArrayList>

#include <chrono>
#include <vector>

namespace drover::zk {

using Zxid = qint64;
using SessionId = qint64;

// A znode's metadata, as the server keeps it. Times are milliseconds of the Unix epoch by the server's clock.
struct Stat {
    Zxid czxid = 0; // the transaction that created the node: unique in an ensemble's life, our fencing token
    Zxid mzxid = 0; // that last changed its data
    qint64 ctime = 0; // ms
    qint64 mtime = 0; // ms
    qint32 version = 0; // changes of the data
    qint32 cversion = 0; // changes of the children
    qint32 aversion = 0; // changes of the ACL
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
    QByteArrayList names; // in no order
    Stat stat; // of the parent
};

struct Acl {
    qint32 permissions = 0; // ZooKeeper's bits: 1 read, 2 write, 4 create, 8 delete, 16 admin
    QByteArray scheme;
    QByteArray id;

    friend bool operator==(const Acl &, const Acl &) = default;
};
using AclList = std::vector<Acl>;

inline AclList openAcl()
{
    return {Acl{31, QByteArrayLiteral("world"), QByteArrayLiteral("anyone")}};
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
    Container, // removed by the server some time after its last child has gone
    Ttl, // removed by the server when unchanged and childless for the given time
    TtlSequential,
};

inline constexpr bool isSequential(CreateMode mode)
{
    return mode == CreateMode::PersistentSequential || mode == CreateMode::EphemeralSequential
        || mode == CreateMode::TtlSequential;
}
inline constexpr bool isEphemeral(CreateMode mode)
{
    return mode == CreateMode::Ephemeral || mode == CreateMode::EphemeralSequential;
}

inline constexpr bool hasTtl(CreateMode mode)
{
    return mode == CreateMode::Ttl || mode == CreateMode::TtlSequential;
}

inline constexpr qint32 AnyVersion = -1;

} // namespace drover::zk
