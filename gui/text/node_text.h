#pragma once

#include <QByteArray>
#include <QString>

namespace drover::gui {

enum class DataFormat { Automatic, Json, Text, Hex };

// The data of a znode as plain text to look at.
struct NodeText {
    DataFormat format = DataFormat::Text; // never Automatic
    QString text;
    bool cut = false; // the text is only the beginning of the data
};

// Automatic takes JSON for objects and arrays, text for UTF-8 without NUL, hex for everything else. A format that does
// not fit the data falls back in that order: JSON, text, hex.
// JSON of more than 256 KiB is shown as text, which takes no time. `hexWidth`: bytes on a line of a hex dump.
NodeText renderData(const QByteArray &data, DataFormat wanted, int hexWidth = 16);

// Offset, hex, ASCII.
QString hexDump(const QByteArray &data, int width = 16);

} // namespace drover::gui
