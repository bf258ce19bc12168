#pragma once

namespace drover::gui {

class ConsoleSession;
class Gateway;
class ZnodesPage;

// Connects the page of znodes with its feeds, and its changes with the gateway. All outlive the connections.
void wireZnodes(ZnodesPage &page, ConsoleSession &session, const Gateway &gateway);

} // namespace drover::gui
