#include "gui/doctor/findings_dialog.h"

#include "gui/doctor/findings_model.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"

#include <QDialogButtonBox>
#include <QLabel>
#include <QPushButton>
#include <QScreen>
#include <QVBoxLayout>

namespace drover::gui {

FindingsDialog::FindingsDialog(FindingsModel &findings, QWidget *parent)
    : QDialog(parent), m_summary(plainLabel()), m_table(new TableView(&findings, FindingsModel::Level))
{
    nameIt();
    m_summary->setWordWrap(true);
    m_table->setColumnWidths({14, 24, 0, 40});
    m_table->setAccessibleName(tr("Findings"));
    auto *const buttons = new QDialogButtonBox(QDialogButtonBox::Close);
    connect(buttons, &QDialogButtonBox::rejected, this, &QDialog::reject);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 14);
    column->setSpacing(12);
    column->addWidget(m_summary);
    column->addWidget(m_table, 1);
    column->addWidget(buttons);
    const QSize wanted(fontMetrics().averageCharWidth() * 140, fontMetrics().height() * 22);
    resize(wanted.boundedTo(screen()->availableSize() * 9 / 10));
}

void FindingsDialog::say(const QString &summary, const QString &whenEmpty)
{
    m_summary->setText(summary);
    m_table->say(whenEmpty);
}

void FindingsDialog::nameIt()
{
    setWindowTitle(tr("What drover doctor has found"));
}

} // namespace drover::gui
