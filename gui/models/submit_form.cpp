#include "gui/models/submit_form.h"

#include "gui/text/shell_words.h"
#include "jobs/model/job_id.h"
#include "text/name.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace drover::gui {

namespace {

struct FormTexts {
    Q_DECLARE_TR_FUNCTIONS(SubmitForm)
};

void checkCommand(const QString &command, SubmitForm::Checked &checked)
{
    const ShellWords words = splitShellWords(command);
    checked.spec.command = words.words;
    if (!words.error.isEmpty())
        checked.errors[SubmitForm::Field::Command] = words.error;
    else if (words.words.isEmpty())
        checked.errors[SubmitForm::Field::Command] = FormTexts::tr("Say what to run, for example: wc -w /etc/hosts");
    else if (words.words.front().isEmpty())
        checked.errors[SubmitForm::Field::Command] = FormTexts::tr("The program's name is empty.");
    else if (!words.operatorSeen.isNull())
        checked.hint = FormTexts::tr("No shell runs this: “%1” is passed on as it is. For a shell, write: sh -c '…'")
                           .arg(words.operatorSeen);
}

bool isName(const QString &name)
{
    static const QRegularExpression valid(QStringLiteral("^[A-Za-z_][A-Za-z0-9_]*\\z"));
    return valid.match(name).hasMatch();
}

// Whether NAME=value on a line of its own says it.
bool hasLine(const QString &name, const QString &value)
{
    static const QRegularExpression breaks(QStringLiteral("[\\x{0}-\\x{8}\\x{a}-\\x{1f}\\x{2028}\\x{2029}]"));
    return isName(name) && !value.contains(breaks);
}

QString textOf(const jobs::Environment &environment)
{
    QStringList lines;
    for (const auto &[name, value] : environment) {
        if (hasLine(name, value))
            lines << name + u'=' + value;
    }
    return lines.join(u'\n');
}

// Variables that have no line stay as they are.
void checkEnvironment(const QString &text, SubmitForm::Checked &checked)
{
    jobs::Environment &environment = checked.spec.environment;
    std::erase_if(environment, [](const auto &variable) { return hasLine(variable.first, variable.second); });
    const QStringList lines = text.split(u'\n', Qt::SkipEmptyParts);
    for (const QString &line : lines) {
        const qsizetype equals = line.indexOf(u'=');
        const QString name = line.left(equals).trimmed();
        if (equals < 0 || !isName(name))
            checked.errors[SubmitForm::Field::Environment] =
                FormTexts::tr("“%1” is not NAME=value.").arg(text::printable(line.left(40)));
        else
            environment[name] = line.mid(equals + 1);
    }
}

std::map<QString, QString> optionsOf(const jobs::JobSpec &spec, const jobs::JobOptions &known)
{
    const jobs::JobSpec usual;
    std::map<QString, QString> texts;
    for (const jobs::JobOption &option : known.all()) {
        const QStringList values = known.valuesOf(spec, option.name);
        if (SubmitForm::ownOptions().contains(option.name) || values == known.valuesOf(usual, option.name))
            continue;
        texts[option.name] = option.kind == jobs::JobOption::Kind::List ? joinShellWords(values) : values.join(QChar());
    }
    return texts;
}

} // namespace

const QStringList &SubmitForm::ownOptions()
{
    static const QStringList names{QStringLiteral("name"),     QStringLiteral("comment"),    QStringLiteral("queue"),
                                   QStringLiteral("priority"), QStringLiteral("time-limit"), QStringLiteral("dir"),
                                   QStringLiteral("env")};
    return names;
}

QStringList SubmitForm::commandFor(const jobs::JobSpec &spec, const jobs::JobOptions &known)
{
    const jobs::JobSpec usual;
    QStringList words{QStringLiteral("drover"), QStringLiteral("submit")};
    for (const jobs::JobOption &option : known.all()) {
        const QStringList values = known.valuesOf(spec, option.name);
        if (values == known.valuesOf(usual, option.name))
            continue;
        for (const QString &value : values) {
            words << QStringLiteral("--") + option.name;
            if (option.kind != jobs::JobOption::Kind::Flag)
                words << value;
        }
    }
    return words << QStringLiteral("--") << spec.command;
}

// The others are built from nothing: an option whose text was deleted is not set any more.
void SubmitForm::applyOptions(Checked &checked) const
{
    const std::map<QString, QString> before = optionsOf(base, *known);
    if (options == before)
        return;
    const jobs::JobSpec &own = checked.spec;
    jobs::JobSpec spec;
    spec.command = own.command;
    spec.name = own.name;
    spec.comment = own.comment;
    spec.queue = own.queue;
    spec.priority = own.priority;
    spec.timeLimit = own.timeLimit;
    spec.directory = own.directory;
    spec.environment = own.environment;
    const auto arrayIn = [](const std::map<QString, QString> &texts) {
        const auto found = texts.find(QStringLiteral("array"));
        return found == texts.end() ? QString() : found->second;
    };
    for (const jobs::JobOption &option : known->all()) {
        const auto text = options.find(option.name);
        if (text == options.end())
            continue;
        ShellWords words{{text->second}, {}, {}};
        if (option.kind == jobs::JobOption::Kind::List)
            words = splitShellWords(text->second);
        const QString error = words.error.isEmpty() ? known->apply(spec, option.name, words.words) : words.error;
        if (!error.isEmpty())
            checked.optionErrors[option.name] = error;
    }
    if (arrayIn(options) == arrayIn(before))
        spec.arrayCount = base.arrayCount;
    checked.spec = spec;
    if (checked.ok())
        checked.objection = known->complete(checked.spec);
}

SubmitForm SubmitForm::of(const jobs::JobSpec &spec, const jobs::JobOptions *known)
{
    const qint64 limit = spec.timeLimit.count();
    SubmitForm form;
    form.command = joinShellWords(spec.command);
    form.name = spec.name;
    form.comment = spec.comment;
    form.queue = QString::fromLatin1(spec.queue);
    form.priority = spec.priority;
    if (limit > 0)
        form.timeLimit =
            limit % 1000 == 0 ? QStringLiteral("%1s").arg(limit / 1000) : QStringLiteral("%1ms").arg(limit);
    form.directory = spec.directory;
    form.environment = textOf(spec.environment);
    form.base = spec;
    form.known = known;
    if (known)
        form.options = optionsOf(spec, *known);
    return form;
}

QStringList SubmitForm::otherParts() const
{
    QStringList parts;
    const auto add = [&parts](const QString &text) { parts << text::printable(text); };
    const auto addEach = [&](const QStringList &values, const QString &text) {
        for (const QString &value : values)
            add(text.arg(value));
    };
    const auto addText = [&](const QString &value, const QString &text) {
        if (!value.isEmpty())
            add(text.arg(value));
    };
    if (base.gang > 0)
        add(FormTexts::tr("gang of %1").arg(base.gang));
    else if (base.array)
        add(FormTexts::tr("array %1").arg(base.array->toString()));
    if (base.needs.slots > 1)
        add(FormTexts::tr("%1 slots").arg(base.needs.slots));
    if (base.needs.memory > 0)
        add(FormTexts::tr("%1 of memory").arg(text::formatSize(base.needs.memory)));
    addEach(base.needs.labels, FormTexts::tr("label %1"));
    addEach(base.locks, FormTexts::tr("lock %1"));
    addEach(base.sharedLocks, FormTexts::tr("shared lock %1"));
    addEach(base.limits, FormTexts::tr("limit %1"));
    const jobs::JobSpec usual;
    if (base.maxAttempts != usual.maxAttempts)
        add(FormTexts::tr("up to %1 attempts").arg(base.maxAttempts));
    if (base.retry.limit > 0)
        add(FormTexts::tr("up to %1 retries").arg(base.retry.limit));
    if (base.singleton)
        add(FormTexts::tr("singleton"));
    addText(base.runAs, FormTexts::tr("as user %1"));
    for (const auto &[variable, reference] : base.secrets)
        add(FormTexts::tr("secret %1 from %2").arg(variable, reference));
    addText(base.input, FormTexts::tr("input from %1"));
    addText(base.standardOutput, FormTexts::tr("output to %1"));
    addText(base.standardError, FormTexts::tr("errors to %1"));
    addText(base.appendTo, FormTexts::tr("appended to %1"));
    addEach(base.ulimits, FormTexts::tr("ulimit %1"));
    if (base.killGrace != usual.killGrace)
        add(FormTexts::tr("killed after %1 of grace").arg(text::formatDuration(base.killGrace)));
    if (base.outputLimit != usual.outputLimit)
        add(FormTexts::tr("output up to %1").arg(text::formatSize(base.outputLimit)));
    addEach(base.tags, FormTexts::tr("tag %1"));
    for (const auto &variable : base.environment) {
        if (!hasLine(variable.first, variable.second))
            add(FormTexts::tr("variable %1").arg(variable.first));
    }
    return parts;
}

SubmitForm::Checked SubmitForm::check() const
{
    Checked checked;
    checked.spec = base;
    jobs::JobSpec &spec = checked.spec;
    checkCommand(command, checked);
    spec.name = name.trimmed();
    spec.comment = comment.trimmed();
    if (spec.comment.toUcs4().size() > jobs::JobSpec::MaxComment || text::printable(spec.comment) != spec.comment)
        checked.errors[Field::Comment] =
            FormTexts::tr("One line of up to %1 printable characters.").arg(jobs::JobSpec::MaxComment);
    spec.queue = queue.trimmed().toLatin1();
    if (!text::isName(queue.trimmed()))
        checked.errors[Field::Queue] = FormTexts::tr("1 to 32 of a–z, 0–9 and -, beginning with a letter or digit.");
    spec.priority = priority;
    if (priority < 0 || priority > jobs::JobSpec::MaxPriority)
        checked.errors[Field::Priority] = FormTexts::tr("From 0 (first) to 9.");
    spec.timeLimit = {};
    if (!timeLimit.trimmed().isEmpty()) {
        const std::optional<std::chrono::milliseconds> limit = text::parseDuration(timeLimit);
        if (!limit || limit->count() == 0)
            checked.errors[Field::TimeLimit] = FormTexts::tr("A time such as 90s, 15m or 2h; empty for none.");
        spec.timeLimit = limit.value_or(std::chrono::milliseconds(0));
    }
    spec.directory = directory.trimmed();
    if (!spec.directory.isEmpty() && !spec.directory.startsWith(u'/'))
        checked.errors[Field::Directory] = FormTexts::tr("An absolute path on the workers, such as /srv/data.");
    checkEnvironment(environment, checked);
    if (known)
        applyOptions(checked);
    if (checked.ok()) {
        try {
            spec.encode();
        } catch (const jobs::SpecTooLarge &error) {
            checked.errors[Field::Command] = QString::fromUtf8(error.what());
        }
    }
    return checked;
}

} // namespace drover::gui
