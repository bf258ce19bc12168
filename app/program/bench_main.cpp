#include "app/commands/bench/bench_commands.h"
#include "app/program/program.h"

// `drover bench` and `drover lab` become this program; their options, help and completion are here.
int main(int argc, char **argv)
{
    return drover::app::runProgram(argc, argv, drover::app::benchCommands());
}
