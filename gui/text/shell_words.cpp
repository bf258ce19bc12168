#include "gui/text/shell_words.h"

#include <QCoreApplication>

#include <algorithm>

namespace drover::gui {

namespace {

bool isBlank(QChar c)
{
    return c == u' ' || c == u'\t' || c == u'\n' || c == u'\r';
}

bool isOperator(QChar c)
{
    return QStringView(u"|&;<>()$`*?[~").contains(c);
}

class Splitter
{
public:
    explicit Splitter(const QString &line) : m_line(line) { }

    ShellWords run()
    {
        while (m_at < m_line.size() && m_result.error.isEmpty()) {
            const QChar c = m_line[m_at++];
            if (isBlank(c))
                endWord();
            else
                take(c);
        }
        endWord();
        return m_result;
    }

private:
    void take(QChar c)
    {
        m_inWord = true;
        if (c == u'\'')
            takeSingleQuoted();
        else if (c == u'"')
            takeDoubleQuoted();
        else if (c == u'\\')
            takeEscaped();
        else
            takePlain(c);
    }

    void takePlain(QChar c)
    {
        if (isOperator(c) && m_result.operatorSeen.isNull())
            m_result.operatorSeen = c;
        m_word.append(c);
    }

    void takeEscaped()
    {
        if (m_at == m_line.size())
            fail(QCoreApplication::translate("ShellWords", "The line ends with a backslash that keeps nothing."));
        else if (m_line[m_at++] != u'\n') // a continued line
            m_word.append(m_line[m_at - 1]);
    }

    void takeSingleQuoted()
    {
        const qsizetype end = m_line.indexOf(u'\'', m_at);
        if (end < 0)
            return fail(QCoreApplication::translate("ShellWords", "A single quote (') is not closed."));
        m_word.append(QStringView(m_line).mid(m_at, end - m_at));
        m_at = end + 1;
    }

    void takeDoubleQuoted()
    {
        while (m_at < m_line.size()) {
            QChar c = m_line[m_at++];
            if (c == u'"')
                return;
            const QChar next = m_at < m_line.size() ? m_line[m_at] : QChar();
            if (c == u'\\' && QStringView(u"\"\\$`\n").contains(next)) {
                c = next;
                ++m_at;
                if (c == u'\n')
                    continue;
            } else if ((c == u'$' || c == u'`') && m_result.operatorSeen.isNull()) {
                m_result.operatorSeen = c;
            }
            m_word.append(c);
        }
        fail(QCoreApplication::translate("ShellWords", "A double quote (\") is not closed."));
    }

    void endWord()
    {
        if (m_inWord)
            m_result.words.append(m_word);
        m_word.clear();
        m_inWord = false;
    }

    void fail(const QString &error) { m_result.error = error; }

    const QString &m_line;
    qsizetype m_at = 0;
    QString m_word;
    bool m_inWord = false;
    ShellWords m_result;
};

bool isPlain(const QString &word)
{
    return !word.isEmpty() && std::all_of(word.begin(), word.end(), [](QChar c) {
        return c.isLetterOrNumber() || QStringView(u"@%+=:,./-_").contains(c);
    });
}

} // namespace

ShellWords splitShellWords(const QString &line)
{
    return Splitter(line).run();
}

QString joinShellWords(const QStringList &words)
{
    QStringList quoted;
    for (QString word : words) {
        if (!isPlain(word))
            word = u'\'' + word.replace(u'\'', QStringLiteral("'\\''")) + u'\'';
        quoted.append(word);
    }
    return quoted.join(u' ');
}

} // namespace drover::gui
