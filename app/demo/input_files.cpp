#include "app/demo/input_files.h"

#include "app/cli/failure.h"

#include <QDir>
#include <QDirIterator>
#include <QSet>

namespace drover::app {

QString InputFiles::nameOf(const QString &file) const
{
    return file.startsWith(root + u'/') ? file.mid(root.size() + 1) : file;
}

InputFiles listInput(const QString &directory)
{
    const QFileInfo info(directory);
    if (!info.isDir())
        throw CommandError(ExitNotFound,
                           QStringLiteral("%1 is not a directory: give one that holds text files").arg(directory));
    if (!info.isReadable() || !info.isExecutable())
        throw CommandError(ExitError,
                           QStringLiteral("the directory %1 cannot be read: check its permissions").arg(directory));

    InputFiles input;
    input.root = info.canonicalFilePath();
    QSet<QString> files;
    QDirIterator entries(input.root, QDir::Files | QDir::Hidden, QDirIterator::Subdirectories);
    while (entries.hasNext()) {
        entries.next();
        const QFileInfo entry = entries.fileInfo();
        const QString file = entry.canonicalFilePath();
        if (file.isEmpty() || !QFileInfo(file).isFile() || !QFileInfo(file).isReadable())
            ++input.unreadable;
        else if (entry.isSymLink())
            ++input.links, files.insert(file);
        else
            files.insert(file);
    }
    input.files = QStringList(files.begin(), files.end());
    input.files.sort();
    if (input.files.isEmpty())
        throw CommandError(
            ExitError,
            QStringLiteral("%1 holds no file that can be read: give a directory of text files").arg(directory));
    return input;
}

} // namespace drover::app
