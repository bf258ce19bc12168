#pragma once

#include "gui/launch/launch_run.h"

#include <QDialog>
#include <QTemporaryFile>

class QButtonGroup;
class QComboBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QPushButton;
class QSettings;
class QSpinBox;

namespace drover::gui {

class TableView;

// Starts, stops and upgrades workers here, or on the machines of a file for `drover launch`. It has a row for each
// machine. A launch goes on while the dialog is closed; opened again, it shows how far that is.
class LaunchDialog final : public QDialog
{
    Q_OBJECT

public:
    // Says why that verb cannot be carried out now; empty: it can.
    using Refusal = std::function<QString(const QString &verb)>;

    LaunchDialog(LaunchPrograms programs, Refusal refusal, QWidget *parent = nullptr);

    void setTarget(const Target &target);
    void check(); // again, because what refuses a verb may have changed
    LaunchRun &launch() { return m_run; }
    void saveTo(QSettings &settings) const;
    void restoreFrom(const QSettings &settings);

    // The file for a worker on this machine, as TOML.
    static QByteArray fileForHere(const QString &name, int slotCount, const QString &credentials, bool asRoot);

private:
    void layOut();
    QWidget *withChooser(QLineEdit *field, const QString &title);
    void run();
    void end(LaunchRun::End end, const QString &complaint);
    void say(const QString &text, bool isBad);
    bool isHere() const;
    QString verb() const;
    QString refusal() const; // why the chosen verb cannot be carried out now; empty: it can
    QString hostsFile(); // writes it if the machine is this one; empty: that has failed, and is said

    LaunchPrograms m_programs;
    Refusal m_refusal;
    Target m_target;
    LaunchRun m_run;
    QTemporaryFile m_file; // that of this machine
    QButtonGroup *m_where;
    QComboBox *m_verb;
    QFormLayout *m_fields;
    QLineEdit *m_name;
    QSpinBox *m_slots;
    QLineEdit *m_credentials;
    QLineEdit *m_hosts;
    QWidget *m_credentialsRow;
    QWidget *m_hostsRow;
    TableView *m_table;
    QLabel *m_message;
    QPushButton *m_start;
    QPushButton *m_interrupt;
};

} // namespace drover::gui
