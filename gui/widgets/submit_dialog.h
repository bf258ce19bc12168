#pragma once

#include "gui/models/submit_form.h"
#include "jobs/job_id.h"

#include <QDialog>

class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QSpinBox;

namespace drover::gui {

// Asks for a job. What is wrong is said beside the field, once it has been touched or submission was tried; the dialog
// stays open until the cluster has taken the job, and then says its id.
class SubmitDialog final : public QDialog
{
    Q_OBJECT

public:
    explicit SubmitDialog(const QStringList &queues, QWidget *parent = nullptr);

    // Asks for another submit of that job, to be changed first or not.
    void repeat(const QString &job, const jobs::JobSpec &spec);

    SubmitForm form() const;

    // The answer to submitWanted().
    void succeed(const jobs::JobId &id);
    void fail(const QString &why);

Q_SIGNALS:
    void submitWanted(const drover::jobs::JobSpec &spec);

private:
    using Field = SubmitForm::Field;

    void addRow(Field field, const QString &label, QWidget *widget);
    void touch(Field field);
    void check();
    void submit();
    void setBusy(bool busy);

    QPlainTextEdit *m_command;
    QLabel *m_argv;
    QFormLayout *m_rows;
    QLabel *m_others; // parts of the job that have no field
    jobs::JobSpec m_base;
    QString m_commandShown; // of m_base, as the editor has it: it does not keep every character
    QLineEdit *m_name;
    QComboBox *m_queue;
    QSpinBox *m_priority;
    QLineEdit *m_timeLimit;
    QLineEdit *m_directory;
    QPlainTextEdit *m_environment;
    QLabel *m_result;
    QPushButton *m_submit;
    std::map<Field, QLabel *> m_messages;
    std::map<Field, bool> m_touched;
};

} // namespace drover::gui
