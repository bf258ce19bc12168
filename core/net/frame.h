#pragma once

#include <QByteArray>

#include <optional>
#include <stdexcept>

class QIODevice;

namespace drover::net {

// The unit that request_server and request_client send each other: the payload's length (four bytes, big-endian), a
// byte for the kind, then the payload.
struct Frame {
    enum class Kind : char {
        Request = 'Q',
        Reply = 'R',
        Refusal = 'X', // one line for people; then the server disconnects
    };
    static constexpr qint64 HeaderSize = 5;

    Kind kind = Kind::Request;
    QByteArray payload;

    QByteArray encode() const;

    // Takes the next frame from the device once all of it has arrived, and nothing before that. Throws BadFrame if the
    // bytes are not a frame, or its payload exceeds `limit` bytes.
    static std::optional<Frame> take(QIODevice &device, qint64 limit);
};

class BadFrame : public std::runtime_error
{
public:
    explicit BadFrame(const QString &what) : std::runtime_error(what.toStdString()) { }
};

} // namespace drover::net
