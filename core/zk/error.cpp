#include "zk/error.h"

#include "zk/session_end.h"

#include <algorithm>
#include <utility>

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

namespace {

constexpr std::pair<Code, const char *> Names[]{
    {Code::Ok, "ok"},
    {Code::NoNode, "no such node"},
    {Code::BadVersion, "version mismatch"},
    {Code::NoChildrenForEphemerals, "ephemeral nodes have no children"},
    {Code::NodeExists, "node exists"},
    {Code::NotEmpty, "node has children"},
    {Code::NoWatcher, "no such watch"},
    {Code::SystemError, "system error"},
    {Code::RuntimeInconsistency, "runtime inconsistency"},
    {Code::ConnectionLoss, "connection lost, outcome unknown"},
    {Code::MarshallingError, "marshalling error"},
    {Code::Unimplemented, "not implemented by the server"},
    {Code::OperationTimeout, "operation timed out"},
    {Code::BadArguments, "invalid arguments"},
    {Code::InvalidState, "invalid session state"},
    {Code::ApiError, "API error"},
    {Code::NoAuth, "permission denied"},
    {Code::SessionExpired, "session expired"},
    {Code::InvalidAcl, "invalid ACL"},
    {Code::AuthFailed, "authentication failed"},
    {Code::Closing, "session closing"},
    {Code::SessionMoved, "session moved to another server"},
    {Code::NotReadOnly, "write refused by a read-only server"},
    {Code::RequestTimeout, "request timed out"},
    {Code::ReconfigDisabled, "reconfiguration is disabled"},
    {Code::Throttled, "not carried out: the server is overloaded"},
};

} // namespace

const char *name(Code code)
{
    const auto *const found = std::ranges::find(Names, code, &std::pair<Code, const char *>::first);
    return found == std::end(Names) ? "unknown error" : found->second;
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
