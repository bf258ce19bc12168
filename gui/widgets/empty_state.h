#pragma once

#include <QAbstractItemView>
#include <QLabel>

namespace drover::gui {

// What a view shows instead of rows: why there are none, and what to do next.
class EmptyState final : public QLabel
{
    Q_OBJECT

public:
    explicit EmptyState(QAbstractItemView *view);

    void say(const QString &text);

protected:
    bool eventFilter(QObject *watched, QEvent *event) override;

private:
    void update();

    QAbstractItemView *m_view;
};

} // namespace drover::gui
