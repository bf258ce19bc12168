#include "core/files/record_text.h"

#include "support/seeded_random.h"

namespace drover::test {

QByteArray recordText(const QByteArray &key)
{
    quint64 seed = 0;
    for (const char c : key)
        seed = seed * 31 + static_cast<quint64>(c);
    SeededRandom random(seed);
    const int length = random.chance(0.125) ? 5000 + random.below(3000) : random.below(100);
    QByteArray bytes = '<' + key + ':';
    while (bytes.size() < length)
        bytes += static_cast<char>('a' + random.below(26));
    return bytes + ">\n";
}

QString readRecords(const QByteArray &content, std::set<QByteArray> &keys)
{
    for (qsizetype at = 0; at < content.size();) {
        const qsizetype colon = content.indexOf(':', at);
        if (content[at] != '<' || colon < 0)
            return QStringLiteral("no record begins at byte %1").arg(at);
        const QByteArray key = content.mid(at + 1, colon - at - 1);
        const QByteArray bytes = recordText(key);
        if (content.mid(at, bytes.size()) != bytes)
            return QStringLiteral("record %1 at byte %2 is not whole").arg(QString::fromLatin1(key)).arg(at);
        if (!keys.insert(key).second)
            return QStringLiteral("record %1 is there twice").arg(QString::fromLatin1(key));
        at += bytes.size();
    }
    return {};
}

} // namespace drover::test
