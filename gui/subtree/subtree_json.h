#pragma once

#include "gui/subtree/subtree.h"

namespace drover::gui {

// A subtree as a file: {"format":"drover-znodes","v":1,"top":"/app","nodes":[{"path":"settings","data":"..."}, ...]}.
// A path is relative to the top, "" for the top itself. Data that are not text are in "base64". "acl" has the form of
// zk::parseAcl(). An ephemeral node has "ephemeral":true.
QByteArray toJson(const Subtree &subtree);

// Parents before children, whatever their order in the file. Throws SubtreeTrouble with one line that says what is
// wrong with the file.
Subtree fromJson(const QByteArray &json);

} // namespace drover::gui
