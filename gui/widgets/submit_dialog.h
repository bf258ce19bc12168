#pragma once

#include "gui/models/submit_form.h"
#include "jobs/model/job_id.h"

#include <QDialog>

class QComboBox;
class QDialogButtonBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSpinBox;

namespace drover::gui {

class CodeEdit;
class JobOptionFields;

// Asks the user for a job. An error is shown beside its field once the field was edited or a submit was tried. The
// dialog stays open until the cluster has accepted the job, and then shows its id. With the options of `drover submit`
// it has a field for each, shows the command that does the same, and opens and saves job files.
class SubmitDialog final : public QDialog
{
    Q_OBJECT

public:
    // `options` outlive the dialog; null: only the fields that all jobs have.
    explicit SubmitDialog(const QStringList &queues, QWidget *parent = nullptr,
                          const jobs::JobOptions *options = nullptr);

    // The options that name the cluster, for the command.
    void setTarget(const QStringList &words);

    // Offers that job for another submit, with changes if the user wants them.
    void repeat(const QString &job, const jobs::JobSpec &spec);

    SubmitForm form() const;

    // These return what is wrong, or nothing.
    static QString readFile(const QString &path, const jobs::JobOptions &known, jobs::JobSpec &spec);
    QString openFile(const QString &path);
    QString saveFile(const QString &path);

    // The answer to submitWanted().
    void succeed(const jobs::JobId &id);
    void fail(const QString &why);

Q_SIGNALS:
    void submitWanted(const drover::jobs::JobSpec &spec);

private:
    using Field = SubmitForm::Field;

    void addRow(Field field, const QString &label, QWidget *widget);
    QWidget *newCommandLine();
    void addFileButtons(QDialogButtonBox &buttons);
    void askForFile(bool save);
    void fill(const SubmitForm &form);
    void showCommandLine(const SubmitForm::Checked &checked);
    bool isComplete(); // shows all errors, if there are any
    void showDryRun();
    void touch(Field field);
    void check();
    void submit();
    void setBusy(bool busy);

    const jobs::JobOptions *m_known;
    JobOptionFields *m_options = nullptr; // with m_known
    QLabel *m_commandLine;
    QStringList m_target;
    CodeEdit *m_command;
    QLabel *m_argv;
    QFormLayout *m_rows;
    QLabel *m_others; // parts of the job that have no field
    jobs::JobSpec m_base;
    QString m_commandShown; // m_base's command as the editor shows it
    QLineEdit *m_name;
    QLineEdit *m_comment;
    QComboBox *m_queue;
    QSpinBox *m_priority;
    QLineEdit *m_timeLimit;
    QLineEdit *m_directory;
    CodeEdit *m_environment;
    QLabel *m_result;
    QPushButton *m_submit;
    std::map<Field, QLabel *> m_messages;
    std::map<Field, bool> m_touched;
};

} // namespace drover::gui
