#include "gui/pages/locks_page.h"

#include "gui/models/lock_model.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_view.h"
#include "text/printable.h"

namespace drover::gui {

LocksPage::LocksPage(LockModel &model, ActionRegistry &actions)
    : TablePage(QStringLiteral("locks"), tr("Locks"), new TableView(&model, LockModel::Place), actions), m_model(model),
      m_notice(new Notice)
{
    layOut(tr("Filter locks"), m_notice);
    table().setAccessibleName(tr("Locks"));
    table().setColumnWidths({16, 16, 0, 20, 13});
    table().setSpareColumns({LockModel::Session, LockModel::Since});
    showEntities(EntityRef::Kind::Lock, &table());
    inspectOnActivation();
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&model, signal, this, &LocksPage::count);
    connect(&model, &LockModel::deadlocksChanged, this, &LocksPage::warn);
}

void LocksPage::warn()
{
    QStringList sentences;
    for (const Deadlock &deadlock : m_model.deadlocks()) {
        sentences << tr("Deadlock: %1.", "the locks of a circle").arg(deadlock.path());
        for (const LockRow &row : deadlock.waiting)
            sentences << tr("“%1” waits for %2.", "owner, lock")
                             .arg(text::printable(row.about.left(80)), text::printable(row.lock));
        sentences << tr("One of them has to be ended.");
    }
    m_notice->say(sentences.join(u' '));
    count();
}

void LocksPage::count()
{
    const qsizetype deadlocks = m_model.deadlocks().size();
    if (deadlocks > 0)
        return setBadge({shortCount(deadlocks) + u'!', counted(deadlocks, Things::Deadlocks), Tone::Bad});
    const qint64 locks = m_model.lockCount();
    setBadge({locks > 0 ? shortCount(locks) : QString(), counted(locks, Things::Locks), Tone::Muted});
}

QString LocksPage::whenEmpty(const ConnectionState &state) const
{
    return tr("No locks.\nTake one: %1 NAME -- COMMAND")
        .arg(state.commandFor({QStringLiteral("drover"), QStringLiteral("lock")}));
}

} // namespace drover::gui
