#pragma once

#include "gui/shell/visits.h"

#include <QMap>
#include <QVariantMap>
#include <QWidget>

class QSettings;
class QSplitter;
class QStackedWidget;

namespace drover::gui {

struct ConnectionState;
class Page;
class PageWindow;
class Rail;

// The rail and the pages. One page at a time fills the space beside the rail. In a narrow window the rail has icons
// alone. A page can be in a window of its own; a remark stands in its space then.
class Shell final : public QWidget
{
    Q_OBJECT

public:
    explicit Shell(QWidget *parent = nullptr);

    void addPage(Page *page); // takes it over; the first is shown
    const std::vector<Page *> &pages() const { return m_pages; }
    QStringList pageNames() const;
    Page *find(const QString &name) const; // null: there is none of that name
    Page *current() const { return m_current; }
    void showPage(Page *page); // leaves the keyboard where it is
    void goTo(Page *page); // and gives it the keyboard
    // Shows that thing on its page. One that has no page goes to the inspector.
    void goToEntity(const EntityRef &entity);
    // Back (-1) or forward (1) over the pages and what was selected there.
    void move(int step);
    bool canMove(int step) const { return m_visits.canMove(step); }
    void openInWindow(Page *page); // and gives it the keyboard
    // To which the windows of pages belong, and whose title they have: that of its connection. At first the window.
    void setOwner(QWidget &owner) { m_owner = &owner; }
    QWidget *owner() const { return m_owner ? m_owner : window(); }
    void present(); // asks for what covers the shell to be taken away
    // Whether the shell can be seen. The pages of one that cannot sleep, but for those in windows of their own.
    void setSeen(bool seen);
    PageWindow *windowOf(const Page *page) const; // null: the page is beside the rail
    void showState(const ConnectionState &state);
    // The pages whose badges tell of trouble, each with it: "Locks: 1 deadlock".
    QStringList alerts() const;

    // A panel beside the page, or below it in a narrow window; hidden at first. Takes it over.
    void setPanel(QWidget *panel);
    void showPanel(bool shown);
    bool isPanelShown() const;
    EntityRef selection() const; // on the page that is shown

    // The windows of pages: where they are, by page. For QSettings.
    QVariantMap windows() const;
    void openWindows(const QVariantMap &windows); // skips a page that is not there, and leaves the shown page as it is
    // The page that is shown, the windows of pages, and what each page keeps.
    void saveTo(QSettings &settings) const;
    // Windows and filters are restored only `asItWas`.
    void restoreFrom(const QSettings &settings, bool asItWas = true);

Q_SIGNALS:
    void currentChanged(drover::gui::Page *page);
    void visitsChanged();
    void selected(const drover::gui::EntityRef &entity); // on a page that is seen; null: nothing any more
    void inspectWanted(const drover::gui::EntityRef &entity);
    void windowOpened(drover::gui::PageWindow *window);
    void presentWanted(); // something covers the shell: it is to be uncovered

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    // In the stack: the page, or the remark while the page has a window.
    struct Place {
        QWidget *remark = nullptr;
        PageWindow *window = nullptr;
    };

    void uncover(Page *page);
    void visit(const Visit &place);
    QWidget *newRemark(Page *page);
    void takeBack(Page *page);
    void placePanel();
    void savePanel(QSettings &settings) const;
    void restorePanel(const QSettings &settings);

    Rail *m_rail;
    QStackedWidget *m_stack;
    QSplitter *m_split;
    QWidget *m_panel = nullptr;
    bool m_isPlaced = false; // the panel
    QMap<Qt::Orientation, int> m_panelSize; // as the user has left it; pixels
    std::vector<Page *> m_pages;
    std::map<const Page *, Place> m_places;
    Page *m_current = nullptr;
    QWidget *m_owner = nullptr;
    bool m_isSeen = true;
    Visits m_visits;
};

} // namespace drover::gui
