#include "app/server_config/server_config.h"

#include "app/cli/failure.h"

#include <algorithm>

namespace drover::app {

namespace {

constexpr qsizetype LongestShown = 60;

UsageError badLine(const QString &file, qsizetype line, const QString &why)
{
    return UsageError(QStringLiteral("%1:%2: %3").arg(file, QString::number(line), why));
}

bool isBlank(QChar character)
{
    return character == u' ' || character == u'\t' || character == u'\f';
}

QString withoutMargin(const QString &line)
{
    return line.sliced(std::find_if_not(line.cbegin(), line.cend(), isBlank) - line.cbegin());
}

// Whether the line goes on in the next one: it ends with a backslash that no other escapes.
bool isContinued(const QString &line)
{
    const auto end = std::find_if(line.crbegin(), line.crend(), [](QChar each) { return each != u'\\'; });
    return (end - line.crbegin()) % 2 == 1;
}

// Where the key ends: at the first blank, equals sign or colon without a backslash before it.
qsizetype endOfKey(const QString &line)
{
    for (qsizetype i = 0; i < line.size(); ++i) {
        if (line[i] == u'\\')
            ++i;
        else if (line[i] == u'=' || line[i] == u':' || isBlank(line[i]))
            return i;
    }
    return line.size();
}

// Throws a text without a place if an escape is none.
QString unescaped(const QString &text)
{
    QString plain;
    for (qsizetype i = 0; i < text.size(); ++i) {
        if (text[i] != u'\\' || i + 1 == text.size()) {
            plain += text[i];
            continue;
        }
        ++i;
        bool isCode = true;
        const char16_t escaped = text[i].unicode();
        if (escaped == u'u') {
            plain += QChar(text.sliced(i + 1).left(4).toUShort(&isCode, 16));
            isCode = isCode && text.size() > i + 4;
            i += 4;
        } else {
            plain += escaped == u't' ? u'\t' : escaped == u'n' ? u'\n' : escaped == u'r' ? u'\r' : QChar(escaped);
        }
        if (!isCode)
            throw UsageError(QStringLiteral("\\u needs four hexadecimal digits: ZooKeeper does not start with it"));
    }
    return plain;
}

ServerConfig::Setting settingIn(const QString &line)
{
    const qsizetype end = endOfKey(line);
    QString rest = withoutMargin(line.sliced(end));
    if (rest.startsWith(u'=') || rest.startsWith(u':'))
        rest = rest.sliced(1);
    if (end == 0)
        throw UsageError(QStringLiteral("\"%1\" has no key: write KEY=VALUE").arg(shortened(line)));
    return {unescaped(line.first(end)), unescaped(withoutMargin(rest)).trimmed()};
}

QStringList linesOf(const QString &file, const QByteArray &text)
{
    QString all = QString::fromUtf8(text);
    all.replace(QStringLiteral("\r\n"), QStringLiteral("\n")).replace(u'\r', u'\n');
    const QStringList lines = all.split(u'\n');
    for (qsizetype i = 0; i < lines.size(); ++i) {
        if (std::ranges::any_of(lines[i], [](QChar each) { return each.unicode() < 0x20 && !isBlank(each); }))
            throw badLine(file, i + 1, QStringLiteral("a control character, so this is not a configuration"));
    }
    return lines;
}

} // namespace

ServerConfig::ServerConfig(QString name, const QByteArray &text) : m_name(std::move(name))
{
    if (text.size() > MostBytes)
        throw UsageError(QStringLiteral("%1: more than 1 MiB, so this is not a configuration").arg(m_name));
    if (text.startsWith("\xef\xbb\xbf"))
        throw badLine(m_name, 1,
                      QStringLiteral("a byte order mark, which ZooKeeper takes for a part of the first key"));
    const QStringList lines = linesOf(m_name, text);
    for (qsizetype i = 0; i < lines.size(); ++i) {
        QString line = withoutMargin(lines[i]);
        const qsizetype first = i;
        if (line.isEmpty() || line.startsWith(u'#') || line.startsWith(u'!'))
            continue;
        while (isContinued(line)) {
            line.chop(1);
            if (++i < lines.size())
                line += withoutMargin(lines[i]);
        }
        try {
            m_settings.append(settingIn(line));
        } catch (const UsageError &error) {
            throw badLine(m_name, first + 1, QString::fromUtf8(error.what()));
        }
        m_settings.last().line = static_cast<int>(first + 1);
    }
    if (m_settings.isEmpty())
        throw UsageError(QStringLiteral("%1: no setting is in it").arg(m_name));
}

const ServerConfig::Setting *ServerConfig::find(const QString &key) const
{
    const auto last =
        std::find_if(m_settings.crbegin(), m_settings.crend(), [&](const Setting &each) { return each.key == key; });
    return last == m_settings.crend() ? nullptr : &*last;
}

QString ServerConfig::value(const QString &key) const
{
    const Setting *const setting = find(key);
    return setting ? setting->value : QString();
}

std::optional<int> ServerConfig::number(const QString &key) const
{
    bool isNumber = false;
    const int number = value(key).toInt(&isNumber);
    return isNumber ? std::optional(number) : std::nullopt;
}

QString ServerConfig::placeOf(const QString &key) const
{
    const Setting *const setting = find(key);
    return setting ? placeOf(*setting) : m_name;
}

QString ServerConfig::placeOf(const Setting &setting) const
{
    return QStringLiteral("%1:%2").arg(m_name, QString::number(setting.line));
}

QString shortened(const QString &value)
{
    return value.size() <= LongestShown ? value : value.first(LongestShown) + u"..."_qs;
}

} // namespace drover::app
