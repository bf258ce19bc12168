#pragma once

#include "jobs/client/job_options.h"

#include <QWidget>

#include <map>

class QCheckBox;
class QFormLayout;
class QLabel;
class QLineEdit;
class QToolButton;

namespace drover::gui {

// A field for each option of a job, in groups that fold. A group says how many of its fields are set.
class JobOptionFields final : public QWidget
{
    Q_OBJECT

public:
    // `without`: options that get no field here.
    JobOptionFields(const jobs::JobOptions &options, const QStringList &without);

    // The texts of the fields by option; an option that is not set is left out.
    using Texts = std::map<QString, QString>;
    Texts texts() const;
    void setTexts(const Texts &texts); // opens the groups that have any
    void showErrors(const Texts &errors);

Q_SIGNALS:
    void changed();

private:
    struct Field {
        QLineEdit *text = nullptr; // or
        QCheckBox *flag = nullptr;
        QLabel *error = nullptr;
    };
    struct Group {
        QString title;
        QToolButton *head;
        QWidget *body;
        QFormLayout *rows;
        QStringList names{};
    };

    Group &groupOf(const QString &option);
    void addField(const jobs::JobOption &option);
    bool isSet(const QString &option) const;
    void countSet();

    std::vector<Group> m_groups;
    std::map<QString, Field> m_fields;
};

} // namespace drover::gui
