#include "gui/window/look/dialog_titles.h"

#include <QApplication>
#include <QDialog>
#include <QEvent>

namespace drover::gui {

DialogTitles::DialogTitles(QWidget &window) : QObject(&window), m_window(window)
{
    qApp->installEventFilter(this);
}

void DialogTitles::setCluster(const QString &name)
{
    m_cluster = name;
}

bool DialogTitles::isOurs(const QDialog &dialog) const
{
    const QWidget *widget = dialog.parentWidget();
    while (widget && widget != &m_window)
        widget = widget->parentWidget();
    return widget != nullptr;
}

bool DialogTitles::eventFilter(QObject *watched, QEvent *event)
{
    auto *const dialog = event->type() == QEvent::Show ? qobject_cast<QDialog *>(watched) : nullptr;
    if (!dialog || !isOurs(*dialog))
        return false;
    if (!dialog->parentWidget()->isVisible())
        Q_EMIT openedUnseen();
    if (m_cluster.isEmpty() || dialog->windowTitle().contains(QString(m_cluster).remove(u'…')))
        return false; // it names the cluster already
    dialog->setWindowTitle(dialog->windowTitle() + tr(" — %1", "at the end of a title: a cluster").arg(m_cluster));
    return false;
}

} // namespace drover::gui
