// Books transfers between the accounts of a file: ledger stream|memory TRANSFERS.
// Each record is read and written in place with std::fstream; or accounts are kept in memory.
#include <cstdint>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

struct Account {
    std::int64_t balance, bookings;
    char card[4080];
};

static std::uint64_t state = 88172645463325252ull;

static std::uint64_t drawn(std::uint64_t below) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return state % below;
}

static void booked(Account &account, std::int64_t amount) {
    account.balance += amount;
    account.bookings++;
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    const bool in_memory = std::string(argv[1]) == "memory";
    std::fstream file("out", std::ios::in | std::ios::out | std::ios::binary);
    file.seekg(0, std::ios::end);
    const std::uint64_t accounts = std::uint64_t(file.tellg()) / sizeof(Account);
    std::vector<Account> all;
    if (in_memory) {
        all.resize(accounts);
        file.seekg(0);
        file.read(reinterpret_cast<char *>(all.data()), accounts * sizeof(Account));
    }
    auto book = [&](std::uint64_t number, std::int64_t amount) {
        if (in_memory) {
            booked(all[number], amount);
            return;
        }
        Account one;
        file.seekg(number * sizeof(Account));
        file.read(reinterpret_cast<char *>(&one), sizeof one);
        booked(one, amount);
        file.seekp(number * sizeof(Account));
        file.write(reinterpret_cast<const char *>(&one), sizeof one);
    };
    for (long transfer = 0; transfer < std::atol(argv[2]); transfer++) {
        const std::int64_t amount = 1 + drawn(100);
        book(drawn(accounts), -amount);
        book(drawn(accounts), amount);
    }
    if (in_memory) {
        file.seekp(0);
        file.write(reinterpret_cast<const char *>(all.data()), accounts * sizeof(Account));
    }
    file.close();
    return file ? 0 : 1;
}
