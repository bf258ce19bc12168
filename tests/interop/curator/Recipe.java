package drover.interop;

/** What one client can do with one recipe. Called on the client's thread only, which a command may block. */
interface Recipe {
    Answer run(Command command) throws Exception;
}
