#pragma once

#include <QString>

#include <stdexcept>

namespace drover::history {

// The history cannot be read or written now. what() is one line that says where and why. Nothing was changed, so the
// caller may archive the entries again.
class HistoryError : public std::runtime_error
{
public:
    explicit HistoryError(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The text is not a valid location of a history.
class InvalidLocation : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

// Only the cluster's settings name the location, and it may be used only where this machine's settings name it, too.
class LocationNotListed : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

// A master with a greater fencing token has archived already, so the caller is deposed. Nothing was changed.
class StaleMaster : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

// The database refuses a row because of its content, not because of a fault of its own. A retry of the row fails again.
class RecordRefused : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

// The history to read does not exist yet.
class NoHistory : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

} // namespace drover::history
