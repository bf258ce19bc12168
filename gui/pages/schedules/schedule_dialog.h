#pragma once

#include "gui/models/schedules/schedule_form.h"

#include <QDialog>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace drover::gui {

class CodeEdit;
class JobOptionFields;

// Asks for a recurring job, and shows when it would run. It stays open until the cluster has accepted the schedule. It
// has a field for each option of `drover cron add`, if they are known, but for the jobs that the job waits for.
class ScheduleDialog final : public QDialog
{
    Q_OBJECT

public:
    // `options` outlive the dialog; null: only the fields that all jobs have.
    explicit ScheduleDialog(const QStringList &queues, QWidget *parent = nullptr,
                            const jobs::JobOptions *options = nullptr);

    void edit(const jobs::StoredSchedule &stored); // one that can be read; its name stays
    ScheduleForm form() const;
    void fail(const QString &why); // the answer to wanted(), if the dialog is not closed then

Q_SIGNALS:
    void wanted(const QByteArray &name, const drover::jobs::ScheduleEntry &entry, bool replaces);

private:
    using Field = ScheduleForm::Field;

    void layOut();
    QWidget *newFields();
    void addRow(const QString &label, QWidget *widget);
    void check();
    std::map<QString, QString> kept() const;
    QString firstFault(const ScheduleForm::Checked &checked) const;
    void send();
    void say(const QString &text, bool isBad);

    QLineEdit *m_name;
    QLineEdit *m_when;
    QComboBox *m_zone;
    QComboBox *m_catchUp;
    QComboBox *m_overlap;
    QLabel *m_next;
    QLineEdit *m_command;
    QLineEdit *m_jobName;
    QLineEdit *m_comment;
    QComboBox *m_queue;
    QSpinBox *m_priority;
    QLineEdit *m_timeLimit;
    QLineEdit *m_directory;
    CodeEdit *m_environment;
    JobOptionFields *m_options; // null: none are known
    QLabel *m_others; // parts of the job that have no field
    QLabel *m_message;
    QPushButton *m_send;
    QFormLayout *m_rows;
    SubmitForm m_job; // as it was, for what has no field
    bool m_replaces = false;
};

} // namespace drover::gui
