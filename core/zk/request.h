#pragma once

#include "zk/error.h"
#include "zk/transaction.h"
#include "zk/types.h"

#include <variant>

namespace drover::zk {

// Every operation as a value, so that a Coordinator is one function, and who counts, traces or injects faults sees them
// all in one place.
struct CreateRequest {
    Path path;
    QByteArray data;
    CreateMode mode = CreateMode::Persistent;
    AclList acl = openAcl();
    std::chrono::milliseconds ttl{0}; // only of the Ttl modes
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

// The union of what the operations return; code says whether the rest means anything.
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
Path pathOf(const Request &request); // of a transaction: of its first operation
bool isWrite(const Request &request);

// False: answered with BadArguments and never sent. A TTL has to be 1 ms to 2^40 - 1 ms; a transaction may make neither
// containers nor TTL nodes, for the C client aborts on the server's answer.
bool isSendable(const Request &request);

// Bytes on the wire, at least; the cap below is what a server accepts (jute.maxbuffer) less the framing.
qsizetype sizeOf(const Request &request);
inline constexpr qsizetype MaxRequestSize = 1024 * 1024 - 1 - 1024;

} // namespace drover::zk
