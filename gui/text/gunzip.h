#pragma once

#include <QByteArray>

#include <optional>

namespace drover::gui {

bool isGzip(const QByteArray &data); // by its first bytes

// The content of a gzip file; nothing if it is damaged, or longer than `limit` bytes.
std::optional<QByteArray> gunzip(const QByteArray &data, qsizetype limit);

} // namespace drover::gui
