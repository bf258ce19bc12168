#include "gui/znodes/import_dialog.h"

#include "gui/text/marks.h"
#include "gui/widgets/theme.h"

#include <QCheckBox>
#include <QComboBox>
#include <QJsonDocument>
#include <QJsonObject>
#include <QLineEdit>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

enum ConflictRule { Refuse, Keep, Overwrite };

// The exported node's own name, below the selected node.
QString proposal(const QByteArray &json, const zk::Path &below)
{
    const QString top = QJsonDocument::fromJson(json).object().value(QLatin1String("top")).toString();
    return (below.isRoot() ? QString() : below.toString()) + u'/' + top.section(u'/', -1);
}

} // namespace

ImportDialog::ImportDialog(const QByteArray &json, const zk::Path &below, QWidget *parent)
    : NodeChangeDialog(tr("Import a subtree"), tr("Import"), parent), m_json(json),
      m_to(new QLineEdit(proposal(json, below))), m_conflicts(new QComboBox),
      m_ephemerals(new QCheckBox(tr("Make &ephemeral nodes persistent (else they are left out)")))
{
    m_to->setFont(fixedFont());
    m_conflicts->addItems({tr("Write nothing if one of the nodes exists"), tr("Keep the nodes that exist"),
                           tr("Overwrite the data of nodes that exist")});
    addRow(tr("&To"), m_to);
    addRow(tr("&Conflicts"), m_conflicts);
    addRow(QString(), m_ephemerals);
    body()->addStretch(1);
    resize(520, 180);
}

void ImportDialog::confirm()
{
    try {
        ImportOfNodes import;
        import.json = m_json;
        import.to = zk::Path(m_to->text().toUtf8());
        import.overwrite = m_conflicts->currentIndex() == Overwrite;
        import.keep = m_conflicts->currentIndex() == Keep;
        import.ephemeralsAsPersistent = m_ephemerals->isChecked();
        setWaiting(true);
        Q_EMIT wanted(import);
    } catch (const zk::InvalidPath &error) {
        say(marked(QString::fromUtf8(error.what())));
    }
}

} // namespace drover::gui
