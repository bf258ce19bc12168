package drover.interop;

import java.util.List;

/** One line: {@code CLIENT RECIPE VERB PATH [ARGUMENT]...} */
record Command(String client, String recipe, String verb, String path, List<String> arguments) {
    static Command parse(String line) {
        List<String> words = List.of(line.trim().split(" +"));
        if (words.size() < 4) {
            throw new IllegalArgumentException("not CLIENT RECIPE VERB PATH: " + line);
        }
        return new Command(words.get(0), words.get(1), words.get(2), words.get(3), words.subList(4, words.size()));
    }

    String text(int index) {
        return arguments.get(index);
    }

    int number(int index) {
        return Integer.parseInt(text(index));
    }

    /** Of those commands that end with a count of permits. */
    int permits() {
        return number(arguments.size() - 1);
    }

    /** How this client signs a fenced log. */
    String who() {
        return "curator-" + client;
    }

    IllegalArgumentException unknown() {
        return new IllegalArgumentException(recipe + " cannot " + verb);
    }
}
