#include "gui/pages/locks_page.h"

#include "gui/models/lock_model.h"
#include "gui/text/format.h"
#include "gui/widgets/table_view.h"
#include "text/quantity.h"

#include <QSettings>
#include <QVBoxLayout>

namespace drover::gui {

LocksPage::LocksPage(LockModel &model)
    : Page(QStringLiteral("locks"), tr("Locks")), m_model(model), m_table(new TableView(&model, LockModel::Place))
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_table);
    m_table->setAccessibleName(tr("Locks"));
    m_table->setColumnWidths({16, 12, 0, 20, 10});
    m_table->setSpareColumns({LockModel::Session, LockModel::Since});
    m_table->setAwake(false);
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(&model, signal, this, &LocksPage::count);
}

void LocksPage::count()
{
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
