#pragma once

#include <QImage>
#include <QString>

namespace drover::test {

// A picture as it is kept: with few colours where letters are, so that its file is small.
QImage asKept(const QImage &picture);

// Where two pictures differ, in words, or nothing if they are alike. Letters may be drawn a little otherwise by another
// machine, so their pixels count where they differ much. Pixels of areas and straight lines count where they differ a
// little. A place differs where several such pixels are: a missing icon, a line that has moved, another word or grey.
QString differenceOf(const QImage &kept, const QImage &now);

// Compares the picture with the kept one of that name, or keeps it if the environment has DROVER_ACCEPT_PICTURES.
// Returns the difference, or nothing; if there is one, the picture is in the directory `failures`.
QString compareWithKept(const QImage &picture, const QString &name, const QString &failures);

} // namespace drover::test
