#pragma once

#include <QWidget>

namespace drover::gui {

class ConnectionBand;
struct ConnectionLook;
class Page;

// A window of its own for one page, for a second monitor. It belongs to the main window, and closes with it.
class PageWindow final : public QWidget
{
    Q_OBJECT

public:
    // Takes the page in. The window is destroyed after closed().
    PageWindow(Page &page, QWidget *mainWindow);

    Page &page() const { return m_page; }
    void showLook(const ConnectionLook &look);

Q_SIGNALS:
    void closed(drover::gui::Page *page); // it may be taken out

protected:
    void closeEvent(QCloseEvent *event) override;

private:
    void entitle();

    Page &m_page;
    ConnectionBand *m_band;
};

} // namespace drover::gui
