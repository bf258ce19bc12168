#pragma once

#include <QList>
#include <QString>

namespace drover::test {

struct SourceFile {
    QString path; // relative to the root of the sources: core/zk/session.h
    QString text;
};

// Every .h and .cpp file of Drover, in the order of their paths.
QList<SourceFile> sourceFiles();

// The same text with every comment and every character of a string or character literal replaced by a space. Newlines
// stay where they are, so that positions and line numbers hold.
QString withoutCommentsAndLiterals(const QString &text);

} // namespace drover::test
