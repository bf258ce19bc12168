#include "gui/znodes/path_bar.h"

#include "gui/text/marks.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "gui/widgets/verb_row.h"
#include "gui/znodes/name_model.h"

#include <QAbstractItemView>
#include <QCompleter>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QMenu>
#include <QToolButton>

namespace drover::gui {

namespace {

constexpr int MaxOffered = 12; // rows that are seen at a time

} // namespace

PathBar::PathBar(QWidget *parent)
    : QWidget(parent), m_field(new QLineEdit), m_names(new NameModel(this)), m_completer(new QCompleter(this)),
      m_star(new QToolButton), m_menu(new QMenu(this)), m_trouble(plainLabel()), m_verbs(new VerbRow)
{
    m_field->setFont(fixedFont());
    m_field->setMinimumWidth(m_field->fontMetrics().averageCharWidth() * 28);
    m_field->setAccessibleName(tr("Path of the node to go to"));
    m_field->setPlaceholderText(tr("Path of a node: / and its name"));
    m_field->installEventFilter(this);
    m_completer->setModel(m_names);
    m_completer->setCompletionRole(Qt::EditRole);
    m_completer->setModelSorting(QCompleter::CaseSensitivelySortedModel);
    m_completer->setMaxVisibleItems(MaxOffered);
    m_field->setCompleter(m_completer);
    m_star->setIcon(lineIcon(QStringLiteral("star")));
    m_star->setAutoRaise(true);
    m_star->setPopupMode(QToolButton::InstantPopup);
    m_star->setMenu(m_menu);
    m_star->setToolTip(tr("Bookmarks of this connection"));
    m_star->setAccessibleName(m_star->toolTip());
    m_trouble->setForegroundRole(QPalette::PlaceholderText);
    auto *const row = new QHBoxLayout(this);
    row->setContentsMargins(8, 6, 8, 6);
    row->addWidget(m_field, 1);
    row->addWidget(m_trouble);
    row->addWidget(m_star);
    row->addWidget(m_verbs);
    say({});
    connect(m_field, &QLineEdit::textEdited, this, &PathBar::completeBelow);
    connect(m_field, &QLineEdit::returnPressed, this, &PathBar::choose);
    connect(m_menu, &QMenu::aboutToShow, this, &PathBar::showBookmarks);
}

void PathBar::setPath(const zk::Path &path)
{
    m_path = path;
    if (!m_field->hasFocus() || !m_field->isModified())
        m_field->setText(path.toString());
}

void PathBar::setConnection(const QString &servers)
{
    if (servers == std::exchange(m_servers, servers))
        return;
    m_listed.reset();
    m_names->show({}, {});
}

void PathBar::offer(QAction *verb, const QString &text)
{
    m_verbs->add(verb, text);
}

void PathBar::edit()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void PathBar::say(const QString &trouble)
{
    m_trouble->setText(trouble);
    m_trouble->setVisible(!trouble.isEmpty());
}

// Asks for the names that may follow the last slash.
void PathBar::completeBelow(const QString &text)
{
    say({});
    const qsizetype slash = text.lastIndexOf(u'/');
    if (slash < 0)
        return;
    try {
        const zk::Path above(slash == 0 ? QByteArray("/") : text.left(slash).toUtf8());
        if (above == m_listed)
            return;
        m_listed = above;
        m_names->show({}, {});
        Q_EMIT namesWanted(above);
    } catch (const zk::InvalidPath &) { // it is said when the path is chosen
    }
}

void PathBar::showNames(const ZnodeListing &listing)
{
    if (listing.path != m_listed)
        return;
    m_names->show(listing.path.isRoot() ? QStringLiteral("/") : listing.path.toString() + u'/', listing.names);
    if (!m_field->hasFocus() || !m_field->isModified())
        return;
    m_completer->setCompletionPrefix(m_field->text());
    if (m_completer->completionCount() > 0)
        m_completer->complete();
}

void PathBar::choose()
{
    QString text = m_field->text().trimmed();
    while (text.size() > 1 && text.endsWith(u'/'))
        text.chop(1);
    try {
        const zk::Path path(text.toUtf8());
        m_field->setModified(false);
        m_completer->popup()->hide();
        say({});
        Q_EMIT chosen(path);
    } catch (const zk::InvalidPath &error) {
        say(marked(QString::fromUtf8(error.what())));
    }
}

bool PathBar::eventFilter(QObject *watched, QEvent *event)
{
    const bool isEscape =
        event->type() == QEvent::KeyPress && static_cast<const QKeyEvent *>(event)->key() == Qt::Key_Escape;
    if (watched != m_field || !isEscape)
        return QWidget::eventFilter(watched, event);
    m_field->setText(m_path.toString()); // no longer modified
    m_field->selectAll();
    say({});
    return true;
}

void PathBar::toggleBookmark()
{
    QStringList &paths = m_bookmarks[m_servers];
    const QString path = m_path.toString();
    const bool wasThere = paths.removeOne(path);
    if (!wasThere)
        paths.append(path);
    paths.sort();
    Q_EMIT bookmarksChanged();
    say(wasThere ? tr("The bookmark is removed.") : tr("Bookmarked."));
}

void PathBar::showBookmarks()
{
    m_menu->clear();
    const QStringList paths = m_bookmarks.value(m_servers);
    m_menu->addAction(paths.contains(m_path.toString()) ? tr("&Remove this bookmark") : tr("&Bookmark this node"), this,
                      &PathBar::toggleBookmark);
    if (!paths.isEmpty())
        m_menu->addSeparator();
    for (const QString &path : paths) {
        QString text = marked(path);
        m_menu->addAction(text.replace(u'&', QStringLiteral("&&")), this,
                          [this, path] { Q_EMIT chosen(zk::Path(path.toUtf8())); });
    }
}

} // namespace drover::gui
