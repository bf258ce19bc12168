#include "gui/shell/page_window.h"

#include "gui/shell/connection_band.h"
#include "gui/shell/page.h"
#include "gui/widgets/icon.h"

#include <QVBoxLayout>

namespace drover::gui {

PageWindow::PageWindow(Page &page, QWidget *mainWindow)
    : QWidget(mainWindow, Qt::Window), m_page(page), m_band(new ConnectionBand)
{
    setAttribute(Qt::WA_DeleteOnClose);
    setWindowIcon(lineIcon(page.name()));
    resize(page.size());
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_band);
    column->addWidget(&page, 1);
    page.show();
    connect(mainWindow, &QWidget::windowTitleChanged, this, &PageWindow::entitle);
    entitle();
}

void PageWindow::showLook(const ConnectionLook &look)
{
    m_band->showLook(look);
}

void PageWindow::entitle()
{
    setWindowTitle(tr("%1 — %2", "page, main window").arg(m_page.title(), parentWidget()->windowTitle()));
}

void PageWindow::closeEvent(QCloseEvent *event)
{
    Q_EMIT closed(&m_page);
    QWidget::closeEvent(event);
}

} // namespace drover::gui
