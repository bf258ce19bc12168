#include "gui/widgets/node_view.h"

#include "gui/text/format.h"
#include "gui/text/node_text.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"
#include "text/quantity.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QLabel>
#include <QPlainTextEdit>
#include <QScrollBar>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

QString formatName(DataFormat format)
{
    switch (format) {
    case DataFormat::Automatic:
        return NodeView::tr("Automatic");
    case DataFormat::Json:
        return NodeView::tr("JSON");
    case DataFormat::Text:
        return NodeView::tr("Text");
    case DataFormat::Hex:
        return NodeView::tr("Hex");
    }
    return {};
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

// Bytes on a line of a hex dump, so that lines need no scrolling.
int hexWidthIn(const QPlainTextEdit &text)
{
    constexpr int Longest = 76; // characters of a line of 16 bytes
    return text.viewport()->width() >= Longest * text.fontMetrics().averageCharWidth() ? 16 : 8;
}

QLabel *selectableLabel()
{
    QLabel *const label = plainLabel();
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    return label;
}

} // namespace

NodeView::NodeView(QWidget *parent)
    : QWidget(parent), m_path(selectableLabel()), m_format(new QComboBox), m_about(selectableLabel()),
      m_data(new QPlainTextEdit)
{
    m_path->setFont(fixedFont());
    m_path->setWordWrap(true);
    for (const DataFormat format : {DataFormat::Automatic, DataFormat::Json, DataFormat::Text, DataFormat::Hex})
        m_format->addItem(formatName(format), int(format));
    m_format->setAccessibleName(tr("Format of the data"));
    m_about->setForegroundRole(QPalette::PlaceholderText);
    m_data->setReadOnly(true);
    m_data->setFont(fixedFont());
    m_data->setFrameShape(QFrame::NoFrame);
    m_data->setAccessibleName(tr("Data of the node"));

    auto *bar = new QHBoxLayout;
    bar->setContentsMargins(10, 4, 8, 4);
    bar->addWidget(m_about, 1);
    bar->addWidget(m_format);
    auto *stat = new QGridLayout;
    stat->setContentsMargins(10, 8, 8, 8);
    stat->setHorizontalSpacing(14);
    stat->setVerticalSpacing(3);
    stat->setColumnStretch(1, 1);
    const QStringList names{tr("Created"), tr("Changed"), tr("Children"), tr("Versions"), tr("Owner"), tr("zxids")};
    for (int line = 0; line < names.size(); ++line) {
        auto *name = plainLabel(names[line]);
        name->setForegroundRole(QPalette::PlaceholderText);
        m_values.push_back(selectableLabel());
        stat->addWidget(name, line, 0, Qt::AlignTop);
        stat->addWidget(m_values.back(), line, 1);
    }
    auto *column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    auto *path = new QHBoxLayout;
    path->setContentsMargins(10, 8, 8, 2);
    path->addWidget(m_path);
    column->addLayout(path);
    column->addLayout(bar);
    column->addWidget(m_data, 1);
    column->addLayout(stat);
    connect(m_format, &QComboBox::currentIndexChanged, this, &NodeView::render);
    clear();
}

void NodeView::awaitContents(const zk::Path &path)
{
    m_contents = ZnodeContents{path, NodeCondition::Ok, {}, {}};
    m_path->setText(text::printable(path.bytes()));
    m_about->setText(tr("Loading…"));
    m_data->clear();
    for (QLabel *value : m_values)
        value->clear();
}

void NodeView::show(const ZnodeContents &contents)
{
    if (contents.path != m_contents.path)
        return; // another has been selected meanwhile
    m_contents = contents;
    m_path->setText(text::printable(contents.path.bytes()));
    render();
    showStat();
}

void NodeView::clear()
{
    m_contents = {};
    m_path->setText(tr("No node selected"));
    m_about->setText(tr("Select one in the tree."));
    m_data->clear();
    for (QLabel *value : m_values)
        value->clear();
}

void NodeView::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    if (!m_contents.data.isEmpty() && hexWidthIn(*m_data) != m_hexWidth)
        render();
}

void NodeView::render()
{
    const int scrolled = m_data->verticalScrollBar()->value();
    if (m_contents.condition != NodeCondition::Ok) {
        m_about->setText(aboutCondition(m_contents.condition));
        m_data->clear();
        return;
    }
    m_hexWidth = hexWidthIn(*m_data);
    const NodeText shown = renderData(m_contents.data, DataFormat(m_format->currentData().toInt()), m_hexWidth);
    m_data->setLineWrapMode(shown.format == DataFormat::Hex ? QPlainTextEdit::NoWrap : QPlainTextEdit::WidgetWidth);
    QString about = m_contents.data.isEmpty()
        ? tr("No data")
        : tr("%1, %2", "format, size").arg(formatName(shown.format), text::formatSize(m_contents.data.size()));
    if (shown.cut)
        about += tr("; only the beginning is shown");
    m_about->setText(about);
    if (m_data->toPlainText() == shown.text)
        return;
    m_data->setPlainText(shown.text);
    m_data->verticalScrollBar()->setValue(scrolled);
}

void NodeView::showStat()
{
    const zk::Stat &stat = m_contents.stat;
    if (m_contents.condition != NodeCondition::Ok) {
        for (QLabel *value : m_values)
            value->clear();
        return;
    }
    const QStringList lines{
        formatInstant(stat.ctime),
        formatInstant(stat.mtime),
        text::formatCount(stat.numChildren),
        tr("data %1, children %2, ACL %3").arg(stat.version).arg(stat.cversion).arg(stat.aversion),
        stat.ephemeralOwner == 0 ? tr("none, it is persistent")
                                 : tr("session %1 (ephemeral)").arg(formatHex(stat.ephemeralOwner)),
        tr("created %1, changed %2,\nchildren %3")
            .arg(formatHex(stat.czxid), formatHex(stat.mzxid), formatHex(stat.pzxid)),
    };
    for (std::size_t i = 0; i < m_values.size(); ++i)
        m_values[i]->setText(lines[qsizetype(i)]);
}

} // namespace drover::gui
