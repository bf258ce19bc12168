#pragma once

#include <QString>

#include <stdexcept>

namespace drover::history {

// The history cannot be read or written now; one line that says where and why. Nothing was changed: what could not be
// archived can be archived again.
class HistoryError : public std::runtime_error
{
public:
    explicit HistoryError(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// What was given as the history's place is none.
class InvalidLocation : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

// A later master than the one that archives has archived already: nothing was changed.
class StaleMaster : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

// The database refuses a row for what is in it, not for a trouble of its own: the same row is refused again.
class RecordRefused : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

// Reading a history that nobody has begun.
class NoHistory : public HistoryError
{
public:
    using HistoryError::HistoryError;
};

} // namespace drover::history
