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

// The absolute path of a znode in UTF-8, valid by construction by the server's own rules: begins with '/', no empty,
// "." or ".." part, no trailing '/', no control characters. The root is "/".
class Path
{
public:
    Path() : m_text(QByteArrayLiteral("/")) { }
    explicit Path(QByteArray text); // throws InvalidPath
    explicit Path(const char *text) : Path(QByteArray(text)) { }

    // The child `name`, which may have several parts: Path("/a") / "b/c". Throws InvalidPath.
    Path operator/(const QByteArray &name) const;

    bool isRoot() const { return m_text.size() == 1; }
    Path parent() const; // of the root: the root
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

// The number that ZooKeeper appended to a sequential node's name: of "lock-0000000042" it is 42; nothing if the name
// does not end with one. It is the parent's counter of creates, printed with "%010d", and turns negative after 2^31
// creates under one parent: "lock--000000005" is -5. Eleven characters long ("lock--2147483648") it is told from a
// hyphen before a positive number by the second hyphen or an underscore ("__READ__-2147483648"), so a prefix should end
// with one of these, as all of Curator's and ours do.
std::optional<qint32> sequenceOf(const QByteArray &name);

// The same number as the end of a name: "0000000042", "-000000005".
QByteArray sequenceText(qint32 sequence);

// Where the counter of a server like ours stops: every further node has this number.
inline constexpr qint32 LastSequence = 2147483647;

// Which was created first, over the counter's wrap as well (serial number arithmetic, RFC 1982): right as long as the
// two are less than 2^31 creates apart.
inline constexpr bool sequenceBefore(qint32 a, qint32 b)
{
    return static_cast<qint32>(static_cast<quint32>(a) - static_cast<quint32>(b)) < 0;
}

} // namespace drover::zk
