#include "gui/lab/step_tracker.h"

#include <QJsonDocument>
#include <QJsonObject>

namespace drover::gui {

using Phase = LabParticipant::Phase;

void StepTracker::goTo(const QByteArrayList &keys, LabParticipant &participant) const
{
    for (const QByteArray &key : keys) {
        for (qsizetype i = 0; i < m_code.size(); ++i) {
            if (m_code[i].keys.contains(key)) {
                participant.line = int(i);
                return;
            }
        }
    }
}

void StepTracker::readPhase(const QByteArray &phase, LabParticipant &participant)
{
    static const QByteArrayList names{"asking", "offering", "holding", "leaving", "idle", "offered", "lost"};
    static constexpr Phase Phases[] = {Phase::Asking, Phase::Asking, Phase::Holding, Phase::Leaving,
                                       Phase::Idle,   Phase::Idle,   Phase::Lost};
    const qsizetype place = names.indexOf(phase);
    if (place < 0)
        return;
    m_phase = phase;
    m_watching.clear();
    participant.listed.clear();
    participant.phase = Phases[place];
    if (participant.phase == Phase::Lost)
        participant.line = -1;
    goTo({phase}, participant);
}

void StepTracker::readListing(const QString &event, const QJsonObject &said, LabParticipant &participant)
{
    const bool lists = said.value(u"op").toString() == u"list";
    const QByteArray path = said.value(u"path").toString().toUtf8();
    const bool isRefused = event == u"answer" && lists && !said.value(u"ok").toBool();
    if (event == u"wake" || isRefused)
        participant.listed.removeAll(path);
    else if (event == u"request" && lists && said.value(u"watch").toBool() && !participant.listed.contains(path))
        participant.listed.append(path);
}

StepTracker::News StepTracker::read(const QByteArray &line, LabParticipant &participant)
{
    const QJsonObject said = QJsonDocument::fromJson(line).object();
    const QString event = said.value(u"event").toString();
    const QByteArray operation = said.value(u"op").toString().toLatin1();
    readListing(event, said, participant);
    if (event == u"phase") {
        participant.attempt = said.value(u"attempt").toInt();
        readPhase(said.value(u"phase").toString().toLatin1(), participant);
    }
    if (event == u"request") {
        const bool watches = said.value(u"watch").toBool();
        ++m_pending;
        ++participant.requests;
        if (watches)
            m_watching = operation;
        const QByteArray key = m_phase + '/' + operation;
        goTo(watches ? QByteArrayList{key + '+', key} : QByteArrayList{key}, participant);
        return News::Request;
    }
    if (event == u"answer") {
        m_pending = std::max(0, m_pending - 1);
        const bool isDone = m_pending == 0 && !m_watching.isEmpty();
        if (isDone && participant.phase == Phase::Asking)
            goTo({"wait/" + m_watching, "wait"}, participant);
        else if (isDone && participant.phase == Phase::Leaving)
            goTo({"wait/leaving"}, participant);
    } else if (event == u"wake") {
        ++participant.wakeUps;
        return News::Woken;
    } else if (event == u"write") {
        return said.value(u"taken").toBool(true) ? News::None : News::Refused;
    } else if (event == u"connection") {
        participant.isConnected = said.value(u"state").toString() == u"connected";
        participant.session = said.value(u"session").toString().toLatin1();
    }
    return News::None;
}

} // namespace drover::gui
