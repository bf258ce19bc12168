#pragma once

#include <QDialog>

class QLabel;

namespace drover::gui {

class FindingsModel;
class TableView;

// The findings of `drover doctor`, while it is open as the last run has them.
class FindingsDialog final : public QDialog
{
    Q_OBJECT

public:
    // The model outlives it.
    explicit FindingsDialog(FindingsModel &findings, QWidget *parent = nullptr);

    void say(const QString &summary, const QString &whenEmpty); // above the table, and in it if nothing was found
    void nameIt(); // gives it the title that it had first

private:
    QLabel *m_summary;
    TableView *m_table;
};

} // namespace drover::gui
