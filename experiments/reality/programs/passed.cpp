// Copies the measurements of a file that are within bounds: passed
// It reads 1 MiB at a time, and writes what has passed when it is as much.
#include <cstdint>
#include <cstdio>
#include <vector>

struct Measurement {
    std::uint32_t sensor, value;
};

int main() {
    const std::size_t many = (1 << 20) / sizeof(Measurement);
    std::vector<Measurement> from(many), kept;
    kept.reserve(2 * many);
    std::FILE *in = std::fopen("data", "rb"), *out = std::fopen("out", "wb");
    if (!in || !out) return 1;
    std::setvbuf(in, nullptr, _IONBF, 0);
    std::setvbuf(out, nullptr, _IONBF, 0);
    auto written = [&] {
        bool good = std::fwrite(kept.data(), sizeof kept[0], kept.size(), out) == kept.size();
        kept.clear();
        return good;
    };
    for (std::size_t got; (got = std::fread(from.data(), sizeof from[0], many, in)) > 0;) {
        for (std::size_t at = 0; at < got; at++)
            if (from[at].value % 8) kept.push_back(from[at]);
        if (kept.size() >= many && !written()) return 1;
    }
    return written() && !std::fclose(out) ? 0 : 1;
}
