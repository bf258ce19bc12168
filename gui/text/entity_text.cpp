#include "gui/text/entity_text.h"

#include "text/printable.h"

#include <QCoreApplication>

namespace drover::gui {

QString entityText(const EntityRef &entity)
{
    const auto named = [&](const char *text) {
        return QCoreApplication::translate("EntityRef", text).arg(text::printable(entity.name));
    };
    switch (entity.kind) {
    case EntityRef::Kind::Job:
        return named(QT_TRANSLATE_NOOP("EntityRef", "job %1"));
    case EntityRef::Kind::Worker:
        return named(QT_TRANSLATE_NOOP("EntityRef", "worker %1"));
    case EntityRef::Kind::Queue:
        return named(QT_TRANSLATE_NOOP("EntityRef", "queue %1"));
    case EntityRef::Kind::Lock:
        return named(QT_TRANSLATE_NOOP("EntityRef", "lock %1"));
    case EntityRef::Kind::Znode:
        return named(QT_TRANSLATE_NOOP("EntityRef", "znode %1"));
    case EntityRef::Kind::Schedule:
        return named(QT_TRANSLATE_NOOP("EntityRef", "schedule %1"));
    case EntityRef::Kind::Server:
        return named(QT_TRANSLATE_NOOP("EntityRef", "server %1"));
    case EntityRef::Kind::Session:
        return named(QT_TRANSLATE_NOOP("EntityRef", "session %1"));
    case EntityRef::Kind::None:
        break;
    }
    return {};
}

QString targetText(const Target &target)
{
    const qsizetype comma = target.connect.indexOf(u',');
    const QString server = comma < 0 ? target.connect : target.connect.left(comma) + u'…';
    return QCoreApplication::translate("EntityRef", "%1 on %2", "cluster, server")
        .arg(QString::fromUtf8(target.cluster), text::printable(server));
}

} // namespace drover::gui
