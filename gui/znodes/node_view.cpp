#include "gui/znodes/node_view.h"

#include "gui/kit/entity_link.h"
#include "gui/text/counted.h"
#include "gui/text/format.h"
#include "gui/text/marks.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "gui/words/node_words.h"
#include "gui/znodes/data_text.h"

#include <QComboBox>
#include <QDateTime>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>

#include <utility>

namespace drover::gui {

namespace {

constexpr qsizetype Small = 16 * 1024; // bytes that are decoded at once

QString formatName(DataFormat format)
{
    constexpr const char *Names[]{
        // in the order of DataFormat
        QT_TRANSLATE_NOOP("drover::gui::NodeView", "Automatic"),
        QT_TRANSLATE_NOOP("drover::gui::NodeView", "JSON"),
        QT_TRANSLATE_NOOP("drover::gui::NodeView", "XML"),
        QT_TRANSLATE_NOOP("drover::gui::NodeView", "Properties"),
        QT_TRANSLATE_NOOP("drover::gui::NodeView", "Text"),
        QT_TRANSLATE_NOOP("drover::gui::NodeView", "Decoded base64"),
        QT_TRANSLATE_NOOP("drover::gui::NodeView", "Base64"),
        QT_TRANSLATE_NOOP("drover::gui::NodeView", "Hex"),
    };
    return NodeView::tr(Names[std::size_t(format)]);
}

QString aboutCondition(NodeCondition condition)
{
    switch (condition) {
    case NodeCondition::Ok:
        break;
    case NodeCondition::Missing:
        return NodeView::tr("It does not exist (any more). It is shown when it is created.");
    case NodeCondition::Denied:
        return NodeView::tr("No permission to read it.");
    case NodeCondition::Unfollowed:
        return NodeView::tr("Too many watches: it is not followed at present.");
    }
    return {};
}

QLabel *selectableLabel()
{
    QLabel *const label = plainLabel();
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setWordWrap(true);
    label->setMinimumWidth(1); // a long word does not widen the page
    return label;
}

} // namespace

NodeView::NodeView(QWidget *parent)
    : QWidget(parent), m_path(selectableLabel()), m_words(selectableLabel()), m_format(new QComboBox),
      m_fold(new QToolButton), m_summary(selectableLabel()), m_data(new DataText), m_ownerLine(new QHBoxLayout)
{
    m_path->setFont(fixedFont());
    m_summary->setForegroundRole(QPalette::PlaceholderText);
    m_data->setAccessibleName(tr("Data of the node"));
    makeFormats();

    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(10, 4, 8, 4);
    bar->addWidget(m_summary, 1);
    bar->addWidget(m_fold);
    bar->addWidget(m_format);
    auto *stat = new QGridLayout;
    stat->setContentsMargins(10, 8, 8, 8);
    stat->setHorizontalSpacing(14);
    stat->setVerticalSpacing(3);
    stat->setColumnStretch(1, 1);
    const QStringList names{tr("Created"), tr("Changed"), tr("Children"), tr("Versions"), tr("Owner"), tr("Access")};
    for (int line = 0; line < names.size(); ++line) {
        auto *name = plainLabel(names[line]);
        name->setForegroundRole(QPalette::PlaceholderText);
        m_values.push_back(selectableLabel());
        stat->addWidget(name, line, 0, Qt::AlignTop);
        if (line == Owner)
            stat->addLayout(m_ownerLine, line, 1);
        else
            stat->addWidget(m_values.back(), line, 1);
    }
    m_ownerLine->setSpacing(8);
    m_ownerLine->addWidget(m_values[Owner], 1, Qt::AlignTop);
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *head = new QVBoxLayout;
    head->setContentsMargins(10, 8, 8, 2);
    head->addWidget(m_path);
    head->addWidget(m_words);
    column->addLayout(head);
    column->addLayout(bar);
    column->addWidget(m_data, 1);
    column->addLayout(stat);
    m_decoder.setMaxThreadCount(1);
    m_clock.setInterval(std::chrono::seconds(1));
    connect(&m_clock, &QTimer::timeout, this, &NodeView::showStat);
    clear();
}

void NodeView::makeFormats()
{
    for (const DataFormat format : {DataFormat::Automatic, DataFormat::Json, DataFormat::Xml, DataFormat::Properties,
                                    DataFormat::Text, DataFormat::FromBase64, DataFormat::ToBase64, DataFormat::Hex})
        m_format->addItem(formatName(format), int(format));
    m_format->setAccessibleName(tr("Format of the data"));
    connect(m_format, &QComboBox::currentIndexChanged, this, &NodeView::render);
    m_fold->setText(tr("Fold"));
    m_fold->setCheckable(true);
    m_fold->setToolTip(tr("Hide what lies deeper (the keys - and + do so for one line)"));
    connect(m_fold, &QToolButton::toggled, this,
            [this](bool folded) { folded ? m_data->foldAll() : m_data->unfoldAll(); });
}

void NodeView::setFormatOfData(DataFormat format)
{
    m_format->setCurrentIndex(m_format->findData(int(format)));
}

void NodeView::awaitContents(const zk::Path &path)
{
    clear();
    m_contents.path = path;
    m_path->setText(marked(path.bytes()));
    m_summary->setText(tr("Loading…"));
    Q_EMIT shown(); // nothing
}

void NodeView::show(const ZnodeContents &contents)
{
    if (contents.path != m_contents.path)
        return; // another has been selected meanwhile
    m_contents = contents;
    render();
    showWords();
    showStat();
    Q_EMIT shown();
}

void NodeView::showAbout(const ZnodeAbout &about)
{
    if (about.path != m_contents.path)
        return;
    m_about = about;
    showStat();
    Q_EMIT shown();
}

void NodeView::clear()
{
    m_contents = {};
    m_about = {};
    ++m_rendering;
    m_path->setText(tr("No node selected"));
    m_words->hide();
    m_summary->setText(tr("Select one in the tree."));
    m_data->showText({});
    m_fold->hide();
    showOwner(0);
    for (QLabel *value : m_values)
        value->clear();
}

// As many bytes on a line as fit: a dump that wraps cannot be read.
int NodeView::hexWidth() const
{
    const int room = m_data->viewport()->width() - 2 * int(m_data->document()->documentMargin())
        - m_data->verticalScrollBar()->sizeHint().width();
    for (const int width : {32, 16, 8}) {
        if (hexLineLength(width) * m_data->fontMetrics().averageCharWidth() <= room)
            return width;
    }
    return 4;
}

void NodeView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (!m_contents.data.isEmpty() && hexWidth() != m_hexWidth)
        render();
}

void NodeView::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    m_clock.start();
}

void NodeView::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    m_clock.stop();
}

void NodeView::render()
{
    const int rendering = ++m_rendering; // what comes of older requests is dropped
    m_hexWidth = hexWidth();
    if (m_contents.condition != NodeCondition::Ok) {
        m_summary->setText(aboutCondition(m_contents.condition));
        m_data->showText({});
        m_fold->hide();
        return;
    }
    const auto wanted = DataFormat(m_format->currentData().toInt());
    if (m_contents.data.size() <= Small)
        return showText(renderData(m_contents.data, wanted, m_hexWidth));
    m_decoder.clear();
    m_decoder.start([this, rendering, wanted, data = m_contents.data, width = m_hexWidth] {
        const NodeText text = renderData(data, wanted, width);
        QMetaObject::invokeMethod(
            this,
            [this, rendering, text] {
                if (rendering == m_rendering)
                    showText(text);
            },
            Qt::QueuedConnection);
    });
}

void NodeView::showText(const NodeText &text)
{
    const qsizetype size = m_contents.data.size();
    QString summary =
        size == 0 ? tr("No data") : tr("%1, %2", "format, size").arg(formatName(text.format), byteWords(size));
    if (text.unpacked > 0)
        summary += tr("; unpacked %1").arg(byteWords(text.unpacked));
    if (text.cut)
        summary += tr("; only the beginning is shown");
    m_summary->setText(summary);
    m_data->showText(text);
    const QSignalBlocker quiet(m_fold);
    m_fold->setChecked(false);
    m_fold->setVisible(m_data->canFold());
}

void NodeView::showWords()
{
    QStringList lines;
    if (m_contents.condition == NodeCondition::Ok)
        lines = recordWords(m_contents.path, m_contents.data, m_contents.stat);
    m_words->setText(lines.join(u'\n'));
    m_words->setVisible(!lines.isEmpty());
}

void NodeView::setLine(Line line, const QString &text)
{
    QLabel *const value = m_values[std::size_t(line)];
    if (value->text() != text)
        value->setText(text);
}

// A link is made for one thing.
void NodeView::showOwner(zk::SessionId session)
{
    const EntityRef owner =
        session == 0 ? EntityRef() : EntityRef{EntityRef::Kind::Session, formatHex(session).toLatin1()};
    if (m_owner ? m_owner->entity() == owner : owner.isNull())
        return;
    delete std::exchange(m_owner, nullptr);
    if (owner.isNull())
        return;
    m_owner = new EntityLink(owner);
    m_ownerLine->insertWidget(0, m_owner, 0, Qt::AlignTop);
    // Later: what is shown then may take the place of the link.
    connect(
        m_owner, &EntityLink::clicked, this, [this, owner] { Q_EMIT entityWanted(owner); }, Qt::QueuedConnection);
}

void NodeView::showStat()
{
    const zk::Stat &stat = m_contents.stat;
    const bool isKnown = m_contents.condition == NodeCondition::Ok && (stat.czxid != 0 || m_contents.path.isRoot())
        && stat != zk::Stat();
    showOwner(isKnown ? zk::sessionOf(stat) : 0);
    if (!isKnown) {
        for (QLabel *value : m_values)
            value->clear();
        return;
    }
    const qint64 now = QDateTime::currentMSecsSinceEpoch();
    setLine(Created, tr("%1; %2", "instant, transaction").arg(instantWords(stat.ctime, now), zxidWords(stat.czxid)));
    setLine(Changed, tr("%1; %2", "instant, transaction").arg(instantWords(stat.mtime, now), zxidWords(stat.mzxid)));
    setLine(Children, tr("%1; changed in %2").arg(counted(stat.numChildren, Things::Children), zxidWords(stat.pzxid)));
    setLine(Versions, versionWords(stat));
    const QString goesWithIt = tr("the node goes with it", "with the session beside this text");
    setLine(Owner,
            zk::sessionOf(stat) == 0      ? ownerWords(stat)
                : m_about.owner.isEmpty() ? goesWithIt
                                          : goesWithIt + u'\n' + marked(m_about.owner));
    setLine(Access, m_about.trouble.isEmpty() ? aclWords(m_about.acl, m_about.roles).join(u'\n') : m_about.trouble);
}

} // namespace drover::gui
