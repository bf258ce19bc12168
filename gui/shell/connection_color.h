#pragma once

#include <QColor>
#include <QPalette>

#include <array>

namespace drover::gui {

// A colour that the user gives a connection, so that no cluster is taken for another: "production is red".
enum class ConnectionColor { None, Red, Orange, Green, Teal, Blue, Violet };
inline constexpr std::array AllConnectionColors{ConnectionColor::None,  ConnectionColor::Red,  ConnectionColor::Orange,
                                                ConnectionColor::Green, ConnectionColor::Teal, ConnectionColor::Blue,
                                                ConnectionColor::Violet};

QString colorName(ConnectionColor color); // "red", for settings
ConnectionColor colorNamed(const QString &name);
QString colorTitle(ConnectionColor color); // for people

// How the window shows what kind of connection it has.
struct ConnectionLook {
    ConnectionColor color = ConnectionColor::None;
    bool isOpen = false; // the cluster: all who reach it may change it
    bool isEditing = false;

    // Of the band at the top; invalid: there is none. That of an open cluster warns if the user has chosen none.
    QColor band(const QPalette &palette) const;
    // Behind white text, while editing is on.
    QColor fill() const;

    friend bool operator==(const ConnectionLook &, const ConnectionLook &) = default;
};

} // namespace drover::gui
