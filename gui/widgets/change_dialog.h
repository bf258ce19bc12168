#pragma once

#include <QDialog>

#include <functional>

class QFormLayout;
class QLineEdit;
class QPushButton;

namespace drover::gui {

// Asks before something is changed: a question, what it means, perhaps fields, and two buttons that say what they do.
class ChangeDialog final : public QDialog
{
    Q_OBJECT

public:
    struct Texts {
        QString question;
        QString meaning; // or empty
        QString yes;
        QString no;
    };
    ChangeDialog(const QString &title, const Texts &texts, QWidget *parent);

    void addField(const QString &label, QWidget *field);
    // Yes is not the default any more: what it does cannot be undone.
    void makeDangerous();
    // Yes can be chosen only while this text stands in the field, which addField() has added.
    void requireTyped(QLineEdit *field, const QString &text);
    // Yes can be chosen only while `whyNot` says nothing of the text in the field. What it says stands below.
    void require(QLineEdit *field, const std::function<QString(const QString &text)> &whyNot);

private:
    QFormLayout *m_fields;
    QPushButton *m_yes;
    QPushButton *m_no;
};

} // namespace drover::gui
