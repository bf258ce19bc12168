#pragma once

#include <QByteArray>
#include <QByteArrayList>
#include <QHashFunctions>

#include <compare>
#include <stdexcept>

namespace drover::zk
{

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

// The number that ZooKeeper appended to a sequential node's name ("lock-0000000042" is 42), or -1 if the last ten
// characters are no number. After 2^31 creates under one parent the counter turns negative ("lock--2147483648"), which
// this reads too; order by SequenceLess then still is creation order, as long as two live nodes are not 2^31 apart.
qint64 sequenceOf(const QByteArray &name);

} // namespace drover::zk
