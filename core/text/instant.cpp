#include "text/instant.h"

#include "text/quantity.h"

#include <QDateTime>

namespace drover::text {

std::optional<std::chrono::milliseconds> parseInstant(const QString &text)
{
    const QDateTime time = QDateTime::fromString(text, Qt::ISODateWithMs);
    if (time.isValid())
        return std::chrono::milliseconds(time.toMSecsSinceEpoch());
    const std::optional<std::chrono::milliseconds> ago = parseDuration(text);
    if (!ago)
        return std::nullopt;
    return std::chrono::milliseconds(QDateTime::currentMSecsSinceEpoch()) - *ago;
}

} // namespace drover::text
