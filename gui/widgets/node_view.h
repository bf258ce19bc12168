#pragma once

#include "gui/data/snapshots.h"

#include <QWidget>

class QComboBox;
class QFormLayout;
class QLabel;
class QPlainTextEdit;

namespace drover::gui {

// The selected node: its path, its data, its Stat. All of it is plain text, never rich: any client can write data.
class NodeView final : public QWidget
{
    Q_OBJECT

public:
    explicit NodeView(QWidget *parent = nullptr);

public Q_SLOTS:
    void show(const drover::gui::ZnodeContents &contents);
    void awaitContents(const drover::zk::Path &path); // until show()
    void clear();

protected:
    void resizeEvent(QResizeEvent *event) override;

private:
    void render();
    void showStat();

    ZnodeContents m_contents;
    QLabel *m_path;
    QComboBox *m_format;
    QLabel *m_about;
    QPlainTextEdit *m_data;
    int m_hexWidth = 0; // of the dump that is shown
    std::vector<QLabel *> m_values; // of the Stat, in the order of its lines
};

} // namespace drover::gui
