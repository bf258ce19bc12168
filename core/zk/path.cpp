#include "zk/path.h"

#include <QString>

#include <algorithm>

namespace drover::zk {

namespace {

const char *faultOf(const QByteArray &text)
{
    if (text.isEmpty() || text.front() != '/')
        return "must begin with /";
    if (text.size() > 1 && text.back() == '/')
        return "must not end with /";
    for (const char c : text) {
        if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f)
            return "must not hold control characters";
    }
    if (text.size() > 1) {
        for (const QByteArray &part : text.mid(1).split('/')) {
            if (part.isEmpty() || part == "." || part == "..")
                return "must not hold an empty, . or .. part";
        }
    }
    return nullptr;
}

} // namespace

InvalidPath::InvalidPath(const QByteArray &text, const char *why)
    : std::invalid_argument("invalid znode path \"" + text.toStdString() + "\": " + why)
{
}

Path::Path(QByteArray text) : m_text(std::move(text))
{
    if (const char *fault = faultOf(m_text))
        throw InvalidPath(m_text, fault);
}

Path Path::operator/(const QByteArray &name) const
{
    return Path(isRoot() ? '/' + name : m_text + '/' + name);
}

Path Path::parent() const
{
    const qsizetype slash = m_text.lastIndexOf('/');
    return slash <= 0 ? Path() : Path(m_text.left(slash));
}

QByteArray Path::name() const
{
    return m_text.mid(m_text.lastIndexOf('/') + 1);
}

std::optional<qint32> sequenceOf(const QByteArray &name)
{
    constexpr qsizetype Width = 10;
    if (name.size() < Width)
        return std::nullopt;
    QByteArray digits = name.right(Width);
    const QByteArray prefix = name.chopped(Width);
    if (digits.front() >= '1' && digits.front() <= '9' && (prefix.endsWith("--") || prefix.endsWith("_-")))
        digits.prepend('-');
    // toInt() would also take spaces around a number, and anything behind a NUL.
    const auto isDigit = [](char c) { return c >= '0' && c <= '9'; };
    if (!std::all_of(digits.begin() + (digits.front() == '-' ? 1 : 0), digits.end(), isDigit))
        return std::nullopt;
    bool ok = false;
    const qint32 number = digits.toInt(&ok);
    const bool isMinusZero = number == 0 && digits.front() == '-';
    return ok && !isMinusZero ? std::optional(number) : std::nullopt;
}

QByteArray sequenceText(qint32 sequence)
{
    return QString::asprintf("%010d", sequence).toLatin1();
}

} // namespace drover::zk
