#pragma once

#include <QByteArray>
#include <QByteArrayList>
#include <QHashFunctions>

#include <compare>
#include <optional>
#include <stdexcept>

namespace drover::zk {

class InvalidPath : public std::invalid_argument
{
public:
    explicit InvalidPath(const QByteArray &text, const char *why);
};

// The absolute path of a znode in UTF-8. Every Path is valid by the server's rules: it begins with '/', has no empty,
// "." or ".." part, no trailing '/' and no control characters. The root is "/".
class Path
{
public:
    Path() : m_text(QByteArrayLiteral("/")) { }
    explicit Path(QByteArray text); // throws InvalidPath
    explicit Path(const char *text) : Path(QByteArray(text)) { }

    // The child `name`, which may have several parts: Path("/a") / "b/c". Throws InvalidPath.
    Path operator/(const QByteArray &name) const;

    bool isRoot() const { return m_text.size() == 1; }
    Path parent() const; // the root's parent is the root
    QByteArray name() const; // the last part; empty for the root

    const QByteArray &bytes() const { return m_text; }
    const char *c_str() const { return m_text.constData(); }
    QString toString() const { return QString::fromUtf8(m_text); }

    friend bool operator==(const Path &, const Path &) = default;
    friend bool operator<(const Path &a, const Path &b) { return a.m_text < b.m_text; }
    friend size_t qHash(const Path &path, size_t seed = 0) { return ::qHash(path.m_text, seed); }

private:
    QByteArray m_text;
};

// The number that ZooKeeper appended to a sequential node's name: 42 for "lock-0000000042". Nothing if the name does
// not end with such a number. It is the parent's counter of creates, printed with "%010d", and turns negative after
// 2^31 creates under one parent: "lock--000000005" is -5. A negative number of ten digits is recognised by the hyphen
// or underscore before its minus sign: "lock--2147483648", "__READ__-2147483648". So a prefix should end with '-' or
// '_', as those of Curator and Drover do.
std::optional<qint32> sequenceOf(const QByteArray &name);

// The end of a sequential node's name with this number: "0000000042", "-000000005".
QByteArray sequenceText(qint32 sequence);

// The counter of a server of version 3.8 stops here: every further node gets this number.
inline constexpr qint32 LastSequence = 2147483647;

// Whether `a` was created before `b`, also after the counter has wrapped (serial number arithmetic, RFC 1982). Correct
// if the two are less than 2^31 creates apart.
inline constexpr bool sequenceBefore(qint32 a, qint32 b)
{
    return static_cast<qint32>(static_cast<quint32>(a) - static_cast<quint32>(b)) < 0;
}

} // namespace drover::zk
