#include "gui/models/lock_model.h"

#include "gui/text/format.h"
#include "recipes/locks/read_write_lock.h"
#include "text/printable.h"

namespace drover::gui {

QVariant LockModel::data(const QModelIndex &index, int role) const
{
    if (!checkIndex(index, CheckIndexOption::IndexIsValid | CheckIndexOption::ParentIsInvalid))
        return {};
    const LockRow &contender = row(index.row());
    switch (role) {
    case Qt::DisplayRole:
        return text(contender, index.column());
    case Qt::ToolTipRole:
        return index.column() == Since ? formatInstantAndAge(contender.since)
                                       : plainToolTip(text::printable(contender.ticket));
    case MonospaceRole:
        return index.column() == Session;
    case ToneRole:
        if (index.column() == Place)
            return int(contender.place == 0 ? Tone::Good : contender.place > 0 ? Tone::Waiting : Tone::Muted);
        if (contender.place != 0 && index.column() == Lock)
            return int(Tone::Muted);
        break;
    case SortRole:
        if (index.column() == Since)
            return contender.since;
        if (index.column() == Lock || index.column() == Place) {
            const QString place = QString::number(contender.place + 1).rightJustified(8, u'0');
            const QString lock = QString::fromUtf8(contender.lock);
            return index.column() == Lock ? lock + u'\n' + place : place + u'\n' + lock;
        }
        return text(contender, index.column());
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

QVariant LockModel::headerData(int section, Qt::Orientation orientation, int role) const
{
    if (orientation != Qt::Horizontal)
        return {};
    if (role == Qt::TextAlignmentRole)
        return int(Qt::AlignLeft | Qt::AlignVCenter);
    if (role != Qt::DisplayRole)
        return {};
    switch (section) {
    case Lock:
        return tr("Lock");
    case Place:
        return tr("Place");
    case Who:
        return tr("Holder and waiters");
    case Session:
        return tr("Session");
    case Since:
        return tr("Since");
    }
    return {};
}

} // namespace drover::gui
