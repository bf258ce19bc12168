#include "app/demo/report.h"

#include <QFile>

#include <unistd.h>

namespace drover::app {

namespace {

QByteArray escaped(const QString &name)
{
    return name.toUtf8().replace('\\', "\\\\").replace('\n', "\\n");
}

QString unescaped(const QByteArray &text)
{
    QByteArray name;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] == '\\' && i + 1 < text.size())
            name += text[++i] == 'n' ? '\n' : text[i];
        else
            name += text[i];
    }
    return QString::fromUtf8(name);
}

[[noreturn]] void fail(const QFile &file, const QString &what)
{
    throw ReportError(QStringLiteral("cannot %1 the report %2: %3").arg(what, file.fileName(), file.errorString()));
}

} // namespace

QByteArray DemoReport::Line::bytes() const
{
    return QByteArray::number(words) + ' ' + escaped(name) + '\n';
}

bool DemoReport::append(const Line &line) const
{
    QFile file(m_file);
    if (!file.open(QIODevice::ReadWrite | QIODevice::Unbuffered))
        fail(file, QStringLiteral("open"));
    const QByteArray content = file.readAll();
    const qsizetype whole = content.lastIndexOf('\n') + 1;
    if (whole < content.size() && !file.resize(whole))
        fail(file, QStringLiteral("mend"));
    const QByteArray end = ' ' + escaped(line.name);
    const QByteArrayList lines = content.first(whole).split('\n');
    for (const QByteArray &present : lines) {
        if (present.mid(present.indexOf(' ')) == end)
            return false;
    }
    const QByteArray bytes = line.bytes();
    if (!file.seek(whole) || file.write(bytes) != bytes.size())
        fail(file, QStringLiteral("write to"));
    if (fdatasync(file.handle()) != 0)
        fail(file, QStringLiteral("store"));
    return true;
}

DemoReport::Content DemoReport::read() const
{
    QFile file(m_file);
    if (!file.exists())
        return {};
    if (!file.open(QIODevice::ReadOnly))
        fail(file, QStringLiteral("read"));
    QByteArrayList rows = file.readAll().split('\n');
    Content content;
    content.malformed = rows.takeLast().isEmpty() ? 0 : 1;
    for (const QByteArray &row : rows) {
        const qsizetype space = row.indexOf(' ');
        bool isNumber = false;
        const qint64 words = row.left(space).toLongLong(&isNumber);
        if (space > 0 && isNumber && space + 1 < row.size())
            content.lines.push_back(Line{words, unescaped(row.mid(space + 1))});
        else
            ++content.malformed;
    }
    return content;
}

} // namespace drover::app
