#pragma once

namespace drover::app {

// Opens those of standard input, output and error that are closed. Otherwise a connection would get such a number, and
// what is printed would go there. Nothing can be read from them, and a write fails as it did. To be called first.
void openStandardDescriptors();

// Whether the process may still open as many files as every command needs. If not, prints one line that says so: Qt
// would abort. To be called before there is an application object.
bool hasSpareDescriptors();

} // namespace drover::app
