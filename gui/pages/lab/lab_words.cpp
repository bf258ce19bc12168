#include "gui/pages/lab/lab_words.h"

#include "gui/text/counted.h"

#include <QCoreApplication>
#include <QRegularExpression>

namespace drover::gui {

using Life = LabParticipant::Life;
using Phase = LabParticipant::Phase;

namespace {

struct Words {
    Q_DECLARE_TR_FUNCTIONS(LabWords)
};

} // namespace

bool waits(const LabParticipant &participant, const QList<CodeLine> &code)
{
    return participant.phase == Phase::Asking && participant.line >= 0 && participant.line < code.size()
        && code[participant.line].isWait();
}

QString stateText(const LabParticipant &participant, const QList<CodeLine> &code)
{
    switch (participant.life) {
    case Life::Absent:
        return Words::tr("not started");
    case Life::Ended:
        return participant.phase == Phase::Lost ? Words::tr("session lost") : Words::tr("killed");
    case Life::Paused:
        return Words::tr("paused");
    case Life::Running:
        break;
    }
    if (participant.isCut)
        return Words::tr("cut off");
    switch (participant.phase) {
    case Phase::Connecting:
        return Words::tr("connects");
    case Phase::Asking:
        return waits(participant, code) ? Words::tr("waits") : Words::tr("asks");
    case Phase::Holding:
        if (participant.isDeposed)
            return Words::tr("deposed");
        return participant.attempt > 1 ? Words::tr("holds it: attempt %1").arg(participant.attempt)
                                       : Words::tr("holds it");
    case Phase::Leaving:
        return Words::tr("leaves");
    case Phase::Idle:
        return Words::tr("done");
    case Phase::Lost:
        break;
    }
    return Words::tr("session lost");
}

Tone stateTone(const LabParticipant &participant, const QList<CodeLine> &code)
{
    if (participant.life == Life::Absent)
        return Tone::Muted;
    if (participant.life == Life::Ended || participant.isCut || participant.isDeposed
        || participant.phase == Phase::Lost)
        return Tone::Bad;
    if (participant.life == Life::Paused || participant.phase == Phase::Idle)
        return Tone::Muted;
    if (participant.phase == Phase::Holding)
        return Tone::Good;
    return waits(participant, code) ? Tone::Waiting : Tone::Busy;
}

QStringList countParts(const LabParticipant &participant)
{
    return {Words::tr("%1 req").arg(participant.requests), Words::tr("%1 woken").arg(participant.wakeUps)};
}

QString shortNodeName(const QString &name)
{
    static const QRegularExpression id(QStringLiteral("_c_[0-9a-f-]{36}-"));
    static const QRegularExpression number(QStringLiteral("[-_]*([0-9]{10})$"));
    static const QRegularExpression ofQueue(QStringLiteral("^queue/|^(queue[.])?drover/[0-9a-f-]{36}-taker-"));
    static const QRegularExpression item(QStringLiteral("^(?:entries/(entry)|(taken)/entry)-[0-9]{3}(?=-[0-9]{10}$)"));
    QString shown = name;
    shown.remove(id).remove(ofQueue).replace(item, QStringLiteral("\\1\\2"));
    const QRegularExpressionMatch match = number.match(shown);
    if (match.hasMatch())
        shown.replace(match.capturedStart(), match.capturedLength(), u'-' + QString::number(match.captured(1).toInt()));
    shown.replace(QStringLiteral("__"), QString());
    return shown;
}

QString releaseText(const LabGroup &group)
{
    return Words::tr("Last release woke: %1").arg(group.wokenByLast);
}

QStringList sumParts(const LabGroup &group)
{
    return {counted(group.requests, Things::Requests), counted(group.wakeUps, Things::WakeUps),
            counted(group.releases, Things::Releases)};
}

QStringList recordParts(const LabGroup &group)
{
    const RecordCount &records = group.records;
    QStringList parts{Words::tr("Records: %1 whole").arg(records.whole), Words::tr("%1 torn").arg(records.torn)};
    if (records.cutShort > 0)
        parts << Words::tr("%1 cut short").arg(records.cutShort);
    if (group.refused > 0)
        parts << Words::tr("%1 refused").arg(counted(group.refused, Things::Lines));
    return parts;
}

} // namespace drover::gui
