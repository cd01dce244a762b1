// Adds up a histogram and a gradient of the tiles of a map.
// tiles files|pack TILES: each tile is a file; or all are one after the other in one file.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <vector>

constexpr int SIDE = 32;

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const bool packed = std::strcmp(argv[1], "pack") == 0;
    std::vector<uint8_t> tile(SIDE * SIDE);
    std::vector<uint64_t> levels(256), slopes(512);
    std::ifstream pack;
    if (packed) pack.open("tiles.pack", std::ios::binary);
    for (long number = 0; number < std::atol(argv[2]); number++) {
        if (packed) {
            pack.read(reinterpret_cast<char *>(tile.data()), SIDE * SIDE);
            if (!pack) return 1;
        } else {
            char name[64];
            std::snprintf(name, sizeof name, "tiles/%02ld/tile%05ld", number % 50, number);
            std::ifstream file(name, std::ios::binary);
            if (!file.read(reinterpret_cast<char *>(tile.data()), SIDE * SIDE)) return 1;
        }
        for (int row = 1; row < SIDE; row++)
            for (int column = 1; column < SIDE; column++) {
                const int here = tile[row * SIDE + column];
                const int left = tile[row * SIDE + column - 1];
                const int above = tile[(row - 1) * SIDE + column];
                levels[here]++;
                slopes[std::abs(here - left) + std::abs(here - above)]++;
            }
    }
    for (size_t level = 0; level < levels.size(); level++)
        std::printf("%zu %llu\n", level, static_cast<unsigned long long>(levels[level]));
    for (size_t slope = 0; slope < slopes.size(); slope++)
        std::printf("%zu %llu\n", slope, static_cast<unsigned long long>(slopes[slope]));
}
