#pragma once

#include <QByteArray>
#include <QString>

#include <optional>
#include <stdexcept>

namespace drover::jobs {

// The data of a znode are not valid: another program, another version or a person wrote them. The znode is shown as
// malformed and skipped; it never stops the program.
class Malformed : public std::runtime_error
{
public:
    explicit Malformed(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The content of a znode has a later version than this program knows. A program that knows that version can read it:
// the node must be left as it is.
class NewerFormat : public Malformed
{
public:
    NewerFormat(qint64 found, int known);
};

// Record::decode() for readers that do not need the reason: returns nothing where decode() throws Malformed or
// NewerFormat.
template <class Record, class... Arguments>
std::optional<Record> tryDecode(const Arguments &...arguments)
{
    try {
        return Record::decode(arguments...);
    } catch (const Malformed &) {
        return std::nullopt;
    }
}

// The cluster, queue or job of a request does not exist. The message names the existing ones.
class NotFound : public std::runtime_error
{
public:
    explicit NotFound(const QString &what) : std::runtime_error(what.toStdString()) { }
};

// The request does not fit the state: for example, a cancel of a job that has ended.
class WrongState : public std::runtime_error
{
public:
    explicit WrongState(const QString &what) : std::runtime_error(what.toStdString()) { }
};

class QueueFull : public std::runtime_error
{
public:
    explicit QueueFull(const QString &what) : std::runtime_error(what.toStdString()) { }
    QueueFull(const QByteArray &queue, qint64 limit);
};

// "queue default holds 50,000 unfinished jobs, its limit; drover cluster limits --queue-limit N raises it"
QString describeFull(const QByteArray &queue, qint64 limit);

// A job's specification has more bytes than JobSpec::MaxSize.
class SpecTooLarge : public std::runtime_error
{
public:
    SpecTooLarge(qsizetype size, qsizetype limit);
};

} // namespace drover::jobs
