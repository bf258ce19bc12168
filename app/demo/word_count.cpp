#include "app/demo/word_count.h"

#include <QFile>

#include <stdexcept>

namespace drover::app {

namespace {

bool isSpace(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

} // namespace

qint64 countWords(const QString &path)
{
    constexpr qint64 piece = 1 << 20;
    QFile file(path);
    const auto fail = [&] {
        throw std::runtime_error(QStringLiteral("cannot read %1: %2").arg(path, file.errorString()).toStdString());
    };
    if (!file.open(QIODevice::ReadOnly))
        fail();
    qint64 words = 0;
    bool inWord = false;
    for (QByteArray bytes = file.read(piece); !bytes.isEmpty(); bytes = file.read(piece)) {
        for (const char c : bytes) {
            words += !isSpace(c) && !inWord;
            inWord = !isSpace(c);
        }
    }
    if (file.error() != QFileDevice::NoError)
        fail();
    return words;
}

} // namespace drover::app
