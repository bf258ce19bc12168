#pragma once

#include <QByteArray>

#include <optional>
#include <stdexcept>

class QIODevice;

namespace drover::net {

// What request_server and request_client send each other: a length of four bytes, the highest first, a byte that says
// what it is, and so many bytes as the length says.
struct Frame {
    enum class Kind : char {
        Request = 'Q',
        Reply = 'R',
        Refusal = 'X', // one line, for people; the server closes the connection after it
    };
    static constexpr qint64 HeaderSize = 5;

    Kind kind = Kind::Request;
    QByteArray payload;

    QByteArray encode() const;

    // The next one, once all of it has come; takes nothing before that. Throws BadFrame if what has come is none, or
    // one of more than `limit` bytes: nothing of it has been kept then.
    static std::optional<Frame> take(QIODevice &device, qint64 limit);
};

class BadFrame : public std::runtime_error
{
public:
    explicit BadFrame(const QString &what) : std::runtime_error(what.toStdString()) { }
};

} // namespace drover::net
