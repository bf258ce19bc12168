#pragma once

#include "gui/data/event_row.h"

#include <QList>

namespace drover::gui {

// Which events are meant, as one types it: `state:failed queue:etl -backup`. An event fits if each word fits.
//
// 1. `key:value` is a field that equals the value; `*` in the value is any text. The keys are event, about, job, queue,
//    state, worker, name, by, lock, limit, schedule and server. The job of an array's task is also the array. Such a
//    word may be written as an option of the command line, too: `--key value` or `--key=value`. A state is also what
//    the table shows of it, in the user's language.
// 2. Any other word stands somewhere in the event's texts.
// 3. `-` before a word: it must not fit. Upper and lower case are the same.
// 4. A value with spaces stands in quotes, `"` or `'`.
class EventRule
{
public:
    EventRule() = default;
    explicit EventRule(const QString &text);

    const QString &text() const { return m_text; }
    bool isEmpty() const { return m_words.isEmpty(); }
    bool fits(const EventRow &event) const;

    friend bool operator==(const EventRule &a, const EventRule &b) { return a.m_text == b.m_text; }

private:
    struct Word {
        QString key; // empty: anywhere
        QString value;
        bool isExcluded = false;
    };

    static bool fits(const Word &word, const EventRow &event);

    QString m_text; // simplified
    QList<Word> m_words;
};

} // namespace drover::gui
