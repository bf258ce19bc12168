#include "app/submission/submit_texts.h"

#include "app/cli/failure.h"
#include "app/submission/job_fields.h"
#include "app/submission/job_file.h"
#include "app/submission/submission.h"

#include <QJsonArray>
#include <QJsonDocument>

namespace drover::app {

using jobs::JobOption;

namespace {

JobOption::Kind kindOf(JobField::Type type)
{
    switch (type) {
    case JobField::Type::Flag:
        return JobOption::Kind::Flag;
    case JobField::Type::List:
    case JobField::Type::Codes:
    case JobField::Type::Variables:
        return JobOption::Kind::List;
    default:
        return JobOption::Kind::Text;
    }
}

// As one types it after the option.
QString typed(const QJsonValue &value)
{
    return value.isDouble() ? QString::number(value.toInteger()) : value.toString();
}

// Calls `act` and returns the message of its UsageError, in one line; empty: it throws none.
template <typename Act>
QString objectionTo(Act act)
{
    try {
        act();
    } catch (const UsageError &error) {
        return QString::fromUtf8(error.what());
    }
    return {};
}

} // namespace

QList<JobOption> SubmitTexts::all() const
{
    QList<JobOption> options;
    for (const JobField &field : jobFields())
        options.append({QLatin1String(field.name), QString::fromUtf8(field.description),
                        QString::fromUtf8(field.placeholder), kindOf(field.type)});
    return options;
}

QString SubmitTexts::apply(jobs::JobSpec &spec, const QString &name, const QStringList &values) const
{
    return objectionTo([&] { findJobField(name)->apply(spec, values, name); });
}

QStringList SubmitTexts::valuesOf(const jobs::JobSpec &spec, const QString &name) const
{
    const QJsonValue said = findJobField(name)->said(spec);
    QStringList values;
    if (said.isArray()) {
        const QJsonArray items = said.toArray();
        for (const QJsonValue &item : items)
            values.append(typed(item));
    } else if (said.isObject()) {
        const QJsonObject variables = said.toObject();
        for (auto variable = variables.begin(); variable != variables.end(); ++variable)
            values.append(variable.key() + u'=' + variable.value().toString());
    } else if (said.isBool()) {
        values.append(QString());
    } else if (!said.isUndefined() && !typed(said).isEmpty()) {
        values.append(typed(said));
    }
    return values;
}

QString SubmitTexts::complete(jobs::JobSpec &spec) const
{
    return objectionTo([&] { spec = completed(std::move(spec)); });
}

QString SubmitTexts::read(const QByteArray &file, const QString &place, jobs::JobSpec &spec) const
{
    return objectionTo([&] { JobFile::parse(file, place).applyTo(spec); });
}

QByteArray SubmitTexts::write(const jobs::JobSpec &spec) const
{
    return QJsonDocument(jobFileJson(spec)).toJson();
}

} // namespace drover::app
