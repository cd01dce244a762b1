// Writes a series of numbers: Series plain|buffered NUMBERS
// Each number is a call of the system; or goes through a BufferedOutputStream.

import java.io.BufferedOutputStream;
import java.io.DataOutputStream;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

public class Series {
    public static void main(String[] words) throws IOException {
        OutputStream file = new FileOutputStream("out");
        if (words[0].equals("buffered")) file = new BufferedOutputStream(file, 1 << 16);
        try (DataOutputStream out = new DataOutputStream(file)) {
            int value = 1;
            for (int number = 0; number < Integer.parseInt(words[1]); number++) {
                out.writeInt(value);
                value = value * 1103515245 + 12345;
            }
        }
    }
}
