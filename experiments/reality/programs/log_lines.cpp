// Writes a line for each step of a run.
// log_lines slow|newline LINES: std::endl after each line, which flushes the file; or '\n'.
#include <cstdlib>
#include <cstring>
#include <fstream>

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const bool flushed = std::strcmp(argv[1], "slow") == 0;
    std::ofstream out("out");
    for (long step = 0; step < std::atol(argv[2]); step++) {
        out << "step " << step << ": residual " << (step * 7919) % 1000003;
        if (flushed)
            out << std::endl;
        else
            out << '\n';
    }
    return out ? 0 : 1;
}
