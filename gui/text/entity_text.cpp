#include "gui/text/entity_text.h"

#include "gui/data/line_name.h"
#include "text/printable.h"

#include <QCoreApplication>

#include <algorithm>
#include <utility>

namespace drover::gui {

namespace {

constexpr std::pair<EntityRef::Kind, const char *> Texts[]{
    {EntityRef::Kind::Job, QT_TRANSLATE_NOOP("EntityRef", "job %1")},
    {EntityRef::Kind::Worker, QT_TRANSLATE_NOOP("EntityRef", "worker %1")},
    {EntityRef::Kind::Queue, QT_TRANSLATE_NOOP("EntityRef", "queue %1")},
    {EntityRef::Kind::Lock, QT_TRANSLATE_NOOP("EntityRef", "lock %1")},
    {EntityRef::Kind::Znode, QT_TRANSLATE_NOOP("EntityRef", "znode %1")},
    {EntityRef::Kind::Schedule, QT_TRANSLATE_NOOP("EntityRef", "schedule %1")},
    {EntityRef::Kind::Server, QT_TRANSLATE_NOOP("EntityRef", "server %1")},
    {EntityRef::Kind::Session, QT_TRANSLATE_NOOP("EntityRef", "session %1")},
};

} // namespace

QString entityText(const EntityRef &entity)
{
    const QString name = text::printable(entity.name);
    const LineKind line = kindOfLine(entity.name);
    if (entity.kind == EntityRef::Kind::Lock && line != LineKind::Lock && line != LineKind::Found)
        return name; // which says what it is
    const auto *const found = std::ranges::find(Texts, entity.kind, &std::pair<EntityRef::Kind, const char *>::first);
    return found == std::end(Texts) ? QString() : QCoreApplication::translate("EntityRef", found->second).arg(name);
}

QString targetText(const Target &target)
{
    const qsizetype comma = target.connect.indexOf(u',');
    const QString server = comma < 0 ? target.connect : target.connect.left(comma) + u'…';
    return QCoreApplication::translate("EntityRef", "%1 on %2", "cluster, server")
        .arg(QString::fromUtf8(target.cluster), text::printable(server));
}

} // namespace drover::gui
