#include "gui/models/events/event_rule.h"

#include "gui/models/events/event_model.h"

#include <QRegularExpression>

#include <array>

namespace drover::gui {

using About = EventRow::About;

namespace {

using Field = QString (*)(const EventRow &);

QString subjectOf(const EventRow &event, About about)
{
    return event.about == about ? event.subject : QString();
}

const std::pair<const char *, Field> Fields[] = {
    {"event", [](const EventRow &event) { return event.event; }},
    {"about",
     [](const EventRow &event) {
         constexpr std::array Names{"job", "worker", "queue", "limit", "schedule", "lock", "server", "session"};
         return QString::fromLatin1(Names[std::size_t(event.about)]);
     }},
    {"job", [](const EventRow &event) { return event.job ? event.job->toString() : QString(); }},
    {"queue", [](const EventRow &event) { return event.queue; }},
    {"state", [](const EventRow &event) { return event.state; }},
    {"worker", [](const EventRow &event) { return event.about == About::Worker ? event.subject : event.worker; }},
    {"name", [](const EventRow &event) { return event.name; }},
    {"by", [](const EventRow &event) { return event.by; }},
    {"lock", [](const EventRow &event) { return subjectOf(event, About::Lock); }},
    {"limit", [](const EventRow &event) { return subjectOf(event, About::Limit); }},
    {"schedule", [](const EventRow &event) { return subjectOf(event, About::Schedule); }},
    {"server", [](const EventRow &event) { return subjectOf(event, About::Server); }},
};

Field fieldOf(const QString &key)
{
    for (const auto &[name, field] : Fields) {
        if (key == QLatin1String(name))
            return field;
    }
    return nullptr;
}

bool equals(const QString &text, const QString &pattern)
{
    if (!pattern.contains(u'*'))
        return text.compare(pattern, Qt::CaseInsensitive) == 0;
    const QString expression = QRegularExpression::escape(pattern).replace(QStringLiteral("\\*"), QStringLiteral(".*"));
    return QRegularExpression(QRegularExpression::anchoredPattern(expression),
                              QRegularExpression::CaseInsensitiveOption)
        .match(text)
        .hasMatch();
}

// A value in quotes has spaces, and loses its quotes. The last quote may be open: it is being typed.
QStringList wordsIn(const QString &text)
{
    static const QRegularExpression one(
        QStringLiteral("((?:[^\\s:='\"]*[:=]|-)?)(?:'([^']*)'?|\"([^\"]*)\"?)(?=\\s|$)|\\S+"));
    QStringList words;
    for (auto each = one.globalMatch(text); each.hasNext();) {
        const QRegularExpressionMatch word = each.next();
        const bool isQuoted = word.hasCaptured(2) || word.hasCaptured(3);
        words << (isQuoted ? word.captured(1) + word.captured(2) + word.captured(3) : word.captured());
    }
    return words;
}

} // namespace

EventRule::EventRule(const QString &text) : m_text(text.simplified())
{
    const QStringList words = wordsIn(m_text);
    for (auto each = words.begin(); each != words.end(); ++each) {
        const QString option = each->startsWith(u"--") ? each->section(u'=', 0, 0).mid(2).toLower() : QString();
        if (fieldOf(option)) {
            const bool hasValue = each->contains(u'=');
            if (!hasValue && ++each == words.end())
                break; // its value is still to come
            m_words.append({option, hasValue ? each->section(u'=', 1) : *each, false});
            continue;
        }
        Word word{{}, *each, false};
        if (word.value.startsWith(u'-') && word.value.size() > 1) {
            word.isExcluded = true;
            word.value.remove(0, 1);
        }
        const qsizetype colon = word.value.indexOf(u':');
        const QString key = word.value.left(colon).toLower();
        if (colon > 0 && fieldOf(key)) {
            word.key = key;
            word.value.remove(0, colon + 1);
        }
        m_words.append(word);
    }
}

bool EventRule::fits(const EventRow &event) const
{
    return std::all_of(m_words.begin(), m_words.end(),
                       [&](const Word &word) { return fits(word, event) != word.isExcluded; });
}

bool EventRule::fits(const Word &word, const EventRow &event)
{
    if (word.key.isEmpty()) {
        for (const QString &text : {event.event, event.subject, event.queue, event.state, event.detail, event.name,
                                    EventModel::text(event, EventModel::State)}) {
            if (text.contains(word.value, Qt::CaseInsensitive))
                return true;
        }
        return false;
    }
    const QString value = fieldOf(word.key)(event);
    return equals(value, word.value)
        || (word.key == u"state" && equals(EventModel::text(event, EventModel::State), word.value))
        || (word.key == u"job" && event.job && event.job->isTask() && equals(value.section(u'.', 0, 0), word.value));
}

} // namespace drover::gui
