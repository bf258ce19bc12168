#pragma once

#include <QString>
#include <QStringList>

namespace drover::app {

struct InputFiles {
    QString root; // canonical
    QStringList files; // canonical paths, sorted, each once
    int links = 0; // symbolic links to files that are in the list
    int unreadable = 0; // left out

    // How a file is called in the report: relative to the root if below it.
    QString nameOf(const QString &file) const;
};

// The regular files below `directory`. Links to files are followed, and a file reached twice is listed once; linked
// directories are not entered. Throws CommandError.
InputFiles listInput(const QString &directory);

} // namespace drover::app
