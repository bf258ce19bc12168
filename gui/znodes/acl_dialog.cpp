#include "gui/znodes/acl_dialog.h"

#include "gui/text/marks.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "gui/words/node_words.h"
#include "zk/access.h"

#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace drover::gui {

AclDialog::AclDialog(const ZnodeAbout &about, QWidget *parent)
    : NodeChangeDialog(tr("Access to %1").arg(marked(about.path.bytes())), tr("Change"), parent), m_about(about),
      m_entries(new QPlainTextEdit), m_words(plainLabel())
{
    m_entries->setFont(fixedFont());
    m_entries->setAccessibleName(tr("Entries of the ACL"));
    m_entries->setPlainText(aclText(about.acl).replace(u',', u'\n'));
    m_entries->setTabChangesFocus(true);
    m_words->setWordWrap(true);
    m_words->setForegroundRole(QPalette::PlaceholderText);
    body()->addWidget(plainLabel(tr("One entry a line: scheme:id:permissions, of c, d, r, w and a.")));
    body()->addWidget(m_entries, 1);
    body()->addWidget(m_words);
    connect(m_entries, &QPlainTextEdit::textChanged, this, &AclDialog::showWords);
    showWords();
    resize(520, 320);
}

void AclDialog::showWords()
{
    QStringList entries = m_entries->toPlainText().split(u'\n');
    for (QString &entry : entries)
        entry = entry.trimmed();
    entries.removeAll(QString());
    m_acl.clear();
    try {
        m_acl = zk::parseAcl(entries.join(u',').toUtf8());
        m_words->setText(aclWords(m_acl, m_about.roles).join(u'\n'));
    } catch (const zk::InvalidAccess &error) {
        m_words->setText(marked(QString::fromUtf8(error.what())));
    }
    setConfirmable(!m_acl.empty() && m_acl != m_about.acl);
}

void AclDialog::confirm()
{
    setWaiting(true);
    Q_EMIT wanted({m_about.path, m_acl, m_about.aversion});
}

} // namespace drover::gui
