#pragma once

#include "zk/path.h"

#include <QString>

#include <stdexcept>

namespace drover::zk {

// Outcomes of an operation, with the C client's numbers. Answers (isAnswer) are what a recipe branches on and come back
// as values; everything else is thrown.
enum class Code : int {
    Ok = 0,

    NoNode = -101,
    BadVersion = -103,
    NoChildrenForEphemerals = -108,
    NodeExists = -110,
    NotEmpty = -111,
    NoWatcher = -121,

    SystemError = -1,
    RuntimeInconsistency = -2, // in a failed multi: an operation after the one that failed
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
    Throttled = -127, // an overloaded server has not carried it out
};

bool isAnswer(Code code);
const char *name(Code code);

// Base of all that is thrown. what() says what was attempted, on which path, and why it failed.
class Error : public std::runtime_error
{
public:
    Error(Code code, const QString &what) : std::runtime_error(what.toStdString()), m_code(code) { }
    Code code() const { return m_code; }

private:
    Code m_code;
};

// The connection broke while the operation was under way: it may have been carried out or not. The session may live on.
// Also thrown when a server has thrown the operation away: it is to be tried again like one that was lost.
class ConnectionLoss : public Error
{
public:
    explicit ConnectionLoss(const QString &what) : Error(Code::ConnectionLoss, what) { }
};

// The session has ended (expired, by the server's word or by our own clock, or closed): its ephemeral nodes and watches
// are gone or about to go, and this Coordinator will never serve again.
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

// The request is larger than a server accepts. Nothing was sent: the server would have dropped the connection.
class RequestTooLarge : public Error
{
public:
    explicit RequestTooLarge(const QString &what) : Error(Code::BadArguments, what) { }
};

// value() was asked of an answer that is not Ok: the caller did not expect it.
class UnexpectedAnswer : public Error
{
public:
    UnexpectedAnswer(Code code, const QString &what) : Error(code, what) { }
};

// Throws the exception that belongs to a failure, e.g. throwFailure(Code::ConnectionLoss, "create", path).
[[noreturn]] void throwFailure(Code code, const char *operation, const Path &path);

} // namespace drover::zk
