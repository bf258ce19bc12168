#include "gui/models/change_names.h"

#include "gui/models/deadlocks.h"
#include "gui/text/format.h"
#include "text/printable.h"

#include <QCoreApplication>

namespace drover::gui {

namespace {

struct NameWords {
    Q_DECLARE_TR_FUNCTIONS(drover::gui::ClusterCommands)
};

} // namespace

QString whoIs(const LockRow &contender)
{
    const bool isSaid = !contender.about.isEmpty() && !wasAsked(contender);
    return text::printable(isSaid ? contender.about.left(80) : contender.ticket);
}

LockNode lockNodeOf(const LockRow &contender)
{
    return {zk::Path(contender.directory) / contender.ticket, contender.czxid, whoIs(contender)};
}

QString listOf(const QByteArrayList &names)
{
    constexpr qsizetype Most = 3;
    QStringList shown;
    for (const QByteArray &name : names.first(std::min(names.size(), Most)))
        shown << text::printable(name);
    if (names.size() > Most)
        shown << NameWords::tr("and %1 more", "queues or workers").arg(names.size() - Most);
    return names.size() < 2 ? QString() : shown.join(QStringLiteral(", ")) + u'\n';
}

QString asWritten(QString name)
{
    return name.replace(u'&', QStringLiteral("&&"));
}

QString nameToType(const LockRow &contender)
{
    const QString lock = text::printable(contender.lock);
    if (lock == QString::fromUtf8(contender.lock))
        return lock;
    constexpr qsizetype Digits = 10;
    return zk::sequenceOf(contender.ticket) ? QString::fromLatin1(contender.ticket.last(Digits))
                                            : formatHex(contender.session);
}

} // namespace drover::gui
