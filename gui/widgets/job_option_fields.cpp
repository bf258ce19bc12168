#include "gui/widgets/job_option_fields.h"

#include "gui/text/format.h"
#include "gui/widgets/plain_text.h"
#include "gui/widgets/theme.h"

#include <QCheckBox>
#include <QFormLayout>
#include <QLineEdit>
#include <QToolButton>

#include <algorithm>

namespace drover::gui {

namespace {

struct GroupNames {
    QString title;
    QStringList options; // in the order of the group; others stand in the last group
};

QList<GroupNames> groupNames()
{
    return {
        {JobOptionFields::tr("Array and gang"), {u"array"_qs, u"gang"_qs}},
        {JobOptionFields::tr("What its worker must have"), {u"slots"_qs, u"memory"_qs, u"label"_qs, u"ulimit"_qs}},
        {JobOptionFields::tr("When it may start"),
         {u"after-ok"_qs, u"after"_qs, u"after-fail"_qs, u"after-any"_qs, u"start-at"_qs, u"delay"_qs, u"hold"_qs,
          u"singleton"_qs}},
        {JobOptionFields::tr("Locks and limits"), {u"lock"_qs, u"lock-shared"_qs, u"limit"_qs}},
        {JobOptionFields::tr("Attempts and retries"),
         {u"retries"_qs, u"retry-on"_qs, u"backoff"_qs, u"backoff-max"_qs, u"max-attempts"_qs}},
        {JobOptionFields::tr("Input and output"),
         {u"input"_qs, u"stdout"_qs, u"stderr"_qs, u"append-to"_qs, u"output-limit"_qs}},
        {JobOptionFields::tr("Other options"), {}},
    };
}

} // namespace

JobOptionFields::JobOptionFields(const jobs::JobOptions &options, const QStringList &without)
{
    auto *const column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(2);
    for (const GroupNames &names : groupNames()) {
        auto *const head = new QToolButton;
        head->setCheckable(true);
        head->setAutoRaise(true);
        head->setArrowType(Qt::RightArrow);
        head->setToolButtonStyle(Qt::ToolButtonTextBesideIcon);
        head->setSizePolicy(QSizePolicy::Expanding, QSizePolicy::Fixed);
        head->setFocusPolicy(Qt::StrongFocus);
        auto *const body = new QWidget;
        auto *const rows = new QFormLayout(body);
        rows->setContentsMargins(24, 2, 0, 8);
        body->hide();
        column->addWidget(head);
        column->addWidget(body);
        connect(head, &QToolButton::toggled, this, [head, body](bool open) {
            head->setArrowType(open ? Qt::DownArrow : Qt::RightArrow);
            body->setVisible(open);
        });
        m_groups.push_back({names.title, head, body, rows});
    }
    column->addStretch(1);
    const QList<jobs::JobOption> all = options.all();
    for (const GroupNames &names : groupNames()) {
        for (const QString &name : names.options) {
            const auto option =
                std::find_if(all.begin(), all.end(), [&](const jobs::JobOption &one) { return one.name == name; });
            if (option != all.end() && !without.contains(name))
                addField(*option);
        }
    }
    for (const jobs::JobOption &option : all) {
        if (!m_fields.contains(option.name) && !without.contains(option.name))
            addField(option);
    }
    for (const Group &group : m_groups)
        group.head->setVisible(!group.names.isEmpty());
    countSet();
}

JobOptionFields::Group &JobOptionFields::groupOf(const QString &option)
{
    const QList<GroupNames> names = groupNames();
    const auto group =
        std::find_if(names.begin(), names.end(), [&](const GroupNames &one) { return one.options.contains(option); });
    return group == names.end() ? m_groups.back() : m_groups[std::size_t(group - names.begin())];
}

void JobOptionFields::addField(const jobs::JobOption &option)
{
    Group &group = groupOf(option.name);
    Field &field = m_fields[option.name];
    group.names.append(option.name);
    field.error = plainLabel();
    field.error->setWordWrap(true);
    field.error->hide();
    QPalette red = palette();
    red.setColor(QPalette::WindowText, toneColor(Tone::Bad, red));
    field.error->setPalette(red);
    const auto touched = [this] {
        countSet();
        Q_EMIT changed();
    };
    if (option.kind == jobs::JobOption::Kind::Flag) {
        field.flag = new QCheckBox(option.name);
        field.flag->setToolTip(plainToolTip(option.help));
        group.rows->addRow(QString(), field.flag);
        connect(field.flag, &QCheckBox::toggled, this, touched);
    } else {
        const bool isList = option.kind == jobs::JobOption::Kind::List;
        field.text = new QLineEdit;
        field.text->setPlaceholderText(isList ? tr("%1 …, with blanks between them").arg(option.placeholder)
                                              : option.placeholder);
        field.text->setToolTip(plainToolTip(option.help));
        field.text->setAccessibleDescription(option.help);
        QLabel *const title = plainLabel(option.name);
        title->setBuddy(field.text);
        title->setToolTip(plainToolTip(option.help));
        group.rows->addRow(title, field.text);
        connect(field.text, &QLineEdit::textChanged, this, touched);
    }
    group.rows->addRow(QString(), field.error);
    (field.text ? static_cast<QWidget *>(field.text) : field.flag)->setObjectName(option.name);
}

bool JobOptionFields::isSet(const QString &option) const
{
    const Field &field = m_fields.at(option);
    return field.flag ? field.flag->isChecked() : !field.text->text().trimmed().isEmpty();
}

void JobOptionFields::countSet()
{
    for (const Group &group : m_groups) {
        const auto count =
            std::count_if(group.names.begin(), group.names.end(), [this](const QString &name) { return isSet(name); });
        group.head->setText(count == 0 ? group.title : tr("%1 (%2 set)", "group, count").arg(group.title).arg(count));
    }
}

JobOptionFields::Texts JobOptionFields::texts() const
{
    Texts texts;
    for (const auto &[name, field] : m_fields) {
        if (isSet(name))
            texts[name] = field.flag ? QString() : field.text->text().trimmed();
    }
    return texts;
}

void JobOptionFields::setTexts(const Texts &texts)
{
    for (const auto &[name, field] : m_fields) {
        const auto text = texts.find(name);
        if (field.flag)
            field.flag->setChecked(text != texts.end());
        else
            field.text->setText(text == texts.end() ? QString() : text->second);
    }
    for (const Group &group : m_groups)
        group.head->setChecked(
            std::any_of(group.names.begin(), group.names.end(), [this](const QString &name) { return isSet(name); }));
}

void JobOptionFields::showErrors(const Texts &errors)
{
    for (const auto &[name, field] : m_fields) {
        const auto error = errors.find(name);
        field.error->setText(error == errors.end() ? QString() : error->second);
        field.error->setVisible(error != errors.end());
    }
}

} // namespace drover::gui
