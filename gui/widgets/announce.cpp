#include "gui/widgets/announce.h"

#include <QAccessible>
#include <QPointer>
#include <QWidget>

namespace drover::gui {

namespace {

// An announcement, as a notification that appears in the window. Qt's bridge to AT-SPI reports objects that appear, and
// no alerts. A screen reader reads a notification at once, wherever the keyboard is.
class Said final : public QAccessibleInterface
{
public:
    void say(const QString &words, QWidget *window)
    {
        m_words = words;
        m_window = window;
    }

    bool isValid() const override { return m_window; }
    QObject *object() const override { return nullptr; }
    QAccessibleInterface *parent() const override { return QAccessible::queryAccessibleInterface(m_window); }
    QAccessibleInterface *child(int) const override { return nullptr; }
    QAccessibleInterface *childAt(int, int) const override { return nullptr; }
    int childCount() const override { return 0; }
    int indexOfChild(const QAccessibleInterface *) const override { return -1; }
    QString text(QAccessible::Text kind) const override { return kind == QAccessible::Name ? m_words : QString(); }
    void setText(QAccessible::Text, const QString &) override { }
    QRect rect() const override { return {}; }
    QAccessible::Role role() const override { return QAccessible::Notification; }
    QAccessible::State state() const override { return {}; }

private:
    QString m_words;
    QPointer<QWidget> m_window;
};

// It lives as long as the program.
Said &said()
{
    static Said *const only = [] {
        auto *const made = new Said;
        QAccessible::registerAccessibleInterface(made);
        return made;
    }();
    return *only;
}

std::function<void(const QWidget &)> &otherHearer()
{
    static std::function<void(const QWidget &)> hear;
    return hear;
}

} // namespace

void announce(QWidget &widget)
{
    if (QAccessible::isActive()) {
        const QAccessibleInterface *const spoken = QAccessible::queryAccessibleInterface(&widget);
        said().say(spoken ? spoken->text(QAccessible::Name) : QString(), widget.window());
        QAccessibleEvent appears(&said(), QAccessible::ObjectShow);
        QAccessible::updateAccessibility(&appears);
        QAccessibleEvent alert(&widget, QAccessible::Alert); // other platforms hear this
        QAccessible::updateAccessibility(&alert);
    }
    if (otherHearer())
        otherHearer()(widget);
}

void alsoAnnounceTo(std::function<void(const QWidget &)> hear)
{
    otherHearer() = std::move(hear);
}

} // namespace drover::gui
