#pragma once

#include "gui/lab/lesson.h"
#include "recipes/blocks/tree_watch.h"
#include "zk/types.h"

namespace drover::gui {

// What the server has, and which participant has it.

// The watches below `root`, sorted, from the server's answer to wchp. Watches of other sessions are left out.
QList<LabWatch> watchesIn(const QByteArray &answer, const zk::Path &root, const QList<LabParticipant> &participants);

// The nodes below each group's directory, in the order of their creation. Of a queue, without its receipts and the
// names of its takers: they are neither items nor places in its line.
QList<LabNode> nodesIn(const recipes::TreeWatch &tree, const QList<zk::Path> &directories,
                       const QList<LabParticipant> &participants);

// Marks those that believe to hold what another holds.
void markDeposed(QList<LabParticipant> &participants, const QList<LabNode> &nodes, const QList<LessonGroup> &groups);

} // namespace drover::gui
