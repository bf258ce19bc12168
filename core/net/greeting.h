#pragma once

namespace drover::net {

// Whether the first message of a TLS client has arrived whole on this socket, or something else, or the client's end.
// Otherwise the socket becomes readable again when more of it is there. Nothing is taken from the socket. So a client
// that sends half of a message costs no TLS, and no turn of the event loop.
bool hasGreeted(int socket);

} // namespace drover::net
