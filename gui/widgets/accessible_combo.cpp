#include "gui/widgets/accessible_combo.h"

#include <QAbstractItemView>
#include <QAccessibleWidget>
#include <QComboBox>
#include <QLineEdit>

namespace drover::gui {

namespace {

// Its children are the list that it opens, and the text of one that can be edited.
class AccessibleCombo final : public QAccessibleWidget
{
public:
    explicit AccessibleCombo(QComboBox &combo) : QAccessibleWidget(&combo, QAccessible::ComboBox), m_combo(combo)
    {
        addControllingSignal(QStringLiteral("currentIndexChanged(int)"));
    }

    int childCount() const override { return m_combo.isEditable() ? 2 : 1; }
    QAccessibleInterface *child(int index) const override
    {
        if (index == 0)
            return QAccessible::queryAccessibleInterface(m_combo.view());
        return index == 1 && m_combo.isEditable() ? QAccessible::queryAccessibleInterface(m_combo.lineEdit()) : nullptr;
    }
    int indexOfChild(const QAccessibleInterface *child) const override
    {
        if (child && child->object() == m_combo.view())
            return 0;
        return child && m_combo.isEditable() && child->object() == m_combo.lineEdit() ? 1 : -1;
    }
    QAccessibleInterface *childAt(int x, int y) const override
    {
        return m_combo.isEditable()
                && m_combo.lineEdit()->rect().contains(m_combo.lineEdit()->mapFromGlobal(QPoint(x, y)))
            ? child(1)
            : nullptr;
    }
    QString text(QAccessible::Text kind) const override
    {
        return kind == QAccessible::Value ? m_combo.currentText() : QAccessibleWidget::text(kind);
    }
    QAccessible::State state() const override
    {
        QAccessible::State state = QAccessibleWidget::state();
        state.expandable = true;
        state.expanded = m_combo.view()->isVisible();
        state.editable = m_combo.isEditable();
        return state;
    }

    QStringList actionNames() const override { return {showMenuAction(), pressAction()}; }
    void doAction(const QString &action) override
    {
        if (action != showMenuAction() && action != pressAction())
            return;
        if (m_combo.view()->isVisible())
            m_combo.hidePopup();
        else
            m_combo.showPopup();
    }
    QStringList keyBindingsForAction(const QString &) const override { return {}; }

private:
    QComboBox &m_combo;
};

QAccessibleInterface *newInterface(const QString &ofClass, QObject *object)
{
    auto *const combo = ofClass == u"QComboBox" ? qobject_cast<QComboBox *>(object) : nullptr;
    return combo ? new AccessibleCombo(*combo) : nullptr;
}

} // namespace

void nameComboBoxes()
{
    QAccessible::installFactory(newInterface);
}

void nameField(QLabel &label, QWidget &field)
{
    label.setBuddy(&field);
    const auto *const combo = qobject_cast<QComboBox *>(&field);
    if (combo && combo->isEditable()) // its text gets the keyboard
        combo->lineEdit()->setAccessibleName(label.text().remove(u'&'));
}

} // namespace drover::gui
