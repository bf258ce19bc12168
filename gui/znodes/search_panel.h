#pragma once

#include "gui/data/znode_search.h"

#include <QWidget>

class QComboBox;
class QLabel;
class QLineEdit;
class QPushButton;

namespace drover::gui {

class FindingModel;
class TableView;

// Finds nodes: among the siblings of the selected one, which are known, or in its subtree, which is searched on the
// server. What is found there is listed; a row leads to its node. Esc cancels the search, or closes the panel.
class SearchPanel final : public QWidget
{
    Q_OBJECT

public:
    enum Scope { Siblings, NamesBelow, DataBelow };

    explicit SearchPanel(QWidget *parent = nullptr);

    void open(Scope scope);
    void setPlace(const zk::Path &selected, const QByteArrayList &siblings); // sorted

public Q_SLOTS:
    void showReport(const drover::gui::ZnodeSearchReport &report);

Q_SIGNALS:
    void searchWanted(const drover::gui::ZnodeQuery &query);
    void stopWanted();
    void chosen(const drover::zk::Path &path);
    void closed();

protected:
    void keyPressEvent(QKeyEvent *event) override;

private:
    Scope scope() const;
    void showScope();
    void go(bool backwards);
    void findSibling(bool backwards);
    void search();
    void stop() { Q_EMIT stopWanted(); }
    void close();

    zk::Path m_selected;
    zk::Path m_below; // of the search whose findings are listed
    QByteArrayList m_siblings;
    bool m_running = false;
    FindingModel *m_findings;
    QLineEdit *m_text;
    QComboBox *m_scope;
    QPushButton *m_previous;
    QPushButton *m_next;
    QPushButton *m_stop;
    QLabel *m_about;
    TableView *m_list;
};

} // namespace drover::gui
