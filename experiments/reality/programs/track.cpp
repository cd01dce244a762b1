// Appends points to a track, whose header has their number and the bounds of each hour.
// track each|end|memory POINTS: the header is written anew after each point; or once at the end; or
// all is in memory and written then.
#include <algorithm>
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <string>
#include <vector>

struct Bounds {
    std::int64_t west = 1 << 30, east = -(1 << 30), south = 1 << 30, north = -(1 << 30);
};

struct Header {
    char kind[8] = {'T', 'R', 'A', 'C', 'K', '0', '1', '\n'};
    std::int64_t points = 0;
    Bounds hours[24];
};

struct Point {
    std::int64_t second, x, y;
};

static std::uint64_t state = 88172645463325252ull;

static std::int64_t step() {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return std::int64_t(state % 201) - 100;
}

static void counted(Header &header, const Point &point) {
    Bounds &hour = header.hours[point.second / 3600];
    header.points++;
    hour.west = std::min(hour.west, point.x);
    hour.east = std::max(hour.east, point.x);
    hour.south = std::min(hour.south, point.y);
    hour.north = std::max(hour.north, point.y);
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const std::string mode = argv[1];
    const long points = std::atol(argv[2]);
    std::fstream file("out", std::ios::in | std::ios::out | std::ios::binary | std::ios::trunc);
    Header header;
    std::vector<Point> kept;
    auto head = [&] {
        file.seekp(0);
        file.write(reinterpret_cast<const char *>(&header), sizeof header);
    };
    if (mode != "memory") head();
    Point point{0, 0, 0};
    for (long number = 0; number < points; number++) {
        point.second = 86400 * number / points;
        point.x += step();
        point.y += step();
        counted(header, point);
        if (mode == "memory") {
            kept.push_back(point);
            continue;
        }
        if (mode == "each") file.seekp(0, std::ios::end);
        file.write(reinterpret_cast<const char *>(&point), sizeof point);
        if (mode == "each") head();
    }
    head();
    file.write(reinterpret_cast<const char *>(kept.data()), kept.size() * sizeof(Point));
    file.close();
    return file ? 0 : 1;
}
