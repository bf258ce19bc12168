#include "app/cli/argv_text.h"

#include <QStringDecoder>

namespace drover::app {

namespace {

constexpr char16_t FirstByte = 0xdc00; // stands for the byte 0; the low surrogates begin there

} // namespace

QString argvText(const QByteArray &bytes)
{
    QStringDecoder utf8(QStringDecoder::Utf8,
                        QStringDecoder::Flag::Stateless | QStringDecoder::Flag::ConvertInitialBom);
    const QString text = utf8(bytes);
    if (!utf8.hasError())
        return text;
    QString typed = QString::fromLatin1(bytes);
    for (QChar &c : typed) {
        if (c.unicode() >= 0x80)
            c = QChar(char16_t(FirstByte + c.unicode()));
    }
    return typed;
}

QByteArray argvBytes(const QString &typed)
{
    if (isText(typed))
        return typed.toUtf8();
    QByteArray bytes;
    for (const QChar c : typed)
        bytes += static_cast<char>(c.unicode() & 0xff);
    return bytes;
}

bool isText(const QString &typed)
{
    return typed.isValidUtf16();
}

} // namespace drover::app
