#pragma once

#include <QByteArray>
#include <QString>

namespace drover::gui {

enum class DataFormat { Automatic, Json, Xml, Properties, Text, FromBase64, ToBase64, Hex };

// The data of a znode as plain text to look at.
struct NodeText {
    DataFormat format = DataFormat::Text; // never Automatic
    QString text; // a line has at most MaxLine characters: longer ones are broken
    bool cut = false; // the text is only the beginning of the data
    qsizetype unpacked = 0; // bytes, if the data is a gzip file or base64; else 0

    static constexpr qsizetype MaxLine = 4096;
    static constexpr qsizetype MaxText = 2 * 1024 * 1024; // characters
};

// Automatic takes JSON for objects and arrays, then XML, properties, text for UTF-8 without NUL, and hex for everything
// else. A format that does not fit the data falls back in that order. What a gzip file holds is shown in the place of
// it, but for Hex and ToBase64. FromBase64 shows what the base64 text stands for, ToBase64 any data as such a text.
// `hexWidth`: bytes on a line of a hex dump. A megabyte takes long: call it off the GUI thread.
NodeText renderData(const QByteArray &data, DataFormat wanted, int hexWidth = 16);

// Offset, hex, ASCII.
QString hexDump(const QByteArray &data, int width = 16);
// The characters of a line of such a dump.
constexpr int hexLineLength(int width)
{
    return 6 + 2 + 3 * width + 1 + 1 + width;
}

} // namespace drover::gui
