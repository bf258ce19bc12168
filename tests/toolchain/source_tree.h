#pragma once

#include <QList>
#include <QString>

namespace drover::test {

struct SourceFile {
    QString path; // relative to the root of the sources: core/zk/client/session.h
    QString text;
};

// Every .h and .cpp file of Drover, in the order of their paths.
QList<SourceFile> sourceFiles();

// Every README.md and the other .md files, in the order of their paths; not the CHANGELOG, which is history.
QList<SourceFile> textFiles();

// `text` with everything replaced by spaces but its comments, or but its string literals. Newlines stay where they are,
// so that line numbers hold.
QString commentsOf(const QString &text);
QString literalsOf(const QString &text);

// `text` with every comment and every character of a string or character literal replaced by a space. Newlines stay
// where they are, so that positions and line numbers hold.
QString withoutCommentsAndLiterals(const QString &text);

} // namespace drover::test
