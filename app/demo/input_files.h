#pragma once

#include <QString>
#include <QStringList>

namespace drover::app {

struct InputFiles {
    QString root; // canonical
    QStringList files; // canonical paths, sorted, each once
    int links = 0; // symbolic links to listed files; not listed again
    int unreadable = 0; // unreadable files; not listed

    // The name of a file in the report: relative to the root if the file is below it.
    QString nameOf(const QString &file) const;
};

// The regular files below `directory`. Links to files are followed, and a file that is found twice is listed once.
// Linked directories are not entered. Throws CommandError.
InputFiles listInput(const QString &directory);

} // namespace drover::app
