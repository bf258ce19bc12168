#include "net/frame.h"

#include <QIODevice>
#include <QtEndian>

namespace drover::net {

QByteArray Frame::encode() const
{
    QByteArray bytes(HeaderSize, '\0');
    qToBigEndian(static_cast<quint32>(payload.size()), bytes.data());
    bytes[4] = static_cast<char>(kind);
    return bytes + payload;
}

std::optional<Frame> Frame::take(QIODevice &device, qint64 limit)
{
    const QByteArray header = device.peek(HeaderSize);
    if (header.size() < HeaderSize)
        return std::nullopt;
    const qint64 size = qFromBigEndian<quint32>(header.constData());
    const auto kind = static_cast<Kind>(header[4]);
    if (kind != Kind::Request && kind != Kind::Reply && kind != Kind::Refusal)
        throw BadFrame(QStringLiteral("the bytes received are not a message of drover"));
    if (size > limit)
        throw BadFrame(QStringLiteral("a message of %1 bytes, where %2 are the most").arg(size).arg(limit));
    if (device.bytesAvailable() < HeaderSize + size)
        return std::nullopt;
    device.skip(HeaderSize);
    return Frame{kind, device.read(size)};
}

} // namespace drover::net
