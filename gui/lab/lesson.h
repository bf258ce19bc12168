#pragma once

#include "gui/lab/lab_snapshot.h"

#include <QByteArrayList>
#include <QStringList>

namespace drover::gui {

// A line of a recipe's pseudo-code, and what leads a participant there, as StepTracker names it.
struct CodeLine {
    QString text;
    QByteArrayList keys;

    bool isWait() const; // for a watch
};

struct LessonParticipant {
    QString name; // a letter
    QString recipe; // as app/participant names it
    QString role{};
    QStringList options{}; // of the process
};

// Participants that contend for one thing, in a directory of their own.
struct LessonGroup {
    QString title;
    QList<CodeLine> code;
    QList<LessonParticipant> participants;
    bool writes = false; // to a file, while they hold the lock
    bool isFenced = false; // that file
    bool holdsByNode = true; // a holder has an ephemeral node; false: what it holds is in its memory alone
};

struct Lesson {
    static constexpr int MostSteps = 10;

    QString name; // lasts
    QString title;
    QString about; // what to try, what to look at
    QStringList steps; // at most MostSteps
    QList<LessonGroup> groups; // one, or two side by side

    static const QList<Lesson> &all();
    static int find(const QString &name); // -1: there is none of that name

    LabSnapshot beginning() const; // before any participant has started; without its number
};

} // namespace drover::gui
