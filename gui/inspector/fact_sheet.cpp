#include "gui/inspector/fact_sheet.h"

#include "gui/kit/entity_link.h"
#include "gui/text/format.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QFormLayout>
#include <QPlainTextEdit>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

constexpr int MostLines = 8; // of a long text, that are seen without scrolling

QString shapeOf(const Facts &facts)
{
    QString shape;
    for (const FactSection &section : facts.sections) {
        shape += u'#' + section.title;
        for (const Fact &fact : section.facts) {
            shape += u'\n' + fact.name + u'|' + QString::number(int(fact.isLong) + 2 * int(fact.text.isEmpty()));
            for (const EntityRef &link : fact.links)
                shape += u'>' + QString::number(int(link.kind)) + QString::fromUtf8(link.name);
        }
    }
    return shape;
}

// So that the values of all sections stand below one another.
int widthOfNames(const Facts &facts, const QFontMetrics &metrics)
{
    int width = 0;
    for (const FactSection &section : facts.sections) {
        for (const Fact &fact : section.facts)
            width = std::max(width, metrics.horizontalAdvance(fact.name));
    }
    return std::min(width + 1, metrics.averageCharWidth() * 18);
}

QString valueOf(const Fact &fact)
{
    return fact.instant != 0 ? formatInstantAndAge(fact.instant) : fact.text;
}

} // namespace

FactSheet::FactSheet(QWidget *parent) : QScrollArea(parent)
{
    setFrameShape(NoFrame);
    setWidgetResizable(true);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    setFocusPolicy(Qt::NoFocus); // its links and texts have it
    auto *const inside = new QWidget;
    m_column = new QVBoxLayout(inside);
    m_column->setContentsMargins(14, 10, 14, 12);
    m_column->setSpacing(6);
    m_column->addStretch(1);
    setWidget(inside);
    connect(&m_second, &QTimer::timeout, this, &FactSheet::countOn);
    m_second.start(std::chrono::seconds(1));
}

void FactSheet::setHead(QWidget *head)
{
    m_column->insertWidget(0, head);
}

void FactSheet::show(const Facts &facts)
{
    if (const QString shape = shapeOf(facts); shape != m_shape || !m_facts) {
        m_shape = shape;
        build(facts);
    }
    std::size_t next = 0;
    for (const FactSection &section : facts.sections) {
        for (const Fact &fact : section.facts)
            fill(m_lines[next++], fact);
    }
}

void FactSheet::build(const Facts &facts)
{
    delete m_facts;
    m_lines.clear();
    m_facts = new QWidget;
    auto *const column = new QVBoxLayout(m_facts);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(6);
    m_nameWidth = widthOfNames(facts, fontMetrics());
    for (const FactSection &section : facts.sections) {
        if (section.facts.isEmpty())
            continue;
        if (!section.title.isEmpty()) {
            QLabel *const title = plainLabel(section.title);
            QFont bold = title->font();
            bold.setBold(true);
            title->setFont(bold);
            title->setContentsMargins(0, m_lines.empty() ? 0 : 8, 0, 0);
            column->addWidget(title);
        }
        auto *const form = new QFormLayout;
        form->setVerticalSpacing(4);
        form->setHorizontalSpacing(14);
        form->setRowWrapPolicy(QFormLayout::DontWrapRows);
        form->setFieldGrowthPolicy(QFormLayout::AllNonFixedFieldsGrow);
        form->setLabelAlignment(Qt::AlignLeft | Qt::AlignTop);
        for (const Fact &fact : section.facts)
            addLine(form, fact);
        column->addLayout(form);
    }
    m_column->insertWidget(m_column->count() - 1, m_facts);
}

void FactSheet::addLine(QFormLayout *form, const Fact &fact)
{
    Line line;
    auto *const value = new QWidget;
    auto *const column = new QVBoxLayout(value);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    if (fact.isLong) {
        line.field = new QPlainTextEdit;
        line.field->setReadOnly(true);
        line.field->setTabChangesFocus(true);
        line.field->setFont(fixedFont());
        line.field->setAccessibleName(fact.name.isEmpty() ? tr("Data") : fact.name);
        column->addWidget(line.field);
    } else if (fact.instant != 0 || !fact.text.isEmpty()) {
        line.text = plainLabel();
        line.text->setWordWrap(true);
        line.text->setTextInteractionFlags(Qt::TextSelectableByMouse);
        column->addWidget(line.text);
    }
    for (const EntityRef &entity : fact.links) {
        auto *const link = new EntityLink(entity);
        // Later: what is shown then takes the place of the link.
        connect(
            link, &QAbstractButton::clicked, this, [this, entity] { Q_EMIT entityWanted(entity); },
            Qt::QueuedConnection);
        column->addWidget(link);
    }
    m_lines.push_back(line);
    if (fact.isLong && fact.name.isEmpty())
        return form->addRow(value);
    QLabel *const name = plainLabel(fact.name);
    name->setForegroundRole(QPalette::PlaceholderText);
    name->setAlignment(Qt::AlignLeft | Qt::AlignTop);
    name->setMinimumWidth(m_nameWidth);
    form->addRow(name, value);
}

void FactSheet::fill(Line &line, const Fact &fact)
{
    line.fact = fact;
    const QString text = valueOf(fact);
    if (line.text && line.text->text() != text)
        line.text->setText(text);
    if (line.text) {
        QPalette colours = palette();
        if (fact.tone != Tone::Plain)
            colours.setColor(QPalette::WindowText, toneColor(fact.tone, palette()));
        line.text->setPalette(colours);
    }
    if (!line.field || line.field->toPlainText() == text)
        return;
    line.field->setPlainText(text);
    const int lines = std::min(MostLines, line.field->blockCount());
    line.field->setFixedHeight(line.field->fontMetrics().lineSpacing() * lines + 14);
}

void FactSheet::countOn()
{
    for (const Line &line : m_lines) {
        if (line.text && line.fact.instant != 0)
            line.text->setText(valueOf(line.fact));
    }
}

} // namespace drover::gui
