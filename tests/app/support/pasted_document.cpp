#include "pasted_document.h"

#include <QFile>
#include <QFileInfo>
#include <QRegularExpression>

#include <stdexcept>

using namespace Qt::StringLiterals;

namespace drover::test {

namespace {

// Stands in the output before that of each command.
const QString Mark = u"=== command %1 ==="_s;

// The word that ends the here-document of a command; empty if it has none.
QString hereEnd(const QString &command)
{
    static const QRegularExpression here(u"<<'?(\\w+)"_s);
    return here.match(command).captured(1);
}

// Whether the next line belongs to the command as well.
bool goesOn(const QString &command)
{
    const QString end = hereEnd(command);
    return end.isEmpty() ? command.endsWith(u'\\') : !command.endsWith(u'\n' + end);
}

// As part of a script that ends with the first command that does not do what its comment says.
QString checked(const PastedCommand &command, qsizetype number)
{
    static const QRegularExpression exitCode(u"exit code (\\d+)"_s);
    QString text = command.text;
    QString expected = u"0"_s;
    if (command.comment.contains(u"Ctrl-C ends it")) {
        text.prepend(u"timeout --preserve-status --signal INT 3 "_s);
        expected = u"130"_s;
    } else if (command.comment.contains(u"Ctrl-C stops everything")) {
        text += u" --detach"_s;
    } else if (const QRegularExpressionMatch match = exitCode.match(command.comment); match.hasMatch()) {
        expected = match.captured(1);
    }
    if (!command.machine.isEmpty())
        text = u"(\nmachine "_s + command.machine + u'\n' + text + u"\n)"_s;
    return u"echo '"_s + Mark.arg(number) + u"'\n"_s + text
        + u"\ncode=$?; test $code = %1 || { echo \"exit code $code, expected %1\"; exit 1; }\n"_s.arg(expected);
}

bool matches(const QString &line, const QString &expected)
{
    QStringList parts = expected.simplified().split(u"..."_s);
    for (QString &part : parts)
        part = QRegularExpression::escape(part.trimmed());
    const QRegularExpression pattern(QRegularExpression::anchoredPattern(parts.join(u".*"_s)));
    return pattern.match(line.simplified()).hasMatch();
}

// The first expected line that is not in the output, behind those before it.
QString missingLine(const QStringList &output, const QStringList &expected)
{
    auto at = output.cbegin();
    for (const QString &line : expected) {
        at = std::find_if(at, output.cend(), [&](const QString &printed) { return matches(printed, line); });
        if (at == output.cend())
            return line;
        ++at;
    }
    return {};
}

// Empty for a command that can be pasted.
QString whyLeftOut(const QString &prompt, const QString &text)
{
    if (prompt == u"#")
        return u"as root"_s;
    if (prompt == u"drover$")
        return u"of the sources"_s;
    if (text.startsWith(u"drover-console "))
        return u"a window"_s;
    if (text.startsWith(u"drover launch "))
        return u"by ssh"_s;
    return {};
}

} // namespace

PastedDocument::PastedDocument(const QString &path) : m_name(QFileInfo(path).fileName())
{
    static const QRegularExpression promptOf(u"^([\\w/-]*\\$|#) "_s);
    QFile file(path);
    if (!file.open(QIODevice::ReadOnly))
        throw std::runtime_error("cannot read " + path.toStdString());
    const QStringList lines = QString::fromUtf8(file.readAll()).split(u'\n');
    bool inCommands = false; // in a fenced block without a language
    bool inOther = false;
    bool prompted = false; // a command stands above, in this block
    bool here = false; // it is pasted
    for (qsizetype i = 0; i < lines.size(); ++i) {
        const QString &line = lines[i];
        if (line.startsWith(u"```")) {
            const bool begins = !inCommands && !inOther;
            inCommands = begins && line == u"```";
            inOther = begins && !inCommands;
            prompted = false;
            continue;
        }
        if (!inCommands)
            continue;
        const QRegularExpressionMatch prompt = promptOf.match(line);
        if (!prompt.hasMatch()) {
            if (!prompted)
                throw std::runtime_error(
                    u"%1:%2: no prompt in a block without a language"_s.arg(m_name).arg(i + 1).toStdString());
            if (here && !line.isEmpty())
                m_commands.last().output.append(line);
            continue;
        }
        const qsizetype first = i;
        QString text = line.mid(prompt.capturedLength());
        while (goesOn(text) && i + 1 < lines.size())
            text += u'\n' + lines[++i];
        prompted = true;
        const qsizetype before = m_commands.size();
        add(prompt.captured(1), text, first + 1);
        here = m_commands.size() > before;
    }
}

void PastedDocument::add(const QString &prompt, const QString &text, qsizetype line)
{
    static const QRegularExpression commentOf(u" {2,}# .*$"_s);
    m_prompted.append(prompt + u' ' + QString(text).remove(commentOf));
    const QString why = whyLeftOut(prompt, text);
    if (!why.isEmpty())
        m_leftOut.append({text, why, line});
    else
        m_commands.append(
            {QString(text).remove(commentOf), commentOf.match(text).captured().trimmed(), {}, line, prompt.chopped(1)});
}

QString PastedDocument::script() const
{
    QString script = u"exec 2>&1\n"_s;
    for (qsizetype i = 0; i < m_commands.size(); ++i)
        script += checked(m_commands[i], i);
    return script + u"echo '"_s + Mark.arg(m_commands.size()) + u"'\n"_s;
}

QString PastedDocument::objectionTo(const QString &output) const
{
    qsizetype at = 0;
    for (qsizetype i = 0; i < m_commands.size(); ++i) {
        const PastedCommand &command = m_commands[i];
        const qsizetype begin = output.indexOf(Mark.arg(i), at);
        const qsizetype end = output.indexOf(Mark.arg(i + 1), begin);
        const QString printed = output.mid(begin, end < 0 ? -1 : end - begin).section(u'\n', 1);
        const QString missing = missingLine(printed.split(u'\n'), command.output);
        if (begin < 0 || end < 0 || !missing.isNull())
            return u"%1:%2: %3\nprinted:\n%4\n%5"_s.arg(m_name, QString::number(command.line), command.text, printed,
                                                        missing.isNull() ? QString() : u"and not: "_s + missing);
        at = end;
    }
    return {};
}

} // namespace drover::test
