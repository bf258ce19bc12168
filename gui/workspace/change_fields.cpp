#include "gui/workspace/change_fields.h"

#include "gui/workspace/console_models.h"
#include "text/printable.h"

#include <QComboBox>
#include <QCoreApplication>
#include <QSpinBox>

#include <csignal>

namespace drover::gui {

namespace {

struct ChangeFields {
    Q_DECLARE_TR_FUNCTIONS(ChangeFields)
};

} // namespace

QComboBox *newSignals()
{
    auto *const field = new QComboBox;
    const std::pair<const char *, int> known[] = {{"TERM", SIGTERM}, {"HUP", SIGHUP},   {"INT", SIGINT},
                                                  {"QUIT", SIGQUIT}, {"USR1", SIGUSR1}, {"USR2", SIGUSR2},
                                                  {"STOP", SIGSTOP}, {"CONT", SIGCONT}, {"KILL", SIGKILL}};
    for (const auto &[name, number] : known)
        field->addItem(QLatin1String(name), number);
    return field;
}

QComboBox *newQueues(const QueueHistory &queues)
{
    auto *const field = new QComboBox;
    for (const auto &[queue, depths] : queues.series())
        field->addItem(text::printable(queue), queue);
    return field;
}

QSpinBox *newPriority()
{
    auto *const field = new QSpinBox;
    field->setRange(0, jobs::JobSpec::MaxPriority);
    field->setValue(5);
    return field;
}

int limitOf(const QueueTable &queues, const QByteArray &queue)
{
    for (int i = 0; i < queues.rowCount(); ++i) {
        if (queues.row(i).name == queue)
            return queues.row(i).limit;
    }
    return 0;
}

QSpinBox *newLimit(int least, int limit)
{
    auto *const field = new QSpinBox;
    field->setRange(least, jobs::QueueSettings::MaxLimit);
    if (least == 0)
        field->setSpecialValueText(ChangeFields::tr("no limit"));
    field->setGroupSeparatorShown(true);
    field->setValue(limit);
    field->selectAll();
    return field;
}

} // namespace drover::gui
