#include "zk/error.h"

#include "zk/session_end.h"

namespace drover::zk {

bool isAnswer(Code code)
{
    switch (code) {
    case Code::Ok:
    case Code::NoNode:
    case Code::BadVersion:
    case Code::NoChildrenForEphemerals:
    case Code::NodeExists:
    case Code::NotEmpty:
    case Code::NoWatcher:
        return true;
    default:
        return false;
    }
}

const char *name(Code code)
{
    switch (code) {
    case Code::Ok:
        return "ok";
    case Code::NoNode:
        return "no such node";
    case Code::BadVersion:
        return "version mismatch";
    case Code::NoChildrenForEphemerals:
        return "ephemeral nodes have no children";
    case Code::NodeExists:
        return "node exists";
    case Code::NotEmpty:
        return "node has children";
    case Code::NoWatcher:
        return "no such watch";
    case Code::SystemError:
        return "system error";
    case Code::RuntimeInconsistency:
        return "runtime inconsistency";
    case Code::ConnectionLoss:
        return "connection lost, outcome unknown";
    case Code::MarshallingError:
        return "marshalling error";
    case Code::Unimplemented:
        return "not implemented by the server";
    case Code::OperationTimeout:
        return "operation timed out";
    case Code::BadArguments:
        return "invalid arguments";
    case Code::InvalidState:
        return "invalid session state";
    case Code::ApiError:
        return "API error";
    case Code::NoAuth:
        return "permission denied";
    case Code::SessionExpired:
        return "session expired";
    case Code::InvalidAcl:
        return "invalid ACL";
    case Code::AuthFailed:
        return "authentication failed";
    case Code::Closing:
        return "session closing";
    case Code::SessionMoved:
        return "session moved to another server";
    case Code::NotReadOnly:
        return "write refused by a read-only server";
    case Code::RequestTimeout:
        return "request timed out";
    case Code::ReconfigDisabled:
        return "reconfiguration is disabled";
    case Code::Throttled:
        return "not carried out: the server is overloaded";
    }
    return "unknown error";
}

void throwFailure(Code code, const char *operation, const Path &path)
{
    const QString what =
        QStringLiteral("%1 %2: %3").arg(QLatin1String(operation), path.toString(), QLatin1String(name(code)));
    switch (code) {
    case Code::ConnectionLoss:
    case Code::OperationTimeout:
    case Code::RequestTimeout:
    case Code::SessionMoved:
    case Code::Throttled:
        throw ConnectionLoss(what);
    case Code::SessionExpired:
        throw sessionHasEnded();
    case Code::Closing:
    case Code::InvalidState:
        throw SessionLost(what);
    case Code::NoAuth:
    case Code::AuthFailed:
        throw AccessDenied(code, what);
    default:
        throw Error(code, what);
    }
}

} // namespace drover::zk
