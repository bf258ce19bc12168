#pragma once

#include "gui/znodes/node_change_dialog.h"

class QLabel;
class QLineEdit;

namespace drover::gui {

class DiffView;

// What differs between the data of two nodes, each in the format that fits it. It changes nothing.
class CompareDialog final : public NodeChangeDialog
{
    Q_OBJECT

public:
    CompareDialog(const ZnodeContents &contents, const QString &other, QWidget *parent);

    void take(const ZnodeAnswer &answer) override; // the other node

Q_SIGNALS:
    void wanted(const drover::zk::Path &path);

protected:
    void confirm() override;

private:
    ZnodeContents m_contents;
    QLineEdit *m_other;
    QLabel *m_about;
    DiffView *m_diff;
};

} // namespace drover::gui
