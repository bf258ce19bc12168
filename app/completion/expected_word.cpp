#include "app/completion/expected_word.h"

#include "app/cli/arguments.h"
#include "app/commands/registry.h"

#include <QHash>

#include <algorithm>

namespace drover::app {

namespace {

bool isNumber(const QString &word)
{
    bool ok = false;
    word.toLongLong(&ok);
    return ok;
}

// Goes along the words that are complete, and remembers what the next one is.
class Walk
{
public:
    void pass(const QString &word, qsizetype index)
    {
        if (m_program >= 0)
            return;
        if (m_option)
            m_option.reset();
        else if (!m_dashes && word == u"--")
            m_dashes = true;
        else if (isOption(word))
            passOption(word);
        else if (expectsProgram())
            m_program = index;
        else
            passWord(word);
    }

    ExpectedWord expect(const QString &word, qsizetype index) const
    {
        ExpectedWord expected;
        expected.begun = word;
        if (m_program >= 0 || (expectsProgram() && !m_option && !isOption(word)))
            expected.program = m_program >= 0 ? m_program : index;
        else if (m_option)
            expectValue(expected, *m_option);
        else if (isOption(word) && word.contains(u'='))
            expectValueBehind(expected, word.indexOf(u'='));
        else if (isOption(word))
            expectOption(expected);
        else
            expectWord(expected);
        return expected;
    }

private:
    bool isOption(const QString &word) const
    {
        const bool number = m_command && m_command->takesNumber && isNumber(word);
        return !m_dashes && word.startsWith(u'-') && !number;
    }

    QList<QCommandLineOption> options() const
    {
        return m_command ? globalOptions() + m_command->options : globalOptions();
    }

    std::optional<QCommandLineOption> find(const QString &name) const
    {
        for (const QCommandLineOption &option : options()) {
            if (option.names().contains(name))
                return option;
        }
        return std::nullopt;
    }

    static bool takesValue(const std::optional<QCommandLineOption> &option)
    {
        return option && !option->valueName().isEmpty();
    }

    // --name, --name=value, -o value, -ovalue, -fo value
    void passOption(const QString &word)
    {
        if (word.startsWith(u"--")) {
            const std::optional<QCommandLineOption> option = find(word.mid(2));
            if (takesValue(option))
                m_option = option;
            return;
        }
        for (qsizetype i = 1; i < word.size(); ++i) {
            const std::optional<QCommandLineOption> option = find(word.mid(i, 1));
            if (!takesValue(option))
                continue;
            if (i + 1 == word.size())
                m_option = option;
            return;
        }
    }

    void passWord(const QString &word)
    {
        if (m_name.isEmpty() && !m_helps && word == u"help") {
            m_helps = true;
        } else if (m_name.isEmpty()) {
            m_name = word;
            m_command = findCommand(word);
        } else if (const Command *const longer = mayBeLonger() ? findCommand(m_name + u' ' + word) : nullptr) {
            m_name += u' ' + word;
            m_command = longer;
        } else {
            m_arguments.append(word);
        }
    }

    bool mayBeLonger() const { return m_arguments.isEmpty() && !m_dashes && !m_name.contains(u' '); }

    QList<CompletionKind> kindsHere() const
    {
        if (!m_command || m_helps || m_command->takes.isEmpty() || m_arguments.size() >= m_command->argumentCount.most)
            return {};
        return m_command->takes[std::min(m_arguments.size(), m_command->takes.size() - 1)];
    }
    bool expectsProgram() const { return kindsHere().contains(CompletionKind::Program); }

    void expectValue(ExpectedWord &expected, const QCommandLineOption &option) const
    {
        const bool isForm = m_command && option.names().contains(QStringLiteral("output"));
        const QString placeholder = isForm ? QString::fromLatin1(m_command->forms) : option.valueName();
        if (placeholder.contains(u'|')) {
            for (const QString &word : placeholder.split(u'|'))
                expected.words.append({word});
            return;
        }
        expected.kinds = {kindOfPlaceholder(placeholder)};
        const qsizetype comma = expected.begun.lastIndexOf(u',');
        if (comma < 0 || expected.kinds.first() == CompletionKind::File
            || expected.kinds.first() == CompletionKind::Directory)
            return;
        expected.fixed += expected.begun.left(comma + 1);
        expected.begun = expected.begun.mid(comma + 1);
    }

    void expectValueBehind(ExpectedWord &expected, qsizetype equals) const
    {
        const std::optional<QCommandLineOption> option = find(expected.begun.left(equals).mid(2));
        expected.fixed = expected.begun.left(equals + 1);
        expected.begun = expected.begun.mid(equals + 1);
        if (takesValue(option))
            expectValue(expected, *option);
    }

    // Expects options; once a verb is typed, only options that apply to it.
    void expectOption(ExpectedWord &expected) const
    {
        for (const QCommandLineOption &option : options()) {
            const QString name = option.names().last();
            if (isForOtherVerbs(name))
                continue;
            expected.words.append(
                {(name.size() == 1 ? QStringLiteral("-") : QStringLiteral("--")) + name, option.description()});
        }
    }

    bool isForOtherVerbs(const QString &option) const
    {
        if (!m_command || m_arguments.size() < 2)
            return false;
        const auto takes = [&](const Verb &verb) { return verb.options.contains(option); };
        const auto takesNow = [&](const Verb &verb) { return verb.name == m_arguments[1] && takes(verb); };
        return std::ranges::any_of(m_command->verbs, takes) && std::ranges::none_of(m_command->verbs, takesNow);
    }

    void expectWord(ExpectedWord &expected) const
    {
        if (m_name.isEmpty()) {
            expectCommand(expected);
            return;
        }
        if (mayBeLonger()) {
            for (const QString &second : secondWords(m_name))
                expected.words.append({second, QString::fromUtf8(findCommand(m_name + u' ' + second)->summary)});
        }
        if (m_command && !m_helps && m_arguments.size() == 1 && !m_command->verbs.isEmpty()) {
            for (const Verb &verb : m_command->verbs)
                expected.words.append({verb.name});
            return;
        }
        expected.kinds = kindsHere();
    }

    // The first words of all names, those that are not for users left out.
    void expectCommand(ExpectedWord &expected) const
    {
        QStringList seen;
        for (const CommandGroup &group : commandGroups()) {
            for (const Command &command : group.title ? group.commands : QList<Command>()) {
                const QString name = QLatin1String(command.name);
                const QString first = name.section(u' ', 0, 0);
                if (seen.contains(first))
                    continue;
                seen.append(first);
                const Command *const whole = findCommand(first);
                expected.words.append(
                    {first,
                     whole ? QString::fromUtf8(whole->summary)
                           : QStringLiteral("%1 ...").arg(secondWords(first).join(QStringLiteral(", ")))});
            }
            for (const CompanionProgram &companion : group.companions)
                expected.words.append({QLatin1String(companion.word), QString::fromUtf8(companion.summary)});
        }
        if (!m_helps)
            expected.words.append({QStringLiteral("help"), QStringLiteral("Explain a command")});
    }

    QString m_name; // of the command, one word or two
    const Command *m_command = nullptr; // if that is one
    bool m_helps = false; // the command is only to be explained
    bool m_dashes = false; // no options follow
    QStringList m_arguments;
    std::optional<QCommandLineOption> m_option; // whose value comes next
    qsizetype m_program = -1;
};

} // namespace

ExpectedWord expectedWord(const QStringList &words)
{
    if (words.isEmpty())
        return {};
    Walk walk;
    for (qsizetype i = 0; i + 1 < words.size(); ++i)
        walk.pass(words[i], i);
    return walk.expect(words.last(), words.size() - 1);
}

CompletionKind kindOfPlaceholder(const QString &placeholder)
{
    static const QHash<QString, CompletionKind> kinds{
        {QStringLiteral("FILE"), CompletionKind::File},       {QStringLiteral("DIR"), CompletionKind::Directory},
        {QStringLiteral("PLACE"), CompletionKind::File},      {QStringLiteral("ZONE"), CompletionKind::TimeZone},
        {QStringLiteral("CLUSTER"), CompletionKind::Cluster}, {QStringLiteral("QUEUE"), CompletionKind::Queue},
        {QStringLiteral("WORKER"), CompletionKind::Worker},   {QStringLiteral("LABEL"), CompletionKind::Label},
        {QStringLiteral("LOCK"), CompletionKind::Lock},       {QStringLiteral("LIMIT"), CompletionKind::Limit},
        {QStringLiteral("ZNODE"), CompletionKind::Znode},     {QStringLiteral("JOB"), CompletionKind::AnyJob},
        {QStringLiteral("TAG"), CompletionKind::Tag},         {QStringLiteral("JOB-NAME"), CompletionKind::JobName},
    };
    return kinds.value(placeholder, CompletionKind::None);
}

} // namespace drover::app
