#include "gui/inspector/job_output.h"

#include "gui/text/write_file.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QFileDialog>
#include <QHBoxLayout>
#include <QKeyEvent>
#include <QLineEdit>
#include <QPlainTextEdit>
#include <QPushButton>
#include <QRegularExpression>
#include <QScrollBar>
#include <QVBoxLayout>

namespace drover::gui {

namespace {

constexpr int MaxLines = 5000; // that are kept

// A line that tells of an error, in the words of most programs.
const QRegularExpression &errorLine()
{
    static const QRegularExpression words(
        QStringLiteral("\\b(error|errors|failed|failure|fatal|panic|exception|traceback|cannot|denied)\\b"),
        QRegularExpression::CaseInsensitiveOption);
    return words;
}

// The colours of ANSI, made to be read on the base of the palette: the first eight, then their bright ones.
QColor ansiColour(int index, const QPalette &palette)
{
    constexpr QRgb Light[] = {0x1c2128, 0xb3202f, 0x12784a, 0x7a5a00, 0x0f5cad, 0x8a2d8a, 0x0b6a73, 0x57606a,
                              0x3d444d, 0xc62a38, 0x0f7a3d, 0x8f5a00, 0x0f6cbd, 0xa034a0, 0x0a7480, 0x40474f};
    constexpr QRgb Dark[] = {0x8b949e, 0xff7d88, 0x4fd394, 0xe8b84a, 0x5eb1ff, 0xe29bea, 0x56d4dd, 0xd0d7de,
                             0xa5adb7, 0xff9aa2, 0x7ee2b0, 0xf2cc74, 0x8cc8ff, 0xefb8f5, 0x86e3ea, 0xf6f8fa};
    return QColor(isDark(palette) ? Dark[index] : Light[index]);
}

// Of the 256 colours: ANSI, a cube of 6 x 6 x 6, and 24 greys.
QColor indexedColour(int index, const QPalette &palette)
{
    constexpr int Steps[] = {0, 95, 135, 175, 215, 255};
    if (index < 16)
        return ansiColour(index, palette);
    if (index >= 232)
        return QColor::fromHsv(0, 0, 8 + 10 * (index - 232));
    const int place = index - 16;
    return QColor(Steps[place / 36], Steps[place / 6 % 6], Steps[place % 6]);
}

QColor colourOf(int colour, const QPalette &palette)
{
    return colour & TerminalText::Style::Rgb ? QColor(QRgb(colour & 0xffffff)) : indexedColour(colour, palette);
}

} // namespace

JobOutput::JobOutput(QWidget *parent)
    : QWidget(parent), m_text(new QPlainTextEdit), m_field(new QLineEdit), m_none(plainLabel())
{
    m_text->setReadOnly(true);
    m_text->setMaximumBlockCount(MaxLines);
    m_text->setFont(fixedFont());
    m_text->setAccessibleName(tr("End of the output"));
    m_field->setPlaceholderText(tr("Find in the output"));
    m_field->setAccessibleName(m_field->placeholderText());
    m_field->setToolTip(tr("Ctrl+F; Enter or F3 for the next, Shift+F3 for the one before"));
    m_field->setClearButtonEnabled(true);
    m_field->setMaximumWidth(fontMetrics().averageCharWidth() * 36);
    m_none->setForegroundRole(QPalette::PlaceholderText);
    auto *const error = new QPushButton(tr("Next &error"));
    error->setToolTip(tr("F4"));
    error->setAutoDefault(false);
    auto *const save = new QPushButton(tr("Save…"));
    save->setToolTip(tr("Writes what is shown into a file"));
    save->setAutoDefault(false);
    auto *const bar = new QHBoxLayout;
    bar->addWidget(m_field, 1);
    bar->addWidget(error);
    bar->addWidget(save);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addLayout(bar);
    column->addWidget(m_none);
    column->addWidget(m_text, 1);
    m_none->hide();
    connect(error, &QPushButton::clicked, this, &JobOutput::findError);
    connect(save, &QPushButton::clicked, this, &JobOutput::askWhereToSave);
    connect(m_field, &QLineEdit::textChanged, m_none, &QLabel::hide);
    connect(m_field, &QLineEdit::returnPressed, this, [this] { find(); });
}

// While the keyboard is in the output its keys are not for the page beside it, which has some of them, too.
bool JobOutput::event(QEvent *event)
{
    if (event->type() != QEvent::ShortcutOverride && event->type() != QEvent::KeyPress)
        return QWidget::event(event);
    const auto *const key = static_cast<QKeyEvent *>(event);
    const std::pair<bool, std::function<void()>> keys[] = {
        {key->matches(QKeySequence::Find), [this] { focusField(); }},
        {key->matches(QKeySequence::FindNext), [this] { find(); }},
        {key->matches(QKeySequence::FindPrevious), [this] { find(true); }},
        {key->key() == Qt::Key_F4 && key->modifiers() == Qt::NoModifier, [this] { findError(); }}};
    for (const auto &[isIt, act] : keys) {
        if (!isIt)
            continue;
        if (event->type() == QEvent::KeyPress)
            act();
        event->accept();
        return true;
    }
    return QWidget::event(event);
}

void JobOutput::focusField()
{
    m_field->setFocus(Qt::ShortcutFocusReason);
    m_field->selectAll();
}

void JobOutput::clear()
{
    m_terminal.clear();
    m_text->clear();
}

bool JobOutput::isEmpty() const
{
    return m_text->document()->isEmpty();
}

// The last line is written anew: it may have been written over.
void JobOutput::add(const QString &text)
{
    const QList<TerminalText::Line> ended = m_terminal.add(text);
    QScrollBar *const bar = m_text->verticalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();
    QTextCursor end(m_text->document());
    end.movePosition(QTextCursor::End);
    end.beginEditBlock();
    end.movePosition(QTextCursor::StartOfBlock, QTextCursor::KeepAnchor);
    end.removeSelectedText();
    QString usual; // what has no style goes in at once
    const auto write = [&](const TerminalText::Line &line) {
        for (const TerminalText::Run &run : line) {
            if (run.style == TerminalText::Style()) {
                usual += run.text;
                continue;
            }
            end.insertText(std::exchange(usual, {}), {});
            end.insertText(run.text, formatOf(run.style));
        }
    };
    for (const TerminalText::Line &line : ended) {
        write(line);
        usual += u'\n';
    }
    write(m_terminal.current());
    end.insertText(usual, {});
    end.endEditBlock();
    if (atEnd)
        bar->setValue(bar->maximum());
}

QTextCharFormat JobOutput::formatOf(const TerminalText::Style &style) const
{
    QTextCharFormat format;
    const QPalette colours = palette();
    QColor text = style.foreground == style.Usual ? colours.color(QPalette::Text) : colourOf(style.foreground, colours);
    QColor base = style.background == style.Usual ? colours.color(QPalette::Base) : colourOf(style.background, colours);
    if (style.foreground == style.Usual && style.background != style.Usual) // it may be as dark, or as light
        text = base.lightness() < 128 ? Qt::white : Qt::black;
    if (style.inverse)
        std::swap(text, base);
    format.setForeground(text);
    if (style.inverse || style.background != style.Usual)
        format.setBackground(base);
    if (style.bold)
        format.setFontWeight(QFont::Bold);
    format.setFontItalic(style.italic);
    format.setFontUnderline(style.underlined);
    return format;
}

bool JobOutput::find(bool backward)
{
    const QTextDocument::FindFlags direction = backward ? QTextDocument::FindBackward : QTextDocument::FindFlags();
    const QString wanted = m_field->text();
    if (wanted.isEmpty())
        return false;
    const auto search = [&] { return m_text->find(wanted, direction); };
    if (search())
        return true;
    m_text->moveCursor(backward ? QTextCursor::End : QTextCursor::Start);
    return select(search);
}

bool JobOutput::findError()
{
    const auto search = [&] { return m_text->find(errorLine()); };
    m_text->moveCursor(QTextCursor::EndOfBlock); // one stop a line
    if (search())
        return true;
    m_text->moveCursor(QTextCursor::Start);
    return select(search);
}

bool JobOutput::select(const std::function<bool()> &search)
{
    const bool found = search();
    m_none->setText(tr("Not found in what is shown."));
    m_none->setVisible(!found);
    return found;
}

void JobOutput::askWhereToSave()
{
    auto *const dialog = new QFileDialog(this, tr("Save the output"));
    dialog->setAttribute(Qt::WA_DeleteOnClose);
    dialog->setAcceptMode(QFileDialog::AcceptSave);
    dialog->setDefaultSuffix(QStringLiteral("log"));
    connect(dialog, &QFileDialog::fileSelected, this, [this](const QString &path) {
        if (const QString why = saveTo(path); !why.isEmpty())
            complain(this, tr("Save the output"), tr("The output was not saved."), {why});
    });
    dialog->open();
}

QString JobOutput::saveTo(const QString &path) const
{
    const QString why = writeFile(path, m_text->toPlainText().toUtf8());
    return why.isEmpty() ? QString() : tr("Cannot write %1: %2").arg(path, why);
}

} // namespace drover::gui
