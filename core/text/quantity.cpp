#include "text/quantity.h"

#include <QLocale>

#include <cmath>
#include <iterator>

namespace drover::text {

using std::chrono::milliseconds;

namespace {

// A unit and what else it is called; `factor` in milliseconds or bytes.
struct Unit {
    QStringView name;
    QStringView longName;
    double factor;
};

constexpr Unit Durations[] = {
    {u"d", u"d", 8.64e7}, {u"h", u"h", 3.6e6}, {u"m", u"min", 6e4}, {u"s", u"sec", 1e3}, {u"ms", u"ms", 1}};
constexpr Unit Sizes[] = {
    {u"", u"b", 1}, {u"k", u"kib", 0x1p10}, {u"m", u"mib", 0x1p20}, {u"g", u"gib", 0x1p30}, {u"t", u"tib", 0x1p40}};

struct Part {
    double number = 0;
    QStringView unit;
};

// Takes a plain decimal number and the letters behind it off the beginning of `text`. Nothing: it begins with no such
// number ("1e3" leaves "3" behind, "-1" and "inf" do not begin).
std::optional<Part> takePart(QStringView &text)
{
    const auto isDigit = [](QChar c) { return c == u'.' || (c >= u'0' && c <= u'9'); };
    qsizetype end = 0;
    while (end < text.size() && isDigit(text[end]))
        ++end;
    bool ok = false;
    const double number = text.first(end).toDouble(&ok);
    if (!ok)
        return std::nullopt;
    text = text.mid(end).trimmed();
    end = 0;
    while (end < text.size() && text[end].isLetter())
        ++end;
    const Part part{number, text.first(end)};
    text = text.mid(end).trimmed();
    return part;
}

template <std::size_t N>
const Unit *unitOf(QStringView name, const Unit (&units)[N])
{
    for (const Unit &unit : units) {
        if (name == unit.name || name == unit.longName)
            return &unit;
    }
    return nullptr;
}

QString twoParts(qint64 major, QChar majorUnit, qint64 minor, QChar minorUnit)
{
    return QString::number(major) + majorUnit + QStringLiteral("%1").arg(minor, 2, 10, QLatin1Char('0')) + minorUnit;
}

} // namespace

std::optional<milliseconds> parseDuration(const QString &text)
{
    const QString lower = text.trimmed().toLower();
    QStringView rest = lower;
    double sum = 0;
    const Unit *previous = nullptr;
    do {
        const std::optional<Part> part = takePart(rest);
        const bool bare = part && part->unit.isEmpty() && !previous && rest.isEmpty();
        const Unit *const unit = !part ? nullptr : unitOf(bare ? u"s" : part->unit, Durations);
        if (!unit || (previous && unit <= previous))
            return std::nullopt;
        sum += part->number * unit->factor;
        previous = unit;
    } while (!rest.isEmpty());
    if (sum > static_cast<double>(milliseconds(LongestDuration).count()))
        return std::nullopt;
    return milliseconds(std::llround(sum));
}

QString formatDuration(milliseconds duration)
{
    const qint64 ms = duration.count();
    if (ms <= 0)
        return QStringLiteral("0s");
    if (ms < 1000)
        return QStringLiteral("%1ms").arg(ms);
    const qint64 seconds = ms / 1000;
    if (seconds < 60 && ms % 1000 == 0)
        return QStringLiteral("%1s").arg(seconds);
    if (seconds < 60)
        return QStringLiteral("%1.%2s").arg(seconds).arg(ms / 100 % 10);
    if (seconds < 3600)
        return twoParts(seconds / 60, u'm', seconds % 60, u's');
    if (seconds < 86400)
        return twoParts(seconds / 3600, u'h', seconds / 60 % 60, u'm');
    return twoParts(seconds / 86400, u'd', seconds / 3600 % 24, u'h');
}

std::optional<qint64> parseSize(const QString &text)
{
    const QString lower = text.trimmed().toLower();
    QStringView rest = lower;
    const std::optional<Part> part = takePart(rest);
    const Unit *const unit = part && rest.isEmpty() ? unitOf(part->unit, Sizes) : nullptr;
    const double bytes = unit ? part->number * unit->factor : -1;
    if (bytes < 0 || bytes > static_cast<double>(LargestSize) || bytes != std::floor(bytes))
        return std::nullopt;
    return static_cast<qint64>(bytes);
}

QString formatSize(qint64 bytes)
{
    constexpr const char *Units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < std::size(Units)) {
        value /= 1024;
        ++unit;
    }
    const bool whole = value >= 10 || value == std::floor(value);
    return QString::number(value, 'f', whole ? 0 : 1) + u' ' + QLatin1String(Units[unit]);
}

QString formatCount(qint64 count)
{
    return QLocale(QLocale::English).toString(count);
}

QString formatCount(qint64 count, const char *one, const char *many)
{
    return formatCount(count) + u' ' + QLatin1String(count == 1 ? one : many);
}

} // namespace drover::text
