#include "gui/widgets/verb_row.h"

#include "gui/widgets/action_button.h"

#include <QAction>
#include <QEvent>
#include <QMenu>

#include <algorithm>

namespace drover::gui {

namespace {

constexpr int BetweenVerbs = 8; // between two buttons; pixels

} // namespace

VerbRow::VerbRow(QWidget *parent)
    : QWidget(parent), m_more(new QPushButton(tr("More", "actions"), this)), m_menu(new QMenu(this))
{
    setSizePolicy(QSizePolicy::Maximum, QSizePolicy::Fixed);
    m_menu->setToolTipsVisible(true);
    m_more->setMenu(m_menu);
    m_more->hide();
}

void VerbRow::add(QAction *action, const QString &text, const QString &whenDisabled)
{
    auto *const button = new ActionButton(action, whenDisabled, text);
    button->setParent(this);
    if (!m_verbs.isEmpty())
        setTabOrder(m_verbs.back().button, button);
    setTabOrder(button, m_more);
    m_verbs.append({button, action});
    connect(action, &QAction::changed, this, [this, button] { // after the button has followed it
        if (!button->isHidden())
            return; // its own layout request comes
        arrange();
        updateGeometry();
    });
    arrange();
    updateGeometry();
}

int VerbRow::widthOf(qsizetype buttons) const
{
    int width = 0;
    for (qsizetype i = 0; i < buttons; ++i)
        width += m_verbs[i].button->sizeHint().width() + (i > 0 ? BetweenVerbs : 0);
    return width;
}

QSize VerbRow::sizeHint() const
{
    return {widthOf(m_verbs.size()), m_more->sizeHint().height()};
}

QSize VerbRow::minimumSizeHint() const
{
    return {std::min(m_more->sizeHint().width(), sizeHint().width()), m_more->sizeHint().height()};
}

// A text of an action has changed, or the style.
bool VerbRow::event(QEvent *event)
{
    if (event->type() == QEvent::LayoutRequest || event->type() == QEvent::StyleChange) {
        arrange();
        updateGeometry();
    }
    return QWidget::event(event);
}

void VerbRow::resizeEvent(QResizeEvent *)
{
    arrange();
}

void VerbRow::arrange()
{
    qsizetype shown = m_verbs.size();
    int taken = widthOf(shown);
    while (shown > 0 && taken > width()) {
        --shown;
        taken = widthOf(shown) + (shown > 0 ? BetweenVerbs : 0) + m_more->sizeHint().width();
    }
    QRect place(std::max(0, width() - taken), 0, 0, height()); // to the right
    for (qsizetype i = 0; i < m_verbs.size(); ++i) {
        ActionButton *const button = m_verbs[i].button;
        button->setVisible(i < shown);
        if (i >= shown)
            continue;
        place.setWidth(button->sizeHint().width());
        button->setGeometry(place);
        place.moveLeft(place.right() + 1 + BetweenVerbs);
    }
    fillMenu(shown);
    m_more->setVisible(shown < m_verbs.size());
    place.setWidth(std::min(m_more->sizeHint().width(), width()));
    m_more->setGeometry(place);
}

// It may be open.
void VerbRow::fillMenu(qsizetype shown)
{
    QList<QAction *> hidden;
    for (const Verb &verb : m_verbs.mid(shown))
        hidden.append(verb.action);
    const QList<QAction *> known = m_menu->actions();
    if (std::equal(hidden.begin(), hidden.end(), known.begin(),
                   known.end())) // QList's operator== gives memcmp null for an empty list
        return;
    m_menu->clear();
    m_menu->addActions(hidden);
}

} // namespace drover::gui
