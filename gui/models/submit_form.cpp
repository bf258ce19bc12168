#include "gui/models/submit_form.h"

#include "gui/text/format.h"
#include "gui/text/shell_words.h"
#include "jobs/job_id.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace drover::gui {

namespace {

QString tr(const char *text)
{
    return QCoreApplication::translate("SubmitForm", text);
}

void checkCommand(const QString &command, SubmitForm::Checked &checked)
{
    const ShellWords words = splitShellWords(command);
    checked.spec.command = words.words;
    if (!words.error.isEmpty())
        checked.errors[SubmitForm::Field::Command] = words.error;
    else if (words.words.isEmpty())
        checked.errors[SubmitForm::Field::Command] = tr("Say what to run, for example: wc -w /etc/hosts");
    else if (words.words.front().isEmpty())
        checked.errors[SubmitForm::Field::Command] = tr("The program's name is empty.");
    else if (!words.operatorSeen.isNull())
        checked.hint =
            tr("No shell runs this: “%1” is passed on as it is. For a shell, write: sh -c '…'").arg(words.operatorSeen);
}

void checkEnvironment(const QString &text, SubmitForm::Checked &checked)
{
    const QStringList lines = text.split(u'\n', Qt::SkipEmptyParts);
    for (const QString &line : lines) {
        const qsizetype equals = line.indexOf(u'=');
        const QString name = line.left(equals).trimmed();
        static const QRegularExpression valid(QStringLiteral("^[A-Za-z_][A-Za-z0-9_]*$"));
        if (equals < 0 || !valid.match(name).hasMatch())
            checked.errors[SubmitForm::Field::Environment] =
                tr("“%1” is not NAME=value.").arg(visibleText(line.left(40)));
        else
            checked.spec.environment[name] = line.mid(equals + 1);
    }
}

} // namespace

std::optional<std::chrono::milliseconds> parseDuration(const QString &text)
{
    static const QRegularExpression pattern(QStringLiteral("^(\\d{1,9})\\s*(ms|s|m|min|h|d)?$"));
    const QRegularExpressionMatch match = pattern.match(text.trimmed());
    if (!match.hasMatch())
        return std::nullopt;
    const qint64 count = match.captured(1).toLongLong();
    const QString unit = match.captured(2);
    const qint64 factor = unit == u"ms"  ? 1
        : unit == u"m" || unit == u"min" ? 60'000
        : unit == u"h"                   ? 3'600'000
        : unit == u"d"                   ? 86'400'000
                                         : 1000;
    return std::chrono::milliseconds(count * factor);
}

SubmitForm::Checked SubmitForm::check() const
{
    Checked checked;
    jobs::JobSpec &spec = checked.spec;
    checkCommand(command, checked);
    spec.name = name.trimmed();
    spec.queue = queue.trimmed().toLatin1();
    if (!jobs::isValidName(queue.trimmed()))
        checked.errors[Field::Queue] = tr("1 to 32 of a–z, 0–9 and -, beginning with a letter or digit.");
    spec.priority = priority;
    if (priority < 0 || priority > jobs::JobSpec::MaxPriority)
        checked.errors[Field::Priority] = tr("From 0 (first) to 9.");
    if (!timeLimit.trimmed().isEmpty()) {
        const std::optional<std::chrono::milliseconds> limit = parseDuration(timeLimit);
        if (!limit || limit->count() == 0)
            checked.errors[Field::TimeLimit] = tr("A time such as 90s, 15m or 2h; empty for none.");
        spec.timeLimit = limit.value_or(std::chrono::milliseconds(0));
    }
    spec.directory = directory.trimmed();
    if (!spec.directory.isEmpty() && !spec.directory.startsWith(u'/'))
        checked.errors[Field::Directory] = tr("An absolute path on the workers, such as /srv/data.");
    checkEnvironment(environment, checked);
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
