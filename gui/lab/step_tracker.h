#pragma once

#include "gui/lab/lab_snapshot.h"
#include "gui/lab/lesson.h"

class QJsonObject;

namespace drover::gui {

// Reads what a participant's process says, and keeps its row. Its step follows from its requests:
//
//     asking, holding, idle       the phase begins; leaving, of a barrier, comes before idle
//     offering, offered           those of a queue's producer, in place of asking and idle
//     asking/get, asking/get+     it sends that request in that phase; + sets a watch
//     wait/get, wait              all its requests are answered, and it waits for a watch that such a request has set
//
// A listing with a watch counts as a watch on children until that wakes the participant, or the phase ends.
//
// The most exact key that a line of the code has leads there; without one the step stays.
class StepTracker
{
public:
    enum class News { None, Request, Woken, Refused };

    explicit StepTracker(const QList<CodeLine> &code) : m_code(code) { }

    // Ignores what is no such line.
    News read(const QByteArray &line, LabParticipant &participant);

private:
    void goTo(const QByteArrayList &keys, LabParticipant &participant) const;
    void readPhase(const QByteArray &phase, LabParticipant &participant);
    static void readListing(const QString &event, const QJsonObject &said, LabParticipant &participant);

    QList<CodeLine> m_code;
    QByteArray m_phase;
    QByteArray m_watching; // the last request that set a watch since it began to ask
    int m_pending = 0; // requests without answer
};

} // namespace drover::gui
