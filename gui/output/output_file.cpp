#include "gui/output/output_file.h"

#include "gui/output/output_lines.h"
#include "posix/files.h"

#include <QDir>
#include <QFile>
#include <QSaveFile>

#include <algorithm>
#include <system_error>

namespace drover::gui {

namespace {

constexpr qint64 BlockSize = qint64(64) * 1024;

[[noreturn]] void fail(const char *what)
{
    throw std::system_error(errno, std::generic_category(), what);
}

} // namespace

OutputFile::OutputFile()
{
    QByteArray path = QFile::encodeName(QDir::tempPath() + QStringLiteral("/drover-output-XXXXXX"));
    m_file = posix::FileDescriptor(::mkostemp(path.data(), O_CLOEXEC));
    if (!m_file)
        fail("no temporary file for the output");
    ::unlink(path.constData());
    m_places.emplace_back();
}

void OutputFile::append(const QByteArray &bytes)
{
    if (!posix::writeAll(m_file, std::string_view(bytes.constData(), static_cast<std::size_t>(bytes.size()))))
        fail("no room for the output in the temporary directory");
    const qint64 offset = m_size - m_open.size(); // of `text`
    m_size += bytes.size();
    const QByteArray text = m_open + bytes;
    qsizetype begin = 0;
    for (qsizetype end = 0; (end = endOfLine(text, begin)) >= 0; begin = end) {
        m_style = styleAfter(QByteArrayView(text).sliced(begin, end - begin), m_style);
        ++m_ended;
        if (offset + end - m_places.back().offset >= BlockSize)
            m_places.push_back({offset + end, m_ended, m_style});
    }
    m_open = text.mid(begin);
}

QByteArray OutputFile::read(qint64 offset, qint64 count) const
{
    QByteArray bytes(count, Qt::Uninitialized);
    qint64 got = 0;
    while (got < count) {
        const ssize_t some =
            ::pread(m_file.get(), bytes.data() + got, static_cast<std::size_t>(count - got), offset + got);
        if (some <= 0)
            break;
        got += some;
    }
    bytes.truncate(got);
    return bytes;
}

OutputFile::Block OutputFile::block(int index) const
{
    const auto at = static_cast<std::size_t>(index);
    const Place &place = m_places[at];
    const qint64 end = at + 1 < m_places.size() ? m_places[at + 1].offset : m_size;
    return {place.line, place.style, read(place.offset, end - place.offset)};
}

int OutputFile::blockOf(qint64 line) const
{
    const auto after = std::upper_bound(m_places.begin(), m_places.end(), line,
                                        [](qint64 wanted, const Place &place) { return wanted < place.line; });
    return std::max(0, static_cast<int>(after - m_places.begin()) - 1);
}

QString OutputFile::copyTo(const QString &path) const
{
    constexpr qint64 Step = qint64(1024) * 1024;
    QSaveFile file(path);
    bool isWritten = file.open(QIODevice::WriteOnly);
    for (qint64 at = 0; isWritten && at < m_size; at += Step) {
        const QByteArray bytes = read(at, std::min(Step, m_size - at));
        isWritten = file.write(bytes) == bytes.size() && bytes.size() == std::min(Step, m_size - at);
    }
    isWritten = isWritten && file.flush() && file.commit(); // commit() does not tell that the disk is full
    return isWritten ? QString() : file.errorString();
}

} // namespace drover::gui
