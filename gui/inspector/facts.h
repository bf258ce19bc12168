#pragma once

#include "gui/data/entity.h"
#include "gui/models/snapshot_model.h"
#include "trust/need.h"

#include <QList>

#include <optional>

namespace drover::gui {

// One line about a thing of the cluster: a text, or an instant with its age, and then the things that it names.
struct Fact {
    QString name; // empty: the line belongs to the one above
    QString text{}; // printable
    QList<EntityRef> links{};
    Tone tone = Tone::Plain;
    qint64 instant = 0; // ms of the Unix epoch, in the place of the text; 0: none
    bool isLong = false; // many lines, which scroll
};

struct FactSection {
    QString title;
    QList<Fact> facts{};
};

// Something that the user may do to it. `name` is the last part of the name of an action, such as "cancel".
struct Offer {
    QByteArray name;
    QString title;
    std::optional<trust::Need> need{}; // none: it changes nothing
};

// All that the inspector says about one thing.
struct Facts {
    QString state; // a word or two
    Tone tone = Tone::Plain; // of the state
    QList<FactSection> sections{};
    QList<Offer> offers{};

    // Begins a section.
    void begin(const QString &title) { sections.append({title}); }
    // A line of the last section; one without a text and without links is left out.
    void add(const QString &name, const QString &text, const QList<EntityRef> &links = {}, Tone lineTone = Tone::Plain);
    void addInstant(const QString &name, qint64 ms); // none for 0
    void addLong(const QString &name, const QString &text);
};

} // namespace drover::gui
