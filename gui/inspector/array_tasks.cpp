#include "gui/inspector/array_tasks.h"

#include "gui/inspector/task_grid.h"
#include "gui/inspector/task_mark.h"
#include "gui/widgets/plain_text.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QPainter>
#include <QVBoxLayout>

namespace drover::gui {

// "× 3 failed  ▸ 12 running", as many lines as the width needs.
class ArrayTasks::Legend final : public QWidget
{
public:
    Legend()
    {
        QSizePolicy policy(QSizePolicy::Preferred, QSizePolicy::Preferred);
        policy.setHeightForWidth(true);
        setSizePolicy(policy);
    }

    void show(const ArrayModel &model)
    {
        m_entries.clear();
        QStringList words;
        for (int state = 0; state < TaskStates; ++state) {
            const qint32 count = model.count(TaskState(state));
            if (count == 0)
                continue;
            words << ArrayTasks::tr("%1 %2", "count, state")
                         .arg(text::formatCount(count), taskStateText(TaskState(state)));
            m_entries.append({TaskState(state), words.back()});
        }
        setAccessibleName(words.join(QStringLiteral(", ")));
        updateGeometry();
        update();
    }
    int heightForWidth(int width) const override
    {
        int lines = 1;
        walk(width, [&](const Entry &, const QPoint &at) { lines = at.y() / lineHeight() + 1; });
        return lines * lineHeight();
    }
    QSize sizeHint() const override { return {200, heightForWidth(width())}; }

protected:
    void paintEvent(QPaintEvent *) override
    {
        QPainter painter(this);
        walk(width(), [&](const Entry &entry, const QPoint &at) {
            const int side = fontMetrics().ascent();
            paintTaskMark(painter, QRectF(at.x(), at.y() + (lineHeight() - side) / 2.0, side, side), entry.state,
                          palette());
            painter.setPen(palette().color(QPalette::WindowText));
            painter.drawText(QRect(at + QPoint(side + 5, 0), QSize(width(), lineHeight())),
                             Qt::AlignLeft | Qt::AlignVCenter, entry.text);
        });
    }

private:
    struct Entry {
        TaskState state;
        QString text;
    };

    int lineHeight() const { return fontMetrics().height() + 4; }
    template <typename Visit>
    void walk(int width, const Visit &visit) const
    {
        QPoint at;
        for (const Entry &entry : m_entries) {
            const int wide = fontMetrics().ascent() + 5 + fontMetrics().horizontalAdvance(entry.text);
            if (at.x() > 0 && at.x() + wide > width)
                at = {0, at.y() + lineHeight()};
            visit(entry, at);
            at.rx() += wide + 14;
        }
    }

    QList<Entry> m_entries;
};

ArrayTasks::ArrayTasks(const jobs::JobId &array, QWidget *parent)
    : QWidget(parent), m_model(array), m_legend(new Legend), m_order(new QComboBox), m_notAll(plainLabel()),
      m_trouble(plainLabel()), m_grid(new TaskGrid(m_model))
{
    m_order->addItems({tr("Failed first"), tr("By index")});
    m_order->setAccessibleName(tr("Order of the tasks"));
    for (QLabel *const label : {m_notAll, m_trouble}) {
        label->setForegroundRole(QPalette::PlaceholderText);
        label->setWordWrap(true);
        label->hide();
    }
    auto *const head = new QHBoxLayout;
    head->setSpacing(10);
    head->addWidget(m_legend, 1);
    head->addWidget(m_order, 0, Qt::AlignTop);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(12, 8, 10, 8);
    column->setSpacing(6);
    column->addLayout(head);
    column->addWidget(m_notAll);
    column->addWidget(m_trouble);
    column->addWidget(m_grid, 1);
    connect(m_order, &QComboBox::currentIndexChanged, this, [this](int index) {
        m_model.setOrder(index == 0 ? ArrayModel::Order::FailedFirst : ArrayModel::Order::ByIndex);
        m_grid->scrollTo(m_grid->currentIndex());
    });
    connect(m_grid, &QAbstractItemView::activated, this,
            [this](const QModelIndex &index) { Q_EMIT taskWanted(m_model.taskOf(index)); });
    connect(&m_model, &ArrayModel::shown, this, &ArrayTasks::tell);
}

void ArrayTasks::showEnded(const QList<JobRow> &tasks)
{
    m_trouble->hide();
    m_model.showEnded(tasks);
}

void ArrayTasks::fail(const QString &why)
{
    m_trouble->setText(text::printable(why));
    m_trouble->show();
}

void ArrayTasks::tell()
{
    m_legend->show(m_model);
    const bool areAll = m_model.rowCount() == m_model.count();
    m_notAll->setVisible(!areAll);
    m_notAll->setText(areAll ? QString()
                             : tr("The first %1 of %2 tasks in this order are shown.")
                                   .arg(text::formatCount(m_model.rowCount()), text::formatCount(m_model.count())));
}

} // namespace drover::gui
