#pragma once

#include <QByteArray>

class QComboBox;
class QSpinBox;

namespace drover::gui {

class QueueHistory;
class QueueTable;

// The fields of the questions that ClusterCommands asks; the caller gives each of them a parent.

QComboBox *newSignals(); // the data of an item is the signal's number
QComboBox *newQueues(const QueueHistory &queues); // the data of an item is the queue's name
QSpinBox *newPriority();
QSpinBox *newLimit(int least, int limit); // from `least`, which may be 0 for no limit; shows `limit`
int limitOf(const QueueTable &queues, const QByteArray &queue); // that is shown; 0: none

} // namespace drover::gui
