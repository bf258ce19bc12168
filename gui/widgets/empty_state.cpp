#include "gui/widgets/empty_state.h"

#include <QEvent>

namespace drover::gui {

EmptyState::EmptyState(QAbstractItemView *view) : QLabel(view->viewport()), m_view(view)
{
    setTextFormat(Qt::PlainText);
    setAlignment(Qt::AlignCenter);
    setWordWrap(true);
    setMargin(16);
    setForegroundRole(QPalette::PlaceholderText);
    setAttribute(Qt::WA_TransparentForMouseEvents);
    view->viewport()->installEventFilter(this);
    const QAbstractItemModel *model = view->model();
    for (const auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        connect(model, signal, this, &EmptyState::update);
    connect(model, &QAbstractItemModel::modelReset, this, &EmptyState::update);
    connect(model, &QAbstractItemModel::layoutChanged, this, &EmptyState::update);
    update();
}

void EmptyState::say(const QString &text)
{
    if (text != this->text())
        setText(text);
}

bool EmptyState::eventFilter(QObject *watched, QEvent *event)
{
    if (event->type() == QEvent::Resize)
        setGeometry(m_view->viewport()->rect());
    return QLabel::eventFilter(watched, event);
}

void EmptyState::update()
{
    setVisible(m_view->model()->rowCount() == 0);
}

} // namespace drover::gui
