#include "app/bench/figures/figures.h"

#include <algorithm>
#include <cmath>

namespace drover::app {

namespace {

// Three decimals are more than a measurement is worth.
QJsonValue rounded(const QJsonValue &value)
{
    return value.isDouble() ? QJsonValue(std::round(value.toDouble() * 1000) / 1000) : value;
}

} // namespace

void Figures::add(const char *name, const QJsonValue &value, QAnyStringView what)
{
    m_rows.push_back(Row{QString::fromLatin1(name), rounded(value), what.toString()});
}

void Figures::addMilliseconds(const char *name, async::Duration value, QAnyStringView what)
{
    add(name, std::chrono::duration<double, std::milli>(value).count(), what);
}

void Figures::addMebibytes(const char *name, qint64 bytes, QAnyStringView what)
{
    add(name, static_cast<double>(bytes) / (1024 * 1024), what);
}

void Figures::addTimes(const char *prefix, const Distribution &times, QAnyStringView what)
{
    addMilliseconds(prefix + QByteArrayLiteral("median_ms"), times.median(), what);
    addMilliseconds(prefix + QByteArrayLiteral("p99_ms"), times.quantile(0.99), what);
}

QJsonObject Figures::json() const
{
    QJsonObject object;
    for (const Row &row : m_rows)
        object.insert(row.name, row.value);
    return object;
}

QString Figures::table(int width) const
{
    constexpr int Name = 14;
    constexpr int Value = 12;
    QString text;
    for (const Row &row : m_rows) {
        const QString value = row.value.toVariant().toString();
        const bool isSentence = value.size() > Value && row.what.isEmpty();
        const QString name = QStringLiteral("%1 ").arg(row.name, -Name);
        const QString begin = isSentence ? name : name + QStringLiteral("%1  ").arg(value, Value);
        const int indent = int(begin.size());
        const QStringList lines = wrapped(isSentence ? value : row.what, std::max(1, width - indent));
        text += (begin + lines.join(u'\n' + QString(indent, u' '))).trimmed() + u'\n';
    }
    return text;
}

QJsonValue Figures::value(const char *name) const
{
    for (const Row &row : m_rows) {
        if (row.name == QLatin1String(name))
            return row.value;
    }
    return QJsonValue::Undefined;
}

} // namespace drover::app
