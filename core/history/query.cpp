#include "history/query.h"

#include "history/dialect.h"
#include "history/search_words.h"

namespace drover::history {

namespace {

// In the order of GroupBy.
const QStringList GroupNames{QStringLiteral("state"), QStringLiteral("outcome"),   QStringLiteral("queue"),
                             QStringLiteral("name"),  QStringLiteral("submitter"), QStringLiteral("worker"),
                             QStringLiteral("day"),   QStringLiteral("hour")};

// * and ? to the SQL standard's % and _.
QString likePattern(const QString &pattern)
{
    QString like;
    for (const QChar c : pattern) {
        if (c == u'%' || c == u'_' || c == u'\\')
            like += u'\\';
        like += c == u'*' ? QChar(u'%') : c == u'?' ? QChar(u'_') : c;
    }
    return like;
}

// What surely stands between two % in an id or in a record's JSON, where quotes and control characters are escaped and
// words of a command stand apart. Letters beyond ASCII have cases that the engines fold in ways of their own.
QString roughPattern(const QString &text)
{
    QString like = QStringLiteral("%");
    for (const QChar c : text.toLower()) {
        const bool isPlain = c > u' ' && c < QChar(0x7f) && !QStringLiteral("\"\\%_").contains(c);
        if (isPlain)
            like += c;
        else if (!like.endsWith(u'%'))
            like += u'%';
    }
    return like.endsWith(u'%') ? like : like + u'%';
}

qint64 number(std::chrono::milliseconds time)
{
    return time.count();
}

// Comparisons of rows: the engines seek the place in the index by them, where they would read from its end with an OR.
QString compared(const QStringList &columns, const char *how)
{
    QStringList places(columns.size(), QStringLiteral("?"));
    return QStringLiteral("(%1) %2 (%3)")
        .arg(columns.join(QStringLiteral(", ")), QLatin1String(how), places.join(QStringLiteral(", ")));
}

void addRange(Condition &where, const jobs::JobRange &range)
{
    const QString queue = QString::fromUtf8(range.first.queue);
    if (range.first.isTask())
        where.add(QStringLiteral("queue = ? AND number = ? AND task >= ? AND task <= ?"),
                  {queue, range.first.number, range.first.task, range.last});
    else
        where.add(QStringLiteral("queue = ? AND number >= ? AND number <= ?"), {queue, range.first.number, range.last});
}

} // namespace

double GroupTotals::perSecond() const
{
    const double seconds = std::chrono::duration<double>(last - first).count();
    return seconds > 0 ? static_cast<double>(jobs - 1) / seconds : 0;
}

void Condition::add(const QString &term, const QVariantList &termValues)
{
    sql += QStringLiteral(" AND (%1)").arg(term);
    values += termValues;
}

Condition Condition::of(const Query &query, const Dialect &dialect)
{
    Condition where;
    const auto equals = [&](const char *column, const QString &value) {
        if (!value.isEmpty())
            where.add(QLatin1String(column) + QStringLiteral(" = ?"), {value});
    };
    equals("cluster", QString::fromUtf8(query.cluster));
    if (query.range)
        addRange(where, *query.range);
    equals("queue", QString::fromUtf8(query.queue));
    if (query.array)
        where.add(QStringLiteral("queue = ? AND number = ?"),
                  {QString::fromUtf8(query.array->queue), query.array->number});
    else if (!query.tasks)
        where.add(QStringLiteral("task = ?"), {jobs::JobId::NoTask});
    if (query.name.contains(u'*') || query.name.contains(u'?'))
        where.add(QStringLiteral("name LIKE ? ESCAPE '\\'"), {likePattern(query.name)});
    else if (!query.name.isEmpty())
        where.add(dialect.nameEquals, QVariantList(dialect.nameEquals.count(u'?'), query.name));
    if (!query.submitter.isEmpty())
        where.add(QStringLiteral("submitter LIKE ? ESCAPE '\\' OR submitter LIKE ? ESCAPE '\\'"),
                  {likePattern(query.submitter), likePattern(query.submitter + QStringLiteral("@*"))});
    equals("worker", query.worker);
    if (query.state)
        equals("state", jobs::stateName(*query.state));
    if (query.outcome)
        equals("outcome", jobs::outcomeName(*query.outcome));
    if (query.since)
        where.add(QStringLiteral("ended_ms >= ?"), {number(*query.since)});
    if (query.until)
        where.add(QStringLiteral("ended_ms < ?"), {number(*query.until)});
    if (!query.ids.empty()) {
        QStringList terms;
        QVariantList values;
        for (const jobs::JobId &id : query.ids) {
            terms.append(QStringLiteral("queue = ? AND number = ? AND task = ?"));
            values += {QString::fromUtf8(id.queue), id.number, id.task};
        }
        where.add(terms.join(QStringLiteral(" OR ")), values);
    }
    if (!query.tag.isEmpty()) {
        const QStringList words = searchWords(query.tag); // for these there is an index
        if (!words.isEmpty())
            where.add(dialect.textMatches, {dialect.textQuery(words)});
        where.add(dialect.hasTag, {dialect.tagValue(query.tag)});
    }
    if (!query.text.isEmpty()) {
        const QStringList words = searchWords(query.text);
        if (words.isEmpty())
            where.add(QStringLiteral("1 = 0"), {}); // punctuation is no word of anything
        else if (query.lately)
            where.add(dialect.newestMatches, {dialect.textQuery(words), qint64(query.limit)});
        else
            where.add(dialect.textMatches, {dialect.textQuery(words)});
    }
    if (!query.contains.isEmpty()) {
        const QString pattern = roughPattern(query.contains);
        where.add(QStringLiteral("lower(record) LIKE ? OR "
                                 "lower(queue || '-' || number || '.' || task) LIKE ? OR lower(name) LIKE ?"),
                  {pattern, pattern, pattern});
    }
    const QStringList columns = query.order.columns(dialect);
    if (query.after)
        where.add(compared(columns, query.order.descending ? "<" : ">"), query.after->place);
    if (query.downTo)
        where.add(compared(columns, query.order.descending ? ">=" : "<="), query.downTo->place);
    return where;
}

void Query::narrow(const jobs::JobFilter &filter)
{
    if (!filter.queue.isEmpty())
        queue = filter.queue;
    if (filter.state)
        state = filter.state;
    if (filter.name)
        name = *filter.name;
    if (!filter.tag.isEmpty())
        tag = filter.tag;
    if (!filter.submitter.isEmpty())
        submitter = filter.submitter;
    const bool isPattern = filter.worker.contains(u'*') || filter.worker.contains(u'?'); // the caller looks at all
    if (!filter.worker.isEmpty() && !isPattern)
        worker = filter.worker;
    if (filter.since)
        since = filter.since;
    if (filter.until)
        until = filter.until;
}

QString groupName(GroupBy by)
{
    return GroupNames[static_cast<qsizetype>(by)];
}

std::optional<GroupBy> groupFrom(const QString &name)
{
    const qsizetype index = GroupNames.indexOf(name);
    return index < 0 ? std::nullopt : std::optional(static_cast<GroupBy>(index));
}

const QStringList &groupNames()
{
    return GroupNames;
}

} // namespace drover::history
