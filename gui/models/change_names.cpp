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

// A member of a double barrier holds nothing that the next in line could get.
BreakWords breakWords(const LockRow &contender)
{
    const QString lock = text::printable(contender.lock);
    const QString who = whoIs(contender);
    if (isMember(contender))
        return {NameWords::tr("Take a member out of a barrier"),
                NameWords::tr("Take “%1” out of %2?", "member, barrier").arg(who, lock),
                contender.place > 0
                    ? NameWords::tr("It does not count any more: another has to come before all begin. Its program may "
                                    "wait on, or end with an error. It cannot be undone.")
                    : NameWords::tr("The others no longer wait for it to end. If it still works, it goes on without "
                                    "them, and may end with an error. It cannot be undone."),
                NameWords::tr("Take it out"),
                NameWords::tr("Name of the barrier"),
                NameWords::tr("Took “%1” out of %2.", "member, barrier").arg(who, lock)};
    return {NameWords::tr("Break a lock"),
            NameWords::tr("Take %2 from “%1”?", "owner, lock").arg(who, lock),
            contender.place > 0
                ? NameWords::tr("It loses its place in the line.")
                : NameWords::tr("The next in line holds it at once. If this holder still works and does not notice, "
                                "both work at one time: only a fence keeps its writes out. It cannot be undone."),
            NameWords::tr("Break %1").arg(asWritten(lock)),
            NameWords::tr("Name of the lock to break"),
            NameWords::tr("Took %2 from “%1”.", "owner, lock").arg(who, lock)};
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
