#pragma once

#include <QByteArray>
#include <QString>

#include <optional>

namespace drover::gui {

// Structured text, one thing a line, indented by Indent blanks a level. Each gives nothing for what is not valid.
constexpr int Indent = 4;

// An object or an array. Keys keep their order, numbers and strings the way in which they are written.
std::optional<QString> prettyJson(const QByteArray &data);
std::optional<QString> prettyXml(const QByteArray &data);
// A file of Java's Properties: "key = value" a line. Continued lines are joined, \u4e2d becomes its character.
std::optional<QString> prettyProperties(const QString &text);

} // namespace drover::gui
