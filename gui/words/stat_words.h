#pragma once

#include "zk/types.h"

#include <QString>

namespace drover::gui {

QString byteWords(qint64 bytes); // "1 byte", "512 bytes", "64 KiB (65,536 bytes)"

// A transaction of the ensemble: the epoch of its leader, and its number in that epoch.
QString zxidWords(zk::Zxid zxid); // "epoch 3, transaction 2,623 (0x300000a3f)"

// When something happened, by the server's clock, in local time, and how long ago that is by ours.
QString instantWords(qint64 ms, qint64 nowMs); // "2026-01-31 14:03:22, 3m10s ago"

QString versionWords(const zk::Stat &stat);

} // namespace drover::gui
