// Books transfers between the accounts of a file: ledger stream|record|memory TRANSFERS.
// Each account is read and written in place with std::fstream, which has a buffer of 256 KiB; or one
// of an account's size; or accounts are kept in memory.
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
    const std::string mode = argv[1];
    const bool in_memory = mode == "memory";
    std::vector<char> buffer(mode == "record" ? sizeof(Account) : 1 << 18);
    std::fstream file;
    file.rdbuf()->pubsetbuf(buffer.data(), buffer.size());
    file.open("out", std::ios::in | std::ios::out | std::ios::binary);
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
