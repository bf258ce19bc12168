package drover.interop;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;

/** The file into which the holders of all programs write when they begin and end: ../fenced_log.h. */
final class FencedLog {
    private final Path file;
    private final String holder;

    FencedLog(String file, String who, String mode) {
        this.file = Path.of(file);
        this.holder = who + ' ' + mode + ' ';
    }

    void begin(long token) throws IOException {
        append("begin " + holder + token + '\n');
    }

    void end(long token) throws IOException {
        append("end " + holder + token + '\n');
    }

    private void append(String line) throws IOException {
        Files.write(file, line.getBytes(StandardCharsets.UTF_8), StandardOpenOption.APPEND);
    }
}
