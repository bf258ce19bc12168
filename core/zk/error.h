#pragma once

#include "zk/path.h"

#include <QString>

#include <stdexcept>

namespace drover::zk {

// Outcomes of an operation, with the C client's numbers. Answers (isAnswer) are returned as values, and a recipe
// branches on them; all other codes are thrown.
enum class Code : int {
    Ok = 0,

    NoNode = -101,
    BadVersion = -103,
    NoChildrenForEphemerals = -108,
    NodeExists = -110,
    NotEmpty = -111,
    NoWatcher = -121,

    SystemError = -1,
    RuntimeInconsistency = -2, // follows the failed operation of a multi
    ConnectionLoss = -4,
    MarshallingError = -5,
    Unimplemented = -6,
    OperationTimeout = -7,
    BadArguments = -8,
    InvalidState = -9,
    ApiError = -100,
    NoAuth = -102,
    SessionExpired = -112,
    InvalidAcl = -114,
    AuthFailed = -115,
    Closing = -116,
    SessionMoved = -118,
    NotReadOnly = -119,
    RequestTimeout = -122,
    ReconfigDisabled = -123,
    Throttled = -127, // an overloaded server has discarded the operation
};

bool isAnswer(Code code);
const char *name(Code code);

// Base of all exceptions here. what() names the operation, the path and the reason.
class Error : public std::runtime_error
{
public:
    Error(Code code, const QString &what) : std::runtime_error(what.toStdString()), m_code(code) { }
    Code code() const { return m_code; }

private:
    Code m_code;
};

// The connection broke during the operation, which the server may have carried out. The session may live on. Also
// thrown if a server has discarded the operation: retry it in the same way.
class ConnectionLoss : public Error
{
public:
    explicit ConnectionLoss(const QString &what) : Error(Code::ConnectionLoss, what) { }
};

// The session has ended: it was closed, or expired by the server's word or the local clock. Its ephemeral nodes and
// watches are gone or will go soon, and this Client cannot be used again.
class SessionLost : public Error
{
public:
    explicit SessionLost(const QString &what) : Error(Code::SessionExpired, what) { }
};

// Permission denied, or the credentials were refused.
class AccessDenied : public Error
{
public:
    AccessDenied(Code code, const QString &what) : Error(code, what) { }
};

// The request is larger than a server accepts. It was not sent, because the server would have closed the connection.
class RequestTooLarge : public Error
{
public:
    explicit RequestTooLarge(const QString &what) : Error(Code::BadArguments, what) { }
};

// The caller took the value() of an answer that is not Ok.
class UnexpectedAnswer : public Error
{
public:
    UnexpectedAnswer(Code code, const QString &what) : Error(code, what) { }
};

// Throws the exception for a code that is a failure, e.g. throwFailure(Code::ConnectionLoss, "create", path).
[[noreturn]] void throwFailure(Code code, const char *operation, const Path &path);

} // namespace drover::zk
