// Makes pages from templates that are kept in memory: Templates each|seldom PAGES
// Whether a template's file has changed is asked each time it is used; or for each 1000th page.

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;

public class Templates {
    static final int PARTS = 12;
    static final Path[] paths = new Path[PARTS];
    static final FileTime[] times = new FileTime[PARTS];
    static final String[] texts = new String[PARTS];

    static String text(int part, boolean asked) throws IOException {
        if (asked || times[part] == null) {
            FileTime time = Files.getLastModifiedTime(paths[part]);
            if (!time.equals(times[part])) {
                times[part] = time;
                texts[part] = Files.readString(paths[part], StandardCharsets.US_ASCII);
            }
        }
        return texts[part];
    }

    public static void main(String[] words) throws IOException {
        boolean each = words[0].equals("each");
        int pages = Integer.parseInt(words[1]);
        for (int part = 0; part < PARTS; part++)
            paths[part] = Path.of("templates", String.format("part%02d.html", part));
        long length = 0, hash = 0;
        for (int page = 0; page < pages; page++) {
            StringBuilder made = new StringBuilder();
            for (int part = 0; part < PARTS; part++)
                made.append(text(part, each || page % 1000 == 0)).append(page);
            length += made.length();
            for (int at = page % 64; at < made.length(); at += 64)
                hash = hash * 31 + made.charAt(at);
        }
        System.out.println(pages + " " + length + " " + hash);
    }
}
