#pragma once

#include "zk/error.h"
#include "zk/transaction.h"
#include "zk/types.h"

#include <variant>

namespace drover::zk {

// Every operation as a value. So a Client implements one function, and one place can count, trace or fail all
// operations.
struct CreateRequest {
    Path path;
    QByteArray data;
    CreateMode mode = CreateMode::Persistent;
    AclList acl{}; // empty: the session's
    std::chrono::milliseconds ttl{0}; // for the Ttl modes only
};
struct RemoveRequest {
    Path path;
    qint32 version = AnyVersion;
};
struct ExistsRequest {
    Path path;
};
struct GetRequest {
    Path path;
};
struct SetRequest {
    Path path;
    QByteArray data;
    qint32 version = AnyVersion;
};
struct ChildrenRequest {
    Path path;
};
struct SyncRequest {
    Path path;
};
struct MultiRequest {
    Transaction transaction;
};
struct GetAclRequest {
    Path path;
};
struct SetAclRequest {
    Path path;
    AclList acl;
    qint32 aversion = AnyVersion;
};
struct AddAuthRequest {
    QByteArray scheme;
    QByteArray credentials;
};

using Request = std::variant<CreateRequest, RemoveRequest, ExistsRequest, GetRequest, SetRequest, ChildrenRequest,
                             SyncRequest, MultiRequest, GetAclRequest, SetAclRequest, AddAuthRequest>;

// The union of the results of all operations. Only `code` is always set.
struct Response {
    Code code = Code::Ok;
    Path path;
    QByteArray data;
    Stat stat;
    QByteArrayList children;
    AclList acl;
    std::vector<OperationResult> results;
};

const char *operationName(const Request &request);
Path pathOf(const Request &request); // a transaction's first path

// False: the request is answered with BadArguments and never sent. A TTL must be 1 ms to 2^40 - 1 ms. A transaction
// must not create containers or TTL nodes, because the C client aborts on the server's answer.
bool isSendable(const Request &request);

// A lower bound of the bytes on the wire, but an upper bound of an ACL that is still to be the session's. The cap below
// is a server's jute.maxbuffer less the framing.
qsizetype sizeOf(const Request &request);
inline constexpr qsizetype MaxRequestSize = 1024 * 1024 - 1 - 1024;

} // namespace drover::zk
