#include "gui/launch/launch_dialog.h"

#include "gui/widgets/plain_text.h"
#include "gui/widgets/table_view.h"
#include "gui/widgets/theme.h"
#include "text/name.h"
#include "text/printable.h"

#include <QButtonGroup>
#include <QComboBox>
#include <QDialogButtonBox>
#include <QFileDialog>
#include <QFileInfo>
#include <QFormLayout>
#include <QLabel>
#include <QLineEdit>
#include <QPushButton>
#include <QRadioButton>
#include <QSettings>
#include <QSpinBox>
#include <QSysInfo>
#include <QThread>
#include <QVBoxLayout>

#include <unistd.h>

namespace drover::gui {

namespace {

enum Where { Here, OnHosts };

constexpr int MostSlots = 1024;

// A name for a worker of this machine.
QString ownName()
{
    QString name = QSysInfo::machineHostName().section(u'.', 0, 0).toLower();
    for (QChar &letter : name) {
        if (!letter.isDigit() && (letter < u'a' || letter > u'z'))
            letter = u'-';
    }
    return text::isName(name) ? name : QStringLiteral("here");
}

// A path as it is typed: the file that holds it is elsewhere.
QString absolute(const QString &path)
{
    return path.startsWith(u"~/") ? path : QFileInfo(path).absoluteFilePath();
}

// A string of TOML.
QByteArray quoted(const QString &text)
{
    QString escaped = text;
    escaped.replace(u'\\', QStringLiteral("\\\\")).replace(u'"', QStringLiteral("\\\""));
    return '"' + escaped.toUtf8() + '"';
}

// What the button says that carries the verb out.
QString goText(const QString &verb)
{
    return verb == u"start"  ? LaunchDialog::tr("St&art them")
        : verb == u"stop"    ? LaunchDialog::tr("St&op them")
        : verb == u"restart" ? LaunchDialog::tr("St&art them again")
        : verb == u"upgrade" ? LaunchDialog::tr("&Upgrade them")
                             : LaunchDialog::tr("Loo&k");
}

} // namespace

LaunchDialog::LaunchDialog(LaunchPrograms programs, Refusal refusal, QWidget *parent)
    : QDialog(parent), m_programs(std::move(programs)), m_refusal(std::move(refusal)), m_where(new QButtonGroup(this)),
      m_verb(new QComboBox), m_fields(new QFormLayout), m_name(new QLineEdit(ownName())), m_slots(new QSpinBox),
      m_credentials(new QLineEdit), m_hosts(new QLineEdit),
      m_credentialsRow(withChooser(m_credentials, tr("Credentials of the worker"))),
      m_hostsRow(withChooser(m_hosts, tr("Machines"))), m_table(new TableView(&m_run.rows(), LaunchRows::Host)),
      m_message(plainLabel())
{
    setWindowTitle(tr("Launch workers"));
    for (const auto &[name, title] :
         {std::pair("start", tr("Start them")), std::pair("status", tr("See whether they run")),
          std::pair("stop", tr("Stop them, once their jobs have ended")), std::pair("restart", tr("Start them again")),
          std::pair("upgrade", tr("Give them the programs of this machine, one by one"))})
        m_verb->addItem(title, QLatin1String(name));
    m_slots->setRange(1, MostSlots);
    m_slots->setValue(std::clamp(QThread::idealThreadCount(), 1, MostSlots));
    m_credentials->setPlaceholderText(tr("of a closed cluster: made by “drover worker add”"));
    m_hosts->setPlaceholderText(tr("hosts.toml: its machines are reached by ssh"));
    m_table->setColumnWidths({18, 10, 0});
    m_table->setAccessibleName(tr("Machines"));
    m_table->say(tr("Each machine gets a row here."));
    m_message->setWordWrap(true);
    layOut();
    for (QLineEdit *const field : {m_name, m_credentials, m_hosts})
        connect(field, &QLineEdit::textChanged, this, &LaunchDialog::check);
    connect(m_where, &QButtonGroup::idToggled, this, &LaunchDialog::check);
    connect(m_verb, &QComboBox::currentIndexChanged, this, &LaunchDialog::check);
    connect(&m_run, &LaunchRun::ended, this, &LaunchDialog::end);
    check();
}

void LaunchDialog::layOut()
{
    auto *const here = new QRadioButton(tr("On &this machine"));
    auto *const hosts = new QRadioButton(tr("On the &machines of a file"));
    m_where->addButton(here, Here);
    m_where->addButton(hosts, OnHosts);
    here->setChecked(true);
    auto *const choice = new QHBoxLayout;
    choice->addWidget(here);
    choice->addWidget(hosts);
    choice->addStretch(1);
    m_fields->setFieldGrowthPolicy(QFormLayout::ExpandingFieldsGrow);
    m_fields->setHorizontalSpacing(14);
    m_fields->addRow(plainLabel(tr("Workers")), choice);
    const auto addRow = [this](const QString &label, QWidget *widget, QWidget *buddy) {
        QLabel *const title = plainLabel(label);
        title->setBuddy(buddy);
        m_fields->addRow(title, widget);
    };
    addRow(tr("&Name"), m_name, m_name);
    addRow(tr("S&lots"), m_slots, m_slots);
    addRow(tr("&Credentials"), m_credentialsRow, m_credentials);
    addRow(tr("&File"), m_hostsRow, m_hosts);
    addRow(tr("&What to do"), m_verb, m_verb);

    auto *const buttons = new QDialogButtonBox;
    m_start = buttons->addButton(QString(), QDialogButtonBox::ActionRole);
    m_start->setObjectName(QStringLiteral("launch.go"));
    m_start->setDefault(true);
    m_interrupt = buttons->addButton(tr("&Interrupt"), QDialogButtonBox::ActionRole);
    connect(m_start, &QPushButton::clicked, this, &LaunchDialog::run);
    connect(m_interrupt, &QPushButton::clicked, &m_run, &LaunchRun::interrupt);
    connect(buttons->addButton(QDialogButtonBox::Close), &QPushButton::clicked, this, &QDialog::reject);
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(16, 16, 16, 14);
    column->setSpacing(12);
    column->addLayout(m_fields);
    column->addWidget(m_table, 1);
    column->addWidget(m_message);
    column->addWidget(buttons);
    resize(fontMetrics().averageCharWidth() * 96, fontMetrics().height() * 28);
}

QWidget *LaunchDialog::withChooser(QLineEdit *field, const QString &title)
{
    auto *const row = new QWidget;
    field->setAccessibleName(title);
    auto *const choose = new QPushButton(tr("Choose…"));
    choose->setAutoDefault(false);
    choose->setAccessibleName(tr("Choose a file: %1").arg(title));
    auto *const layout = new QHBoxLayout(row);
    layout->setContentsMargins(0, 0, 0, 0);
    layout->addWidget(field, 1);
    layout->addWidget(choose);
    connect(choose, &QPushButton::clicked, this, [this, field, title] {
        const QString file = QFileDialog::getOpenFileName(this, title, field->text());
        if (!file.isEmpty())
            field->setText(file);
    });
    return row;
}

void LaunchDialog::setTarget(const Target &target)
{
    if (target == m_target)
        return;
    m_target = target;
    setWindowTitle(tr("Launch workers of %1 on %2", "cluster, servers")
                       .arg(QString::fromUtf8(target.cluster), text::printable(target.connect)));
    if (!m_run.isRunning())
        m_run.forget();
    check();
}

bool LaunchDialog::isHere() const
{
    return m_where->checkedId() == Here;
}

QString LaunchDialog::verb() const
{
    return m_verb->currentData().toString();
}

QString LaunchDialog::refusal() const
{
    const QString ofAll = m_programs(m_target).refusal;
    return ofAll.isEmpty() ? m_refusal(verb()) : ofAll;
}

// Shows the fields that count, and whether the launch can begin.
void LaunchDialog::check()
{
    for (QWidget *const row : std::initializer_list<QWidget *>{m_name, m_slots, m_credentialsRow})
        m_fields->setRowVisible(row, isHere());
    m_fields->setRowVisible(m_hostsRow, !isHere());
    const bool runs = m_run.isRunning();
    QString missing = runs ? QString() : refusal();
    if (missing.isEmpty() && isHere() && !text::isName(m_name->text()))
        missing = tr("The name of the worker: %1.").arg(QLatin1String(text::NameRule));
    else if (missing.isEmpty() && !isHere() && m_hosts->text().isEmpty())
        missing = tr("Name the file of the machines; “drover launch --help” says where a sample is.");
    m_start->setText(goText(verb()));
    m_start->setEnabled(!runs && missing.isEmpty());
    m_interrupt->setEnabled(runs);
    if (!runs)
        say(missing, false);
}

void LaunchDialog::say(const QString &text, bool isBad)
{
    m_message->setText(text);
    QPalette colors = palette();
    if (isBad)
        colors.setColor(QPalette::WindowText, toneColor(Tone::Bad, colors));
    m_message->setPalette(colors);
}

QByteArray LaunchDialog::fileForHere(const QString &name, int slotCount, const QString &credentials, bool asRoot)
{
    QByteArray text = "prefix = " + quoted(QStringLiteral(".local/share/drover/workers/%1").arg(name)) + '\n';
    if (!credentials.isEmpty())
        text += "credentials = " + quoted(absolute(credentials)) + '\n';
    text += "[worker]\nslots = " + QByteArray::number(slotCount) + '\n';
    if (asRoot) // who starts it from here knows that its jobs are root's
        text += "allow_root = true\n";
    return text + "[[host]]\nname = " + quoted(name) + "\nssh = false\n";
}

QString LaunchDialog::hostsFile()
{
    if (!isHere())
        return m_hosts->text();
    const QByteArray text = fileForHere(m_name->text(), m_slots->value(), m_credentials->text(), ::geteuid() == 0);
    if (m_file.open() && m_file.resize(0) && m_file.seek(0) && m_file.write(text) == text.size() && m_file.flush())
        return m_file.fileName();
    say(tr("Cannot write %1: %2").arg(m_file.fileName(), m_file.errorString()), true);
    return {};
}

void LaunchDialog::run()
{
    const QString why = refusal();
    if (!why.isEmpty())
        return say(why, true); // editing was switched off since
    const QString file = hostsFile();
    if (file.isEmpty())
        return;
    say(tr("At work…"), false);
    m_run.start(m_programs(m_target), file, verb());
    check();
}

void LaunchDialog::end(LaunchRun::End end, const QString &complaint)
{
    check();
    switch (end) {
    case LaunchRun::End::Good:
        return say(tr("Done."), false);
    case LaunchRun::End::Interrupted:
        return say(tr("Interrupted. It may be done again from the beginning."), true);
    case LaunchRun::End::Bad:
        return say(complaint.isEmpty() ? tr("A machine failed: its row says why.") : complaint, true);
    }
}

void LaunchDialog::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("launch/where"), m_where->checkedId());
    settings.setValue(QStringLiteral("launch/name"), m_name->text());
    settings.setValue(QStringLiteral("launch/slots"), m_slots->value());
    settings.setValue(QStringLiteral("launch/credentials"), m_credentials->text());
    settings.setValue(QStringLiteral("launch/hosts"), m_hosts->text());
}

void LaunchDialog::restoreFrom(const QSettings &settings)
{
    if (settings.value(QStringLiteral("launch/where")).toInt() == OnHosts)
        m_where->button(OnHosts)->setChecked(true);
    m_name->setText(settings.value(QStringLiteral("launch/name"), m_name->text()).toString());
    m_slots->setValue(settings.value(QStringLiteral("launch/slots"), m_slots->value()).toInt());
    m_credentials->setText(settings.value(QStringLiteral("launch/credentials")).toString());
    m_hosts->setText(settings.value(QStringLiteral("launch/hosts")).toString());
    check();
}

} // namespace drover::gui
