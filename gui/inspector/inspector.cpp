#include "gui/inspector/inspector.h"

#include "gui/inspector/entity_facts.h"
#include "gui/inspector/fact_sheet.h"
#include "gui/inspector/job_panel.h"
#include "gui/models/ensemble_model.h"
#include "gui/models/job_model.h"
#include "gui/models/queue_table.h"
#include "gui/models/wait_model.h"
#include "gui/models/worker_model.h"
#include "gui/shell/gateway.h"
#include "gui/text/entity_text.h"
#include "gui/text/format.h"
#include "gui/widgets/action_button.h"
#include "gui/widgets/icon.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"
#include "text/printable.h"

#include <QAction>
#include <QActionGroup>
#include <QHBoxLayout>
#include <QMenu>
#include <QPushButton>
#include <QStackedLayout>
#include <QToolButton>
#include <QVBoxLayout>

namespace drover::gui {

using Kind = EntityRef::Kind;

namespace {

constexpr std::chrono::milliseconds Pause{100};
constexpr qsizetype MostButtons = 2; // further offers are in a menu

// A job's id says enough; another name needs its kind.
QString titleFor(const EntityRef &entity, const QString &state)
{
    const QString name = entity.kind == Kind::Job ? text::printable(entity.name) : entityText(entity);
    return state.isEmpty() ? name : Inspector::tr("%1 — %2", "thing, state").arg(name, state);
}

} // namespace

Inspector::Inspector(const Sources &sources, const Gateway &gateway, Place place)
    : m_sources(sources), m_gateway(gateway), m_dot(plainLabel()), m_title(plainLabel()), m_asOf(plainLabel()),
      m_offers(new QHBoxLayout), m_body(new QStackedLayout), m_sheet(new FactSheet)
{
    setObjectName(QStringLiteral("inspector"));
    setAccessibleName(tr("Inspector"));
    m_nothing = plainLabel(tr("Nothing is selected.\nChoose a row, and all that is known of it stands here."));
    m_nothing->setAlignment(Qt::AlignCenter);
    m_nothing->setWordWrap(true);
    m_nothing->setForegroundRole(QPalette::PlaceholderText);
    m_asOf->setForegroundRole(QPalette::PlaceholderText);
    m_asOf->setContentsMargins(14, 0, 14, 4);
    m_asOf->hide();
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addLayout(newHead(place));
    column->addWidget(m_asOf);
    m_offers->setSpacing(6);
    column->addLayout(m_offers);
    column->addLayout(m_body, 1);
    m_body->addWidget(m_nothing); // it is shown at once: before it is in the column it would be a window
    m_body->addWidget(m_sheet);
    setMinimumSize(fontMetrics().averageCharWidth() * 34, fontMetrics().lineSpacing() * 9);
    wire(gateway);
    showHead({});
}

QToolButton *Inspector::newButton(const QString &icon, const QString &title)
{
    auto *const button = new QToolButton;
    button->setIcon(lineIcon(icon));
    button->setAutoRaise(true);
    button->setAccessibleName(title);
    button->setToolTip(plainToolTip(title));
    return button;
}

QLayout *Inspector::newHead(Place place)
{
    QFont font = m_title->font();
    font.setBold(true);
    font.setPointSizeF(font.pointSizeF() * 1.1);
    m_title->setFont(font);
    m_title->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred);
    m_title->setTextInteractionFlags(Qt::TextSelectableByMouse);
    m_pin = newButton(QStringLiteral("pin"), tr("Stay with this, whatever is selected"));
    m_pin->setCheckable(true);
    m_window = newButton(QStringLiteral("window"), tr("Open it in a window of its own"));
    QToolButton *const close = newButton(QStringLiteral("close"), tr("Close the inspector (Alt+I)"));
    connect(m_window, &QToolButton::clicked, this, [this] { Q_EMIT windowWanted(m_entity); });
    connect(close, &QToolButton::clicked, this, &Inspector::closeWanted);
    auto *const head = new QHBoxLayout;
    head->setContentsMargins(12, 6, 6, 6);
    head->setSpacing(4);
    head->addWidget(m_dot);
    head->addWidget(m_title, 1);
    for (QToolButton *const button : {m_pin, m_window, close})
        head->addWidget(button);
    if (place == Place::Window) {
        m_pin->setChecked(true);
        for (QToolButton *const button : {m_pin, m_window, close})
            button->hide();
    }
    return head;
}

void Inspector::wire(const Gateway &gateway)
{
    const auto later = [this] {
        if (isVisible() && !m_soon.isActive())
            m_soon.start(Pause);
    };
    m_soon.setSingleShot(true);
    connect(&m_soon, &QTimer::timeout, this, &Inspector::refresh);
    connect(&m_sources.jobs, &JobModel::shown, this, later);
    connect(&m_sources.waits, &WaitModel::changed, this, later);
    connect(&m_sources.ensemble, &EnsembleModel::shown, this, later);
    for (const QAbstractItemModel *const model :
         std::initializer_list<const QAbstractItemModel *>{&m_sources.workers, &m_sources.queues}) {
        connect(model, &QAbstractItemModel::dataChanged, this, later);
        connect(model, &QAbstractItemModel::rowsInserted, this, later);
        connect(model, &QAbstractItemModel::rowsRemoved, this, later);
    }
    connect(&gateway, &Gateway::changed, this, &Inspector::obey);
    connect(m_sheet, &FactSheet::entityWanted, this, &Inspector::entityWanted);
}

bool Inspector::isPinned() const
{
    return m_pin->isChecked();
}

void Inspector::setPinned(bool pinned)
{
    m_pin->setChecked(pinned);
}

void Inspector::follow(const EntityRef &selection)
{
    if (!isPinned() && !selection.isNull())
        inspect(selection);
}

void Inspector::inspect(const EntityRef &entity)
{
    if (entity == m_entity)
        return;
    m_entity = entity;
    open();
}

void Inspector::forget()
{
    m_entity = {};
    setPinned(false);
    open();
}

void Inspector::showEvent(QShowEvent *event)
{
    QWidget::showEvent(event);
    if (!event->spontaneous())
        open();
}

void Inspector::hideEvent(QHideEvent *event)
{
    QWidget::hideEvent(event);
    if (!event->spontaneous())
        open();
}

void Inspector::resizeEvent(QResizeEvent *event)
{
    QWidget::resizeEvent(event);
    elideTitle();
}

void Inspector::changeEvent(QEvent *event)
{
    QWidget::changeEvent(event);
    if (event->type() == QEvent::PaletteChange && isVisible())
        refresh(); // the colours of its dot and its words
}

// The middle of a long path goes first: its end says most.
void Inspector::elideTitle()
{
    const int room = width() - 4 * m_window->sizeHint().width() - m_dot->sizeHint().width();
    m_title->setText(m_title->fontMetrics().elidedText(m_whole, Qt::ElideMiddle, std::max(room, 100)));
}

// What was shown before is let go.
void Inspector::open()
{
    const bool hadFocus = m_job && m_job->isAncestorOf(window()->focusWidget());
    if (m_job) {
        m_shownTab = int(m_job->shownTab());
        delete std::exchange(m_job, nullptr);
    }
    m_node.reset();
    if (isVisible() && m_entity.kind == Kind::Job)
        openJob();
    if (!m_job)
        m_body->setCurrentWidget(m_entity.isNull() ? static_cast<QWidget *>(m_nothing) : m_sheet);
    if (isVisible())
        refresh();
    if (m_job && hadFocus)
        m_job->setFocus();
    Q_EMIT needsChanged();
}

void Inspector::openJob()
{
    const std::optional<jobs::JobId> id = jobs::JobId::parse(QString::fromUtf8(m_entity.name));
    if (!id)
        return;
    m_job = new JobPanel(*id, m_sources);
    m_job->showTab(JobPanel::Tab(m_shownTab));
    m_body->addWidget(m_job);
    m_body->setCurrentWidget(m_job);
    connect(m_job, &JobPanel::entityWanted, this, &Inspector::entityWanted);
    connect(m_job, &JobPanel::changed, this, [this] { showHead(m_job->facts()); });
    // Later: what follows may delete the panel.
    connect(
        m_job, &JobPanel::taskWanted, this,
        [this](const jobs::JobId &task) {
            Q_EMIT openWanted({Kind::Job, task.bytes()});
        },
        Qt::QueuedConnection);
    Q_EMIT jobOpened(m_job);
}

Facts Inspector::factsNow() const
{
    switch (m_entity.kind) {
    case Kind::Worker:
        return workerFacts(m_sources, m_entity.name);
    case Kind::Queue:
        return queueFacts(m_sources, m_entity.name);
    case Kind::Lock:
        return lockFacts(m_sources, m_entity.name);
    case Kind::Session:
        return sessionFacts(m_sources, m_entity.name);
    case Kind::Server:
        return serverFacts(m_sources, m_entity.name);
    case Kind::Znode:
        return m_node ? znodeFacts(*m_node) : Facts{tr("loading…"), Tone::Muted};
    case Kind::Schedule:
        return {tr("its page says all"), Tone::Muted};
    case Kind::Job:
    case Kind::None:
        break;
    }
    return {};
}

void Inspector::refresh()
{
    if (m_job) {
        showHead(m_job->facts());
        return m_job->refresh();
    }
    const Facts facts = factsNow();
    m_sheet->show(facts);
    showHead(facts);
}

void Inspector::showHead(const Facts &facts)
{
    m_dot->setVisible(!m_entity.isNull());
    m_dot->setPixmap(
        dot(toneColor(facts.tone == Tone::Plain ? Tone::Muted : facts.tone, palette()), devicePixelRatioF()));
    m_whole = m_entity.isNull() ? tr("Inspector") : titleFor(m_entity, facts.state);
    m_dot->setAccessibleName(facts.state.isEmpty() ? m_whole : facts.state);
    m_title->setToolTip(plainToolTip(m_whole));
    elideTitle();
    for (QToolButton *const button : {m_pin, m_window})
        button->setEnabled(!m_entity.isNull());
    offer(facts.offers);
}

// The first as buttons, the others in a menu.
void Inspector::offer(const QList<Offer> &offers)
{
    const auto namesOf = [](const QList<Offer> &list) {
        QByteArrayList names;
        for (const Offer &one : list)
            names << one.name;
        return names;
    };
    if (namesOf(offers) == namesOf(m_offered))
        return;
    m_offered = offers;
    while (QLayoutItem *const item = m_offers->takeAt(0)) {
        delete item->widget();
        delete item;
    }
    for (const auto &[one, action] : m_actions)
        delete action;
    m_actions.clear();
    QMenu *further = nullptr;
    for (const Offer &one : offers) {
        auto *const action = new QAction(one.title, this);
        connect(action, &QAction::triggered, this, [this, name = one.name] {
            // Later: what follows may delete the button.
            QMetaObject::invokeMethod(
                this, [this, entity = m_entity, name] { take(entity, name); }, Qt::QueuedConnection);
        });
        if (one.need)
            (new QActionGroup(action))->addAction(action);
        m_actions.emplace_back(one, action);
        if (qsizetype(m_actions.size()) <= MostButtons) {
            m_offers->addWidget(new ActionButton(action));
            continue;
        }
        if (!further) {
            auto *const more = new QPushButton(tr("More"));
            further = new QMenu(more);
            further->setToolTipsVisible(true);
            more->setMenu(further);
            m_offers->addWidget(more);
        }
        further->addAction(action);
    }
    m_offers->setContentsMargins(offers.isEmpty() ? QMargins() : QMargins(12, 0, 12, 6));
    if (!offers.isEmpty())
        m_offers->addStretch(1);
    obey();
}

// As the registry does with the actions that it has: an action of a disabled group is disabled.
void Inspector::obey()
{
    for (const auto &[one, action] : m_actions) {
        if (!one.need)
            continue;
        const QString refusal = m_gateway.refusal(*one.need);
        action->actionGroup()->setEnabled(refusal.isEmpty());
        action->setToolTip(refusal.isEmpty() ? QString() : plainToolTip(refusal));
    }
}

void Inspector::take(const EntityRef &entity, const QByteArray &offer)
{
    if (offer == "read-again" && m_job)
        m_job->readAgain();
    else
        Q_EMIT offerTaken(entity, offer);
}

void Inspector::showState(const ConnectionState &state)
{
    m_sources.session = state.session;
    m_asOf->setText(state.isStale() ? tr("As of %1: there is no connection.").arg(state.asOf) : QString());
    m_asOf->setVisible(state.isStale());
    if (isVisible())
        refresh();
}

void Inspector::showNode(const ZnodeContents &contents)
{
    if (m_entity != EntityRef{Kind::Znode, contents.path.bytes()})
        return;
    m_node = contents;
    refresh();
}

} // namespace drover::gui
