#include "gui/inspector/facts.h"

namespace drover::gui {

void Facts::add(const QString &name, const QString &text, const QList<EntityRef> &links, Tone lineTone)
{
    if (!text.isEmpty() || !links.isEmpty())
        sections.back().facts.append({name, text, links, lineTone});
}

void Facts::addInstant(const QString &name, qint64 ms)
{
    if (ms != 0)
        sections.back().facts.append({.name = name, .instant = ms});
}

void Facts::addLong(const QString &name, const QString &text)
{
    if (!text.isEmpty())
        sections.back().facts.append({.name = name, .text = text, .isLong = true});
}

} // namespace drover::gui
