#include "gui/models/lock_model.h"

#include "gui/data/line_name.h"
#include "gui/text/format.h"
#include "recipes/blocks/node_kind.h"
#include "recipes/locks/read_write_lock.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QDateTime>

#include <limits>
#include <utility>

namespace drover::gui {

using recipes::NodeKind;

namespace {

// Its znode is persistent, so the end of a program does not release the lock.
bool isLeaked(const LockRow &contender)
{
    return contender.place >= 0 && contender.session == 0;
}

std::chrono::seconds ageOf(const LockRow &contender)
{
    const qint64 age = QDateTime::currentMSecsSinceEpoch() - contender.since;
    return std::chrono::floor<std::chrono::seconds>(std::chrono::milliseconds(std::max<qint64>(0, age)));
}

// A waiter has none yet, and a member of a barrier none at all.
qint64 fenceOf(const LockRow &contender)
{
    return contender.place == 0 && !isMember(contender) ? contender.czxid : 0;
}

bool isReader(const LockRow &contender)
{
    return recipes::ReadWriteLock::isReader(contender.ticket)
        || recipes::kindOf(contender.ticket) == NodeKind::KazooReadLock;
}

} // namespace

// In the order of Column.
LockModel::LockModel(QObject *parent)
    : SnapshotModel({{tr("Lock")},
                     {tr("Kind")},
                     {tr("Place")},
                     {tr("Holder and waiters")},
                     {tr("Session")},
                     {tr("Since")},
                     {tr("For", "how long"), Qt::AlignRight},
                     {tr("Fence", "the fencing token of a holder"), Qt::AlignRight}},
                    parent)
{
}

void LockModel::showAll()
{
    const QList<LockRow> all = m_ofCluster + m_others + m_found;
    std::set<QByteArray> shared;
    for (const LockRow &row : all) {
        if (recipes::kindOf(row.ticket) == NodeKind::KazooReadLock)
            shared.insert(row.lock);
    }
    const bool isChanged = std::exchange(m_shared, shared) != shared;
    apply(all);
    if (isChanged)
        touchColumn(Kind);
}

void LockModel::show(const QList<LockRow> &rows)
{
    m_ofCluster = rows;
    showAll();
}

void LockModel::showOthers(const QList<LockRow> &rows)
{
    m_others = rows;
    showAll();
}

void LockModel::showFound(const QList<LockRow> &rows)
{
    m_found = rows;
    showAll();
}

void LockModel::showDeadlocks(const QList<Deadlock> &deadlocks)
{
    m_deadlocks = deadlocks;
    std::set<QByteArray> locked;
    for (const Deadlock &deadlock : std::as_const(m_deadlocks)) {
        for (const LockRow &row : deadlock.waiting)
            locked.insert(keyOf(row));
    }
    const bool isChanged = locked != m_locked;
    m_locked = locked;
    if (!isChanged)
        return;
    touchColumn(Place);
    Q_EMIT deadlocksChanged();
}

qsizetype LockModel::lockCount() const
{
    std::set<QByteArray> locks;
    for (int i = 0; i < rowCount(); ++i) {
        if (row(i).place >= 0 || kindOfLine(row(i).lock) == LineKind::Lock)
            locks.insert(row(i).lock);
    }
    return qsizetype(locks.size());
}

QVariant LockModel::cell(const LockRow &contender, int column, int role) const
{
    switch (role) {
    case Qt::DisplayRole:
        return text(contender, column);
    case Qt::ToolTipRole:
        return plainToolTip(toolTip(contender, column));
    case MonospaceRole:
        return column == Session;
    case ToneRole:
        if (column == Place && (m_locked.contains(keyOf(contender)) || isLeaked(contender)))
            return int(Tone::Bad);
        if (column == Place)
            return int(contender.place == 0 ? Tone::Good : contender.place > 0 ? Tone::Waiting : Tone::Muted);
        if (contender.place != 0 && column == Lock)
            return int(Tone::Muted);
        break;
    case SortRole:
        if (column == Since)
            return contender.since;
        if (column == Fence)
            return fenceOf(contender);
        if (column == For)
            return contender.since == 0 ? std::numeric_limits<qint64>::min() : -contender.since;
        if (column == Lock || column == Place) {
            const QString place = QString::number(contender.place + 1).rightJustified(8, u'0');
            const QString lock = QString::fromUtf8(contender.lock);
            return column == Lock ? lock + u'\n' + place : place + u'\n' + lock;
        }
        return text(contender, column);
    case EntitiesRole:
        return QVariant::fromValue(entities(contender));
    case LinkRole:
        if (column == Who && jobs::JobId::parse(QString::fromUtf8(contender.about)))
            return QVariant::fromValue(EntityRef{EntityRef::Kind::Job, contender.about});
        if (column == Session && contender.session != 0)
            return QVariant::fromValue(entities(contender).back());
        break;
    }
    return {};
}

// A worker writes the id of the job for which it takes a lock.
QList<EntityRef> LockModel::entities(const LockRow &contender) const
{
    QList<EntityRef> all{{EntityRef::Kind::Lock, contender.lock}};
    if (jobs::JobId::parse(QString::fromUtf8(contender.about)))
        all.append({EntityRef::Kind::Job, contender.about});
    if (contender.session != 0)
        all.append({EntityRef::Kind::Session, formatHex(contender.session).toLatin1()});
    return all;
}

QString LockModel::text(const LockRow &contender, int column) const
{
    switch (column) {
    case Lock:
        return text::printable(contender.lock);
    case Kind:
        return kindText(contender);
    case Place:
        return placeText(contender);
    case Who:
        if (wasAsked(contender))
            return tr("(was asked to let go)"); // which has overwritten what it said
        return contender.place >= 0 && contender.about.isEmpty() ? tr("(does not say)")
                                                                 : text::printable(contender.about.left(400));
    case Session:
        return isLeaked(contender) ? tr("none") : contender.session == 0 ? QString() : formatHex(contender.session);
    case Since:
        return formatSince(contender.since);
    case Fence:
        return fenceOf(contender) > 0 ? QString::number(fenceOf(contender)) : QString();
    case For:
        return contender.since == 0 ? QString() : text::formatDuration(ageOf(contender));
    }
    return {};
}

// Drover's own locks are read-write locks; a limit is its semaphore.
QString LockModel::kindText(const LockRow &contender) const
{
    const LineKind line = kindOfLine(contender.lock);
    if (line == LineKind::Limit)
        return contender.permits > 0 ? tr("Limit of %1").arg(text::formatCount(contender.permits)) : tr("Limit");
    if (contender.isOfSeveral)
        return tr("Semaphore");
    if (isMember(contender))
        return tr("Double barrier");
    if (line == LineKind::Barrier)
        return tr("Barrier");
    if (line != LineKind::Found)
        return line == LineKind::Election ? tr("Election") : tr("Read-write lock");
    switch (recipes::kindOf(contender.ticket)) {
    case NodeKind::ReadWriteLock:
    case NodeKind::KazooReadLock:
        return tr("Read-write lock");
    case NodeKind::KazooLock:
        return m_shared.count(contender.lock) > 0 ? tr("Read-write lock") : tr("Lock");
    case NodeKind::Latch:
        return tr("Election");
    case NodeKind::Semaphore:
    case NodeKind::KazooSemaphore:
        return tr("Semaphore");
    default:
        return tr("Lock");
    }
}

QString LockModel::placeText(const LockRow &contender) const
{
    if (contender.place < 0)
        return kindOfLine(contender.lock) == LineKind::Barrier ? tr("Closed") : tr("Free");
    if (isMember(contender) && !isLeaked(contender))
        return contender.place == 0 ? tr("Inside") : tr("Waits, %1").arg(contender.place);
    if (contender.place > 0)
        return m_locked.contains(keyOf(contender)) ? tr("Deadlock, %1").arg(contender.place)
                                                   : tr("Waits, %1").arg(contender.place);
    if (isLeaked(contender))
        return tr("Leaked");
    return isReader(contender) ? tr("Shares") : tr("Holds");
}

QString LockModel::toolTip(const LockRow &contender, int column) const
{
    if (column == Fence && fenceOf(contender) > 0)
        return tr("What the holder guards refuses a smaller fencing token than one that it has seen.");
    if (column == Since || column == For)
        return formatInstantAndAge(contender.since);
    if (column == Lock && contender.place >= 0 && !contender.directory.isEmpty())
        return text::printable(contender.directory + '/' + contender.ticket);
    if (isLeaked(contender))
        return tr("No session owns the znode %1: it stays until it is deleted.").arg(text::printable(contender.ticket));
    return text::printable(contender.ticket);
}

} // namespace drover::gui
