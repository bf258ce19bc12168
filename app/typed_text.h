#pragma once

#include <QByteArray>
#include <QString>

namespace drover::app {

// A word of the command line. One that is not UTF-8 keeps its bytes, each from 128 on as a low surrogate that stands
// alone, which no UTF-8 becomes: it can be passed on as it was typed, and nobody takes it for a text.
QString typedText(const QByteArray &bytes);
QByteArray typedBytes(const QString &typed);
bool isText(const QString &typed);

} // namespace drover::app
