#pragma once

namespace drover::app {

// Whether these arguments ask for a participant of the lab: the first is --lab-participant.
bool isParticipant(int argc, char **argv);

// Runs it until its session ends or standard input does. Needs no display. Returns the exit code.
int runParticipant(int argc, char **argv);

} // namespace drover::app
