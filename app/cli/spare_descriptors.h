#pragma once

namespace drover::app {

// Whether the process may still open as many files as every command needs. If not, prints one line that says so: Qt
// would abort. To be called before there is an application object.
bool hasSpareDescriptors();

} // namespace drover::app
