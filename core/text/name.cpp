#include "text/name.h"

#include <algorithm>

namespace drover::text {

namespace {

bool isLowerOrDigit(QChar c)
{
    return (c >= u'a' && c <= u'z') || (c >= u'0' && c <= u'9');
}

} // namespace

bool isName(const QString &name)
{
    return !name.isEmpty() && name.size() <= 32 && isLowerOrDigit(name.front())
        && std::all_of(name.begin(), name.end(), [](QChar c) { return isLowerOrDigit(c) || c == u'-'; });
}

bool isLockName(const QString &name)
{
    return !name.isEmpty() && name.size() <= 64 && name.front() != u'.'
        && std::all_of(name.begin(), name.end(), [](QChar c) {
               return isLowerOrDigit(c) || (c >= u'A' && c <= u'Z') || c == u'.' || c == u'_' || c == u'-';
           });
}

} // namespace drover::text
