#include "gui/pages/locks_page.h"

#include "gui/models/lock_model.h"
#include "gui/text/format.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/table_view.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QSettings>
#include <QVBoxLayout>

namespace drover::gui {

LocksPage::LocksPage(LockModel &model)
    : Page(QStringLiteral("locks"), tr("Locks")), m_model(model), m_notice(new Notice),
      m_table(new TableView(&model, LockModel::Place))
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    column->addWidget(m_table, 1);
    m_table->setAccessibleName(tr("Locks"));
    m_table->setColumnWidths({16, 16, 0, 20, 13});
    m_table->setSpareColumns({LockModel::Session, LockModel::Since});
    m_table->setAwake(false);
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
        return setBadge(
            {shortCount(deadlocks) + u'!', text::formatCount(deadlocks, "deadlock", "deadlocks"), Tone::Bad});
    const qint64 locks = m_model.lockCount();
    setBadge({locks > 0 ? shortCount(locks) : QString(), text::formatCount(locks, "lock", "locks"), Tone::Muted});
}

void LocksPage::showState(const ConnectionState &state)
{
    const QString why = state.whyNothing();
    m_table->say(why.isEmpty() ? tr("No locks.\nTake one: %1 NAME -- COMMAND")
                                     .arg(state.commandFor({QStringLiteral("drover"), QStringLiteral("lock")}))
                               : why);
    m_table->setStale(state.isStale());
}

void LocksPage::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("columns/locks"), m_table->saveColumns());
}

void LocksPage::restoreFrom(const QSettings &settings)
{
    m_table->restoreColumns(settings.value(QStringLiteral("columns/locks")).toByteArray());
}

QWidget *LocksPage::mainPart() const
{
    return m_table;
}

void LocksPage::activate()
{
    m_table->setAwake(true);
}

void LocksPage::deactivate()
{
    m_table->setAwake(false);
}

} // namespace drover::gui
