#pragma once

#include "gui/recording/recorded.h"

#include <optional>

namespace drover::gui {

// The bytes of what the feeds report, in QDataStream's format. A row of each kind has a key and a value.

RecordedKey keyOf(const JobRow &row);
RecordedKey keyOf(const QueueDepth &row);
RecordedKey keyOf(const LockRow &row); // of a lock
RecordedKey keyOfOther(const LockRow &row); // of a limit or an election
RecordedKey keyOf(const WorkerRow &row);
RecordedKey keyOfLoad(const QString &worker);
RecordedKey keyOf(const ZnodeListing &row);

template <typename Row>
QByteArray encodeRow(const Row &row);
// Nothing if these are not the bytes of such a row.
template <typename Row>
std::optional<Row> decodeRow(const QByteArray &bytes);

// Compressed, as they are stored. Nothing if that is not what was encoded.
QByteArray encodeChanges(const QList<RecordedChange> &changes);
std::optional<QList<RecordedChange>> decodeChanges(const QByteArray &bytes);
QByteArray encodeState(const RecordedState &state);
std::optional<RecordedState> decodeState(const QByteArray &bytes);

// The rows of a state.
Moment momentOf(const RecordedState &state);

} // namespace drover::gui
