#pragma once

#include <QByteArray>
#include <QString>

namespace drover::gui {

// Replaces the file, or makes it, at once with all of the bytes. Returns why it cannot be written; then the file is as
// it was. Empty: it is written.
QString writeFile(const QString &path, const QByteArray &bytes);

} // namespace drover::gui
