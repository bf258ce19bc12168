#include "app/submission/job_file.h"

#include "app/cli/failure.h"
#include "app/cli/nearest.h"
#include "app/cli/toml_fault.h"
#include "app/submission/job_fields.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <QMap>
#include <QSet>

#include <algorithm>
#include <cmath>
#include <sstream>

#include <toml++/toml.h>

namespace drover::app {

using Type = JobField::Type;

namespace {

constexpr qsizetype MostTold = 10; // fields that are wrong

struct RepeatedKey {
    QString name;
    int line = 0; // of the second one, from 1
};

// Behind the closing quotation mark of the text that begins at `begin`.
qsizetype endOfText(const QByteArray &json, qsizetype begin)
{
    qsizetype at = begin + 1;
    while (at < json.size() && json[at] != '"')
        at += json[at] == '\\' ? 2 : 1;
    return std::min(at + 1, json.size());
}

qsizetype afterSpace(const QByteArray &json, qsizetype at)
{
    while (at < json.size() && QByteArrayView(" \t\r\n").contains(json[at]))
        ++at;
    return at;
}

// Two texts may mean the same key: "a" and "\u0061".
QString unescaped(const QByteArray &text)
{
    return QJsonDocument::fromJson('[' + text + ']').array().at(0).toString();
}

// The first key that an object has twice, at whatever depth. Qt keeps the last value of such a key without a word, so
// it is looked for before. `json` has to be a whole and valid text.
std::optional<RepeatedKey> repeatedKeyIn(const QByteArray &json)
{
    std::vector<QSet<QString>> keys; // of each object and array that is open here
    for (qsizetype at = 0; at < json.size();) {
        const char c = json[at];
        if (c == '{' || c == '[')
            keys.emplace_back();
        if ((c == '}' || c == ']') && !keys.empty())
            keys.pop_back();
        if (c != '"') {
            ++at;
            continue;
        }
        const qsizetype end = endOfText(json, at);
        const qsizetype next = afterSpace(json, end);
        if (next < json.size() && json[next] == ':' && !keys.empty()) {
            const QString name = unescaped(json.mid(at, end - at));
            if (keys.back().contains(name))
                return RepeatedKey{name, int(json.left(at).count('\n')) + 1};
            keys.back().insert(name);
        }
        at = end;
    }
    return std::nullopt;
}

// "file:line: "; nothing for a text without a name, no line if that is unknown (0).
QString prefix(const QString &place, qint64 line)
{
    if (place.isEmpty())
        return {};
    return line > 0 ? QStringLiteral("%1:%2: ").arg(place, QString::number(line)) : place + QStringLiteral(": ");
}

[[noreturn]] void refuse(const QString &what, const char *expected)
{
    throw UsageError(QStringLiteral("%1 has to be %2").arg(what, QLatin1String(expected)));
}

QString text(const QJsonValue &value, const QString &what, const char *expected)
{
    if (!value.isString())
        refuse(what, expected);
    if (value.toString().contains(QChar::Null))
        throw UsageError(QStringLiteral("%1 contains a NUL character, which no program can be given").arg(what));
    return value.toString();
}

QString number(const QJsonValue &value, const QString &what, const char *expected)
{
    const double real = value.toDouble(std::nan(""));
    if (!(std::abs(real) < 9e15) || real != std::floor(real))
        refuse(what, expected);
    return QString::number(value.toInteger());
}

QStringList list(const QJsonValue &value, const QString &what, const char *expected,
                 QString (*item)(const QJsonValue &, const QString &, const char *))
{
    if (!value.isArray())
        refuse(what, expected);
    QStringList values;
    const QJsonArray array = value.toArray();
    for (const QJsonValue &element : array)
        values.append(item(element, what, expected));
    return values;
}

QStringList variables(const QJsonValue &value, const QString &what)
{
    constexpr const char *Expected = "a table of texts, or a list of \"NAME=VALUE\"";
    if (!value.isObject())
        return list(value, what, Expected, text);
    QStringList values;
    const QJsonObject table = value.toObject();
    for (auto it = table.begin(); it != table.end(); ++it) {
        if (it.key().isEmpty() || it.key().contains(u'=') || it.key().contains(QChar::Null))
            throw UsageError(QStringLiteral("%1: \"%2\" is not a valid variable name").arg(what, it.key()));
        values.append(it.key() + u'=' + text(it.value(), what, Expected));
    }
    return values;
}

// As one would type it as an option's value.
QStringList typed(Type type, const QJsonValue &value, const QString &what)
{
    switch (type) {
    case Type::Text:
        return {text(value, what, "a text in quotes")};
    case Type::Number:
        return {number(value, what, "a whole number")};
    case Type::Size:
        return {value.isString() ? text(value, what, "")
                                 : number(value, what, "a number of bytes, or a text like \"2G\"")};
    case Type::List:
        return value.isString() ? QStringList{text(value, what, "")} : list(value, what, "a list of texts", text);
    case Type::Codes:
        return value.isArray() ? list(value, what, "a list of whole numbers", number)
                               : QStringList{number(value, what, "a whole number or a list of them")};
    case Type::Flag:
        if (!value.isBool())
            refuse(what, "true or false");
        return {};
    case Type::Variables:
        return variables(value, what);
    }
    return {};
}

// What to do about a field that no job has.
QString advice(const QString &unknown)
{
    QStringList known{QStringLiteral("command")};
    for (const JobField &field : jobFields())
        known.append(field.key());
    const QStringList meant = nearest(QString(unknown).replace(u'-', u'_'), known);
    return meant.isEmpty() ? QStringLiteral("drover submit --help lists them")
                           : QStringLiteral("did you mean %1?").arg(meant.join(QStringLiteral(", ")));
}

// The option's name of a field that a file calls so.
QString optionOf(const QString &typed)
{
    const QString key = QString(typed).replace(u'-', u'_');
    for (const JobField &field : jobFields()) {
        if (key == field.key())
            return QLatin1String(field.name);
    }
    return QString(typed).replace(u'_', u'-');
}

// What `show` prints of a job has the job in it.
QJsonObject jobIn(const QJsonObject &document)
{
    const QJsonValue job = document.value(QStringLiteral("job"));
    return job.isObject() && document.contains(QStringLiteral("schema")) ? job.toObject() : document;
}

QJsonValue jsonOf(const toml::node &node)
{
    if (const auto string = node.value_exact<std::string>())
        return QString::fromStdString(*string);
    if (const auto integer = node.value_exact<int64_t>())
        return qint64(*integer);
    if (const auto real = node.value_exact<double>())
        return *real;
    if (const auto truth = node.value_exact<bool>())
        return *truth;
    if (const toml::array *const array = node.as_array()) {
        QJsonArray items;
        for (const toml::node &item : *array)
            items.append(jsonOf(item));
        return items;
    }
    if (const toml::table *const table = node.as_table()) {
        QJsonObject object;
        for (const auto &[key, value] : *table)
            object.insert(QString::fromUtf8(key.data(), static_cast<qsizetype>(key.length())), jsonOf(value));
        return object;
    }
    std::ostringstream written; // a date or time: as it stands
    node.visit([&](const auto &value) {
        if constexpr (toml::is_date<
                          decltype(value)> || toml::is_time<decltype(value)> || toml::is_date_time<decltype(value)>)
            written << value.get();
    });
    return QString::fromStdString(written.str());
}

} // namespace

JobFile JobFile::parse(const QByteArray &text, const QString &place)
{
    if (text.size() > MaxSize)
        throw UsageError(
            QStringLiteral("the job file %1 is larger than %2 bytes").arg(place, QString::number(MaxSize)));
    const bool json = place.endsWith(u".json") || text.trimmed().startsWith('{');
    return json ? parseJson(text, place) : parseToml(text, place);
}

JobFile JobFile::parseJson(const QByteArray &text, const QString &place)
{
    QJsonParseError error;
    const QJsonDocument document = QJsonDocument::fromJson(text, &error);
    if (document.isArray() || error.error == QJsonParseError::GarbageAtEnd)
        throw UsageError(QStringLiteral("%1a job is one JSON object: {\"command\": [\"true\"]}; drover submit --stdin "
                                        "takes several, each in a line of its own")
                             .arg(prefix(place, text.left(error.offset).count('\n') + 1)));
    if (error.error != QJsonParseError::NoError)
        throw UsageError(QStringLiteral("%1this is not JSON: %2")
                             .arg(prefix(place, text.left(error.offset).count('\n') + 1), error.errorString()));
    if (const std::optional<RepeatedKey> twice = repeatedKeyIn(text))
        throw UsageError(QStringLiteral("%1%2 is there twice").arg(prefix(place, twice->line), twice->name));
    JobFile file;
    file.m_place = place;
    const QJsonObject object = jobIn(document.object());
    for (auto it = object.begin(); it != object.end(); ++it)
        file.add(it.key(), it.value(), 0);
    return file;
}

JobFile JobFile::parseToml(const QByteArray &text, const QString &path)
{
    JobFile file;
    file.m_place = path;
    try {
        const toml::table table =
            toml::parse(std::string_view(text.constData(), static_cast<std::size_t>(text.size())));
        for (const auto &[key, value] : table)
            file.add(QString::fromUtf8(key.data(), static_cast<qsizetype>(key.length())), jsonOf(value),
                     static_cast<int>(key.source().begin.line));
    } catch (const toml::parse_error &error) {
        throw UsageError(prefix(path, error.source().begin.line) + tomlFault(error.description()));
    }
    return file;
}

void JobFile::add(const QString &typed, const QJsonValue &value, int line)
{
    const QString name = optionOf(typed);
    if (m_fields.contains(name))
        throw UsageError(QStringLiteral("%1%2 is there twice: hyphens and underscores mean the same, and so do the "
                                        "names of options")
                             .arg(prefix(m_place, line), typed));
    m_fields.insert(name, value);
    m_origins.insert(name, {typed, line});
}

QString JobFile::where(const QString &field) const
{
    const Origin origin = m_origins.value(field);
    return prefix(m_place, origin.line) + origin.typed;
}

void JobFile::apply(jobs::JobSpec &spec, const QString &name, const QJsonValue &value) const
{
    const QString what = where(name);
    if (name == u"command") {
        constexpr const char *Expected = "a list of texts: [\"program\", \"argument\"]";
        spec.command = list(value, what, Expected, text);
        if (spec.command.isEmpty())
            refuse(what, Expected);
        return;
    }
    const JobField *const field = findJobField(name);
    if (!field)
        throw UsageError(QStringLiteral("%1 is not a field of a job; %2").arg(what, advice(name)));
    const QStringList values = typed(field->type, value, what);
    if (field->type == Type::Flag ? value.toBool() : !values.isEmpty())
        field->apply(spec, values, what);
}

void JobFile::applyTo(jobs::JobSpec &spec) const
{
    QMap<QPair<int, QString>, QString> wrong; // what is said of each field, by its line and name
    for (auto it = m_fields.begin(); it != m_fields.end(); ++it) {
        if (it.key() == u"schema")
            continue; // of whatever this program prints, --dry-run as well
        try {
            apply(spec, it.key(), it.value());
        } catch (const UsageError &error) {
            wrong.insert({m_origins.value(it.key()).line, it.key()}, QString::fromUtf8(error.what()));
        }
    }
    if (!wrong.isEmpty())
        throw UsageError(wrong.values().mid(0, MostTold).join(QStringLiteral("; ")));
    if (m_fields.contains(QStringLiteral("start-at")) && m_fields.contains(QStringLiteral("delay")))
        throw UsageError(
            QStringLiteral("%1 and delay both say when; give one of them").arg(where(QStringLiteral("start-at"))));
}

} // namespace drover::app
