#include "gui/pages/lab/lab_page.h"

#include "gui/pages/lab/code_view.h"
#include "gui/pages/lab/lab_picture.h"
#include "gui/text/format.h"
#include "gui/widgets/notice.h"
#include "gui/widgets/plain_text.h"

#include <QComboBox>
#include <QHBoxLayout>
#include <QListWidget>
#include <QPushButton>
#include <QScrollArea>
#include <QSettings>
#include <QSplitter>
#include <QVBoxLayout>

namespace drover::gui {

using Life = LabParticipant::Life;
using Phase = LabParticipant::Phase;

namespace {

constexpr int RoomForTheList = 900; // pixels of width

QScrollArea *scrolling(QWidget *widget)
{
    auto *const area = new QScrollArea;
    area->setWidget(widget);
    area->setAccessibleName(widget->accessibleName()); // the keyboard scrolls it
    area->setWidgetResizable(true);
    area->setFrameShape(QFrame::NoFrame);
    return area;
}

} // namespace

LabPage::LabPage(LabSettings settings)
    : Page(QStringLiteral("lab"), tr("Lab")), m_settings(std::move(settings)), m_notice(new Notice),
      m_lessons(new QListWidget), m_choice(new QComboBox), m_title(plainLabel()), m_about(plainLabel()),
      m_picture(new LabPicture), m_code(new CodeView), m_guide(new QWidget), m_steps(new QVBoxLayout(m_guide)),
      m_left(new QSplitter(Qt::Vertical)), m_right(new QSplitter(Qt::Vertical)), m_selected(plainLabel())
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(m_notice);
    auto *const row = new QSplitter;
    row->addWidget(makeLessons());
    row->addWidget(makeStage());
    row->addWidget(m_right);
    m_right->addWidget(scrolling(m_code));
    m_right->setMinimumWidth(220);
    for (int i = 0; i < 3; ++i)
        row->setCollapsible(i, false);
    row->setStretchFactor(1, 1);
    row->setSizes({215, 635, 260});
    column->addWidget(row, 1);
    connect(m_picture, &LabPicture::selectionChanged, this, &LabPage::update);
    connect(m_lessons, &QListWidget::currentRowChanged, this, &LabPage::openLesson);
    connect(m_choice, &QComboBox::currentIndexChanged, this, &LabPage::openLesson);
    m_lesson = -1;
    openLesson(0);
}

LabPage::~LabPage() = default;

QWidget *LabPage::makeLessons()
{
    for (const Lesson &lesson : Lesson::all()) {
        auto *const item = new QListWidgetItem(lesson.title, m_lessons);
        item->setSizeHint({0, fontMetrics().height() + 8});
        item->setToolTip(plainToolTip(lesson.about));
        m_choice->addItem(lesson.title);
    }
    m_lessons->setFrameShape(QFrame::NoFrame);
    m_lessons->setSpacing(3);
    m_lessons->setFixedHeight(int(Lesson::all().size()) * (fontMetrics().height() + 14) + 8);
    m_lessons->setAccessibleName(tr("Lessons"));
    m_choice->setAccessibleName(tr("Lessons"));
    m_left->addWidget(m_lessons);
    m_left->addWidget(makeGuide());
    m_left->setStretchFactor(1, 1);
    return m_left;
}

QWidget *LabPage::makeGuide()
{
    m_guide->setAutoFillBackground(true);
    m_guide->setBackgroundRole(QPalette::Base);
    m_guide->setAccessibleName(tr("What to try"));
    m_steps->setContentsMargins(12, 10, 12, 10);
    m_steps->setSpacing(8);
    QScrollArea *const area = scrolling(m_guide);
    area->setObjectName(QStringLiteral("guide"));
    area->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return area;
}

QPushButton *LabPage::addButton(const QString &name, const QString &text)
{
    auto *const button = new QPushButton(text);
    button->setObjectName(name);
    button->setAutoDefault(false);
    m_buttons.insert(name, button);
    return button;
}

QWidget *LabPage::makeStage()
{
    auto *const stage = new QWidget;
    auto *const column = new QVBoxLayout(stage);
    column->setContentsMargins(12, 8, 12, 8);
    QFont large = m_title->font();
    large.setPointSizeF(large.pointSizeF() * 1.3);
    large.setBold(true);
    m_title->setFont(large);
    m_about->setWordWrap(true);
    auto *const all = new QHBoxLayout;
    all->addWidget(m_choice, 1);
    all->addWidget(m_title, 1);
    all->addWidget(addButton(QStringLiteral("startAll"), tr("Start &all")));
    all->addWidget(addButton(QStringLiteral("releaseAll"), tr("&Release")));
    all->addWidget(addButton(QStringLiteral("again"), tr("&Begin again")));
    column->addLayout(all);
    column->addWidget(m_about);
    QScrollArea *const area = scrolling(m_picture);
    area->setFrameShape(QFrame::StyledPanel);
    area->setFocusProxy(m_picture);
    column->addWidget(area, 1);

    column->addWidget(m_selected);
    auto *const one = new QHBoxLayout;
    for (QPushButton *const button :
         {addButton(QStringLiteral("start"), tr("&Start")), addButton(QStringLiteral("pause"), tr("&Pause")),
          addButton(QStringLiteral("kill"), tr("&Kill")), addButton(QStringLiteral("cut"), tr("&Disconnect")),
          addButton(QStringLiteral("release"), tr("R&elease"))})
        one->addWidget(button);
    one->addStretch(1);
    column->addLayout(one);

    const auto on = [this](const char *name, auto what) {
        connect(m_buttons.value(QLatin1String(name)), &QPushButton::clicked, this, what);
    };
    on("startAll", [this] { begin([](LabStage &to) { to.startAll(); }); });
    on("releaseAll", [this] { begin([](LabStage &to) { to.releaseAll(); }); });
    on("again", [this] {
        m_isOpen = false;
        begin([](LabStage &to) { to.startAll(); });
    });
    on("start", [this] { act(&LabStage::start); });
    on("pause", [this] {
        const bool isPaused = m_now.participants[m_picture->selected()].life == Life::Paused;
        act(isPaused ? &LabStage::resume : &LabStage::pause);
    });
    on("kill", [this] { act(&LabStage::kill); });
    on("cut", [this] {
        const bool isCut = m_now.participants[m_picture->selected()].isCut;
        act(isCut ? &LabStage::reconnect : &LabStage::disconnect);
    });
    on("release", [this] { act(&LabStage::release); });
    return stage;
}

LabThread &LabPage::lab()
{
    if (!m_lab) {
        m_lab = std::make_unique<LabThread>(m_settings);
        connect(&m_lab->stage(), &LabStage::changed, this, &LabPage::take);
    }
    return *m_lab;
}

// The stage is given the lesson first, if it has another.
void LabPage::begin(const std::function<void(LabStage &)> &request)
{
    if (!std::exchange(m_isOpen, true))
        lab().tell([lesson = m_lesson](LabStage &stage) { stage.open(lesson); });
    lab().tell(request);
}

void LabPage::act(void (LabStage::*what)(int))
{
    const int participant = m_picture->selected();
    begin([=](LabStage &stage) { (stage.*what)(participant); });
}

void LabPage::openLesson(int lesson)
{
    if (lesson < 0 || lesson >= Lesson::all().size() || lesson == m_lesson)
        return;
    m_lesson = lesson;
    m_lessons->setCurrentRow(lesson);
    m_choice->setCurrentIndex(lesson);
    m_title->setText(Lesson::all()[lesson].title);
    m_about->setText(Lesson::all()[lesson].about);
    writeGuide();
    if (std::exchange(m_isOpen, false)) // the processes of the lesson before end
        begin([](LabStage &) {});
    LabSnapshot snapshot = Lesson::all()[lesson].beginning();
    snapshot.lesson = lesson;
    snapshot.server = m_now.server;
    take(snapshot);
}

void LabPage::writeGuide()
{
    while (QLayoutItem *const item = m_steps->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    const QStringList &steps = Lesson::all()[m_lesson].steps;
    for (int i = 0; i < steps.size(); ++i) {
        QLabel *const label = plainLabel(tr("%1. %2", "number, step").arg(i + 1).arg(steps[i]));
        label->setWordWrap(true);
        m_steps->addWidget(label);
    }
    m_steps->addStretch(1);
}

void LabPage::take(const LabSnapshot &snapshot)
{
    if (snapshot.lesson != m_lesson)
        return; // of the lesson before
    m_now = snapshot;
    const bool isStarting = m_isOpen && snapshot.server == LabSnapshot::Server::Starting && snapshot.trouble.isEmpty();
    m_notice->say(isStarting ? tr("A private ZooKeeper is starting…") : snapshot.trouble);
    if (!snapshot.trouble.isEmpty() && snapshot.server == LabSnapshot::Server::Stopped)
        m_isOpen = false; // the next start tries again
    const Lesson &lesson = Lesson::all()[m_lesson];
    m_picture->show(snapshot, lesson);
    m_code->show(snapshot, lesson);
    update();
}

void LabPage::update()
{
    const int selected = m_picture->selected();
    if (selected < 0 || selected >= m_now.participants.size())
        return;
    const LabParticipant &row = m_now.participants[selected];
    const auto enable = [this](const char *name, bool enabled) {
        m_buttons.value(QLatin1String(name))->setEnabled(enabled);
    };
    const auto count = [this](auto test) { return std::ranges::any_of(m_now.participants, test); };
    const auto holds = [](const LabParticipant &each) {
        return each.life == Life::Running && each.phase == Phase::Holding;
    };
    const auto mayStart = [](const LabParticipant &each) { return !each.runs() || each.phase == Phase::Idle; };
    enable("startAll", count(mayStart));
    enable("releaseAll", count(holds));
    enable("again", count([](const LabParticipant &each) { return each.life != Life::Absent; }));
    enable("start", mayStart(row));
    enable("pause", row.runs());
    enable("kill", row.runs());
    enable("cut", row.life == Life::Running);
    enable("release", holds(row));
    m_buttons.value(QStringLiteral("pause"))->setText(row.life == Life::Paused ? tr("&Continue") : tr("&Pause"));
    m_buttons.value(QStringLiteral("cut"))->setText(row.isCut ? tr("&Reconnect") : tr("&Disconnect"));
    m_buttons.value(QStringLiteral("releaseAll"))
        ->setText(m_now.groups.size() > 1 ? tr("&Release both") : tr("&Release one"));
    const QString side = row.group == 0 ? tr("%1 on the left:", "participant") : tr("%1 on the right:", "participant");
    m_selected->setText((m_now.groups.size() > 1 ? side : tr("%1:", "participant")).arg(row.name));
}

// In a narrow window the list becomes a field, and the guide stands above the code.
void LabPage::resizeEvent(QResizeEvent *event)
{
    Page::resizeEvent(event);
    const bool isNarrow = width() < RoomForTheList;
    QWidget *const guide = findChild<QScrollArea *>(QStringLiteral("guide"));
    QSplitter *const home = isNarrow ? m_right : m_left;
    if (guide->parentWidget() != home) {
        home->insertWidget(isNarrow ? 0 : 1, guide);
        m_right->setSizes({height() / 2, height() / 2});
    }
    m_left->setVisible(!isNarrow);
    m_choice->setVisible(isNarrow);
    m_title->setVisible(!isNarrow);
}

QWidget *LabPage::mainPart() const
{
    return m_picture;
}

void LabPage::saveTo(QSettings &settings) const
{
    settings.setValue(QStringLiteral("lab/lesson"), Lesson::all()[m_lesson].name);
}

void LabPage::restoreFrom(const QSettings &settings)
{
    openLesson(Lesson::find(settings.value(QStringLiteral("lab/lesson")).toString()));
}

} // namespace drover::gui
