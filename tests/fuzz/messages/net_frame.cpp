#include "fuzz/harness/target.h"
#include "net/frame.h"

#include <QBuffer>

using namespace drover;

// What arrives on a connection to a worker: frames, one after the other.
DROVER_FUZZ_TARGET(net_frame, Form::Bytes)
{
    constexpr qint64 Limit = 1024;
    QByteArray written;
    QByteArray arrived = input;
    QBuffer device(&arrived);
    device.open(QIODevice::ReadOnly);
    try {
        while (const std::optional<net::Frame> frame = net::Frame::take(device, Limit)) {
            require(frame->payload.size() <= Limit, "a frame is larger than the limit");
            written += frame->encode();
        }
    } catch (const net::BadFrame &) {
        // The connection is closed.
    }
    require(input.startsWith(written), "a frame has other bytes than arrived");
}
