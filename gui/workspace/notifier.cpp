#include "gui/workspace/notifier.h"

#include <QApplication>
#include <QWidget>

namespace drover::gui {

using namespace std::chrono_literals;

Notifier::Notifier(QWidget &part, QObject *parent) : QObject(parent), m_part(part) { }

namespace {

// Desktops take what looks like a tag or an entity for one.
QString withoutMarkup(QString text)
{
    return text.replace(u'<', u'‹').replace(u'>', u'›').replace(u'&', u'+');
}

} // namespace

void Notifier::tell(const QString &title, const QString &text)
{
    Q_EMIT said(tr("%1 (%2)", "event, rule").arg(text, title), 15s);
    QApplication::alert(m_part.window());
    const QString heading = m_cluster.isEmpty() ? tr("Drover: %1", "a rule").arg(title)
                                                : tr("Drover, %1: %2", "cluster, rule").arg(m_cluster, title);
    if (m_desktop)
        m_desktop({withoutMarkup(heading), withoutMarkup(text), [this] { Q_EMIT opened(); }});
}

} // namespace drover::gui
