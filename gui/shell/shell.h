#pragma once

#include <QWidget>

class QSettings;
class QStackedWidget;

namespace drover::gui {

struct ConnectionState;
class Page;
class Rail;

// The rail and the pages. One page at a time fills the space beside the rail. In a narrow window the rail has icons
// alone.
class Shell final : public QWidget
{
    Q_OBJECT

public:
    explicit Shell(QWidget *parent = nullptr);

    void addPage(Page *page); // takes it over; the first is shown
    const std::vector<Page *> &pages() const { return m_pages; }
    Page *find(const QString &name) const; // null: there is none of that name
    Page *current() const { return m_current; }
    void showPage(Page *page); // leaves the keyboard where it is
    void goTo(Page *page); // and gives it the keyboard
    void showState(const ConnectionState &state);

    // The page that is shown, and what each page keeps.
    void saveTo(QSettings &settings) const;
    void restoreFrom(const QSettings &settings);

Q_SIGNALS:
    void currentChanged(drover::gui::Page *page);

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    Rail *m_rail;
    QStackedWidget *m_stack;
    std::vector<Page *> m_pages;
    Page *m_current = nullptr;
};

} // namespace drover::gui
