#include "gui/text/write_file.h"

#include <QSaveFile>

namespace drover::gui {

QString writeFile(const QString &path, const QByteArray &bytes)
{
    QSaveFile file(path);
    const bool isWritten = file.open(QIODevice::WriteOnly) && file.write(bytes) == bytes.size()
        && file.flush() // commit() does not tell that the disk is full, and leaves an empty file
        && file.commit();
    return isWritten ? QString() : file.errorString();
}

} // namespace drover::gui
