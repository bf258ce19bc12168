#include "gui/models/lock_model.h"

#include "gui/text/format.h"
#include "recipes/locks/read_write_lock.h"
#include "text/printable.h"

#include <set>

namespace drover::gui {

// In the order of Column.
LockModel::LockModel(QObject *parent)
    : SnapshotModel({{tr("Lock")}, {tr("Place")}, {tr("Holder and waiters")}, {tr("Session")}, {tr("Since")}}, parent)
{
}

qsizetype LockModel::lockCount() const
{
    std::set<QByteArray> locks;
    for (int i = 0; i < rowCount(); ++i)
        locks.insert(row(i).lock);
    return qsizetype(locks.size());
}

QVariant LockModel::cell(const LockRow &contender, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return text(contender, column);
    case Qt::ToolTipRole:
        return column == Since ? formatInstantAndAge(contender.since) : plainToolTip(text::printable(contender.ticket));
    case MonospaceRole:
        return column == Session;
    case ToneRole:
        if (column == Place)
            return int(contender.place == 0 ? Tone::Good : contender.place > 0 ? Tone::Waiting : Tone::Muted);
        if (contender.place != 0 && column == Lock)
            return int(Tone::Muted);
        break;
    case SortRole:
        if (column == Since)
            return contender.since;
        if (column == Lock || column == Place) {
            const QString place = QString::number(contender.place + 1).rightJustified(8, u'0');
            const QString lock = QString::fromUtf8(contender.lock);
            return column == Lock ? lock + u'\n' + place : place + u'\n' + lock;
        }
        return text(contender, column);
    }
    return {};
}

QString LockModel::text(const LockRow &contender, int column) const
{
    switch (column) {
    case Lock:
        return text::printable(contender.lock);
    case Place:
        return contender.place < 0 ? tr("Free")
            : contender.place == 0 ? (recipes::ReadWriteLock::isReader(contender.ticket) ? tr("Shares") : tr("Holds"))
                                   : tr("Waits, %1").arg(contender.place);
    case Who:
        return contender.place >= 0 && contender.about.isEmpty() ? tr("(does not say)")
                                                                 : text::printable(contender.about.left(400));
    case Session:
        return contender.session == 0 ? QString() : formatHex(contender.session);
    case Since:
        return formatSince(contender.since);
    }
    return {};
}

} // namespace drover::gui
