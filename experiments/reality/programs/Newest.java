// Lists the files of a folder, the newest first: Newest each|once
// The comparison asks for the times of both files; or each file's time is asked for once before.

import java.io.File;
import java.util.Arrays;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;

public class Newest {
    public static void main(String[] words) {
        File[] files = new File("incoming").listFiles();
        Comparator<File> byTime = Comparator.comparingLong(File::lastModified);
        if (words[0].equals("once")) {
            Map<File, Long> times = new HashMap<>();
            for (File file : files) times.put(file, file.lastModified());
            byTime = Comparator.comparingLong(times::get);
        }
        Arrays.sort(files, byTime.reversed());
        StringBuilder told = new StringBuilder();
        for (File file : files) told.append(file.getName()).append('\n');
        System.out.print(told);
    }
}
