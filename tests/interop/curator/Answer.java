package drover.interop;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.stream.Collectors;

/** A flat JSON object on one line. Values are texts, numbers, truth values or collections of these. */
final class Answer {
    private final Map<String, Object> fields = new LinkedHashMap<>();

    static Answer of(String name, Object value) {
        return new Answer().with(name, value);
    }

    Answer with(String name, Object value) {
        fields.put(name, value);
        return this;
    }

    @Override
    public String toString() {
        return fields.entrySet().stream()
                .map(field -> json(field.getKey()) + ": " + json(field.getValue()))
                .collect(Collectors.joining(", ", "{", "}"));
    }

    private static String json(Object value) {
        if (value instanceof Number || value instanceof Boolean) {
            return value.toString();
        }
        if (value instanceof Collection<?> values) {
            return values.stream().map(Answer::json).collect(Collectors.joining(", ", "[", "]"));
        }
        StringBuilder quoted = new StringBuilder("\"");
        for (char c : String.valueOf(value).toCharArray()) {
            if (c == '"' || c == '\\') {
                quoted.append('\\').append(c);
            } else if (c < ' ') {
                quoted.append(String.format("\\u%04x", (int) c));
            } else {
                quoted.append(c);
            }
        }
        return quoted.append('"').toString();
    }
}
