#include "text/host_name.h"

#include <algorithm>

#include <arpa/inet.h>

namespace drover::text {

namespace {

constexpr qsizetype LongestName = 253;
constexpr qsizetype LongestPart = 63;

bool isNamePart(QStringView part)
{
    const auto isAllowed = [](QChar c) {
        return (c >= u'a' && c <= u'z') || (c >= u'A' && c <= u'Z') || (c >= u'0' && c <= u'9') || c == u'-'
            || c == u'_';
    };
    return !part.isEmpty() && part.size() <= LongestPart && part.front() != u'-' && part.back() != u'-'
        && std::all_of(part.begin(), part.end(), isAllowed);
}

} // namespace

bool isHostName(const QString &text)
{
    if (text.size() > LongestName)
        return false;
    if (text.contains(u':')) {
        in6_addr address{};
        return ::inet_pton(AF_INET6, text.toLatin1().constData(), &address) == 1 && !text.contains(QChar(0));
    }
    const QList<QStringView> parts = QStringView(text).split(u'.');
    return std::all_of(parts.begin(), parts.end(), isNamePart);
}

} // namespace drover::text
