#include "source_tree.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>
#include <stdexcept>

using namespace Qt::StringLiterals;

namespace drover::test {

namespace {

// The files in these folders (of one alone: no subfolders) that have such names, in the order of their paths.
QList<SourceFile> filesIn(const QStringList &folders, const QStringList &names)
{
    const QDir root(QStringLiteral(DROVER_SOURCE_DIR));
    QList<SourceFile> files;
    for (const QString &folder : folders) {
        const auto depth = folder == u"." ? QDirIterator::NoIteratorFlags : QDirIterator::Subdirectories;
        QDirIterator it(root.filePath(folder), names, QDir::Files, depth);
        while (it.hasNext()) {
            QFile file(it.next());
            if (!file.open(QIODevice::ReadOnly))
                throw std::runtime_error("cannot read " + file.fileName().toStdString());
            files.append({QDir::cleanPath(root.relativeFilePath(file.fileName())), QString::fromUtf8(file.readAll())});
        }
    }
    std::sort(files.begin(), files.end(), [](const auto &a, const auto &b) { return a.path < b.path; });
    return files;
}

// Comments and literals, in the order of trial: raw strings, strings, characters (not the ' of 10'000), comments.
const QRegularExpression &commentOrLiteral()
{
    static const QRegularExpression pattern(uR"re(R"(?<tag>[^\s()\\]{0,16})\(.*?\)\k<tag>"|"(?:[^"\\\n]|\\.)*")re"
                                            uR"re(|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'|//[^\n]*|/\*.*?\*/)re"_s,
                                            QRegularExpression::DotMatchesEverythingOption);
    return pattern;
}

// A copy with all characters replaced by spaces, but newlines and the matches that `keeps` chooses.
template <typename Keeps>
QString only(const QString &text, Keeps keeps)
{
    QString result = text;
    for (QChar &c : result) {
        if (c != u'\n')
            c = u' ';
    }
    for (auto it = commentOrLiteral().globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        if (keeps(match.captured()))
            result.replace(match.capturedStart(), match.capturedLength(), match.captured());
    }
    return result;
}

} // namespace

QList<SourceFile> sourceFiles()
{
    return filesIn({u"app"_s, u"core"_s, u"gui"_s, u"tests"_s, u"workers"_s}, {u"*.h"_s, u"*.cpp"_s});
}

QList<SourceFile> textFiles()
{
    QList<SourceFile> files =
        filesIn({u"."_s, u"app"_s, u"core"_s, u"gui"_s, u"packaging"_s, u"tests"_s, u"workers"_s}, {u"*.md"_s});
    files.removeIf([](const SourceFile &file) { return file.path == u"CHANGELOG.md"; });
    return files;
}

QString commentsOf(const QString &text)
{
    return only(text, [](const QString &match) { return match.startsWith(u'/'); });
}

QString literalsOf(const QString &text)
{
    return only(text, [](const QString &match) { return match.startsWith(u'"') || match.startsWith(u'R'); });
}

QString withoutCommentsAndLiterals(const QString &text)
{
    QString result = text;
    for (auto it = commentOrLiteral().globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        for (qsizetype i = match.capturedStart(); i < match.capturedEnd(); ++i) {
            if (result[i] != u'\n')
                result[i] = u' ';
        }
    }
    return result;
}

} // namespace drover::test
