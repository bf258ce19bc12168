#include "gui/znodes/create_dialog.h"

#include "gui/text/marks.h"
#include "gui/widgets/theme.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace drover::gui {

CreateDialog::CreateDialog(const zk::Path &parentNode, QWidget *parent)
    : NodeChangeDialog(tr("Create a node"), tr("Create"), parent), m_parentNode(parentNode), m_name(new QLineEdit),
      m_data(new QPlainTextEdit), m_sequential(new QCheckBox(tr("&Sequential: the server appends a number")))
{
    m_name->setFont(fixedFont());
    m_data->setFont(fixedFont());
    m_data->setTabChangesFocus(true);
    addRow(tr("Below"), pathLabel(marked(parentNode.bytes()), font()));
    addRow(tr("&Name"), m_name);
    addRow(QString(), m_sequential);
    addRow(tr("&Data"), m_data);
    setConfirmable(false);
    connect(m_name, &QLineEdit::textChanged, this, [this](const QString &name) {
        setConfirmable(!name.isEmpty());
        say({});
    });
    resize(480, 360);
}

void CreateDialog::confirm()
{
    try {
        const NewNode node{m_parentNode / m_name->text().toUtf8(), m_data->toPlainText().toUtf8(),
                           m_sequential->isChecked()};
        setWaiting(true);
        Q_EMIT wanted(node);
    } catch (const zk::InvalidPath &error) {
        say(marked(QString::fromUtf8(error.what())));
    }
}

} // namespace drover::gui
