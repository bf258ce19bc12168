#include "source_tree.h"

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>

#include <algorithm>
#include <stdexcept>

using namespace Qt::StringLiterals;

namespace drover::test {

QList<SourceFile> sourceFiles()
{
    const QDir root(QStringLiteral(DROVER_SOURCE_DIR));
    QList<SourceFile> files;
    for (const QString &folder : {u"app"_s, u"core"_s, u"gui"_s, u"tests"_s, u"workers"_s}) {
        QDirIterator it(root.filePath(folder), {u"*.h"_s, u"*.cpp"_s}, QDir::Files, QDirIterator::Subdirectories);
        while (it.hasNext()) {
            QFile file(it.next());
            if (!file.open(QIODevice::ReadOnly))
                throw std::runtime_error("cannot read " + file.fileName().toStdString());
            files.append({root.relativeFilePath(file.fileName()), QString::fromUtf8(file.readAll())});
        }
    }
    std::sort(files.begin(), files.end(), [](const auto &a, const auto &b) { return a.path < b.path; });
    return files;
}

QString withoutCommentsAndLiterals(const QString &text)
{
    // In the order of trial: raw strings, strings, characters (not the ' of 10'000), comments.
    static const QRegularExpression blank(
        uR"re(R"(?<tag>[^\s()\\]{0,16})\(.*?\)\k<tag>"|"(?:[^"\\\n]|\\.)*"|(?<![0-9a-fA-F])'(?:[^'\\\n]|\\.)+'|//[^\n]*|/\*.*?\*/)re"_s,
        QRegularExpression::DotMatchesEverythingOption);
    QString result = text;
    for (auto it = blank.globalMatch(text); it.hasNext();) {
        const QRegularExpressionMatch match = it.next();
        for (qsizetype i = match.capturedStart(); i < match.capturedEnd(); ++i) {
            if (result[i] != u'\n')
                result[i] = u' ';
        }
    }
    return result;
}

} // namespace drover::test
