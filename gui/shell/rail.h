#pragma once

#include <QAbstractButton>

class QButtonGroup;
class QVBoxLayout;

namespace drover::gui {

class Page;

// The entry of one page in the rail: its icon, its title and its badge. A narrow one has no title.
class RailButton final : public QAbstractButton
{
    Q_OBJECT

public:
    RailButton(Page &page, int number);

    Page &page() const { return m_page; }
    void setNarrow(bool narrow);
    QSize sizeHint() const override;
    QSize minimumSizeHint() const override; // of a narrow one, so that a window can become narrow

Q_SIGNALS:
    void entered(); // by the keyboard: the page is to have it

protected:
    void paintEvent(QPaintEvent *event) override;
    void keyPressEvent(QKeyEvent *event) override;

private:
    void showBadge();
    void paintBadge(QPainter &painter) const;

    Page &m_page;
    QString m_toolTip;
    bool m_narrow = false;
};

// The column of the pages' entries. The arrow keys go from entry to entry, Enter goes into the page.
class Rail final : public QWidget
{
    Q_OBJECT

public:
    explicit Rail(QWidget *parent = nullptr);

    void addPage(Page &page);
    void check(const Page &page);
    void setNarrow(bool narrow);
    bool isNarrow() const { return m_narrow; }

Q_SIGNALS:
    void chosen(drover::gui::Page *page);
    void entered(drover::gui::Page *page);
    void windowWanted(drover::gui::Page *page);

protected:
    void paintEvent(QPaintEvent *event) override;

private:
    QVBoxLayout *m_column;
    QButtonGroup *m_buttons;
    bool m_narrow = false;
};

} // namespace drover::gui
