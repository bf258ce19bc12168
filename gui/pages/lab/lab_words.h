#pragma once

#include "gui/lab/lesson.h"
#include "gui/models/snapshot_model.h"

namespace drover::gui {

// What a lesson's participants and nodes are called. Of what comes in parts, the last ones are left out where room is
// short.

bool waits(const LabParticipant &participant, const QList<CodeLine> &code);
QString stateText(const LabParticipant &participant, const QList<CodeLine> &code);
Tone stateTone(const LabParticipant &participant, const QList<CodeLine> &code);
QStringList countParts(const LabParticipant &participant); // 14 req, 2 woken

// Without the unique id and the zeros: "_c_<uuid>-lock-0000000007" is lock-7. Of a queue's nodes also without directory
// and priority: "entries/entry-100-0000000007" is entry-7, and what marks it as taken is taken-7.
QString shortNodeName(const QString &name);

// The group's counters: what its last release has cost, and the sums.
QString releaseText(const LabGroup &group);
QStringList sumParts(const LabGroup &group);
QStringList recordParts(const LabGroup &group);

} // namespace drover::gui
