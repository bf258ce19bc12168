#pragma once

#include "gui/znodes/node_change_dialog.h"

class QCheckBox;
class QComboBox;
class QLineEdit;

namespace drover::gui {

// Imports an exported subtree: where to, and by which rules for nodes that exist and for ephemeral ones.
class ImportDialog final : public NodeChangeDialog
{
    Q_OBJECT

public:
    // `json`: the file's content, which the import checks.
    ImportDialog(const QByteArray &json, const zk::Path &below, QWidget *parent);

Q_SIGNALS:
    void wanted(const drover::gui::ImportOfNodes &import);

protected:
    void confirm() override;

private:
    QByteArray m_json;
    QLineEdit *m_to;
    QComboBox *m_conflicts;
    QCheckBox *m_ephemerals;
};

} // namespace drover::gui
