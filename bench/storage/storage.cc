// SPDX-License-Identifier: Apache-2.0

// Durable creates, lists, watches and starts of the API server's storage; beside it SQLite with a transaction
// for each write, from as many threads.
#include <sqlite3.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "apiserver/internal/storage/storage.h"

namespace {

using namespace fairway::apiserver::storage;
using Steady = std::chrono::steady_clock;

constexpr int threads = 16;
constexpr auto run_time = std::chrono::seconds(3);

double seconds_since(Steady::time_point begin) {
  return std::chrono::duration<double>(Steady::now() - begin).count();
}

template <class T>
T must(fairway::Result<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "error: %s\n", result.error().message.c_str());
  std::exit(1);
}

template <class T>
T must(ReadResult<T> result) {
  if (result) return std::move(*result);
  std::fprintf(stderr, "error: %s\n", result.error().error.message.c_str());
  std::exit(1);
}

/// Returns an object of 2 KB.
std::string object(const std::string& name) {
  return R"({"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":")" + name +
         R"(","namespace":"default"},"data":{"k":")" + std::string(1900, 'x') + "\"}}";
}

Change create(const std::string& name) {
  return {{"configmaps", "default", name}, Precondition::absent(), must(Body::of(object(name)))};
}

/// Runs `write(thread, n)` on all threads; prints writes a second and the 99th percentile.
template <class Write>
double measure_writes(const char* what, Write write) {
  std::vector<std::vector<double>> times(threads);
  auto begin = Steady::now();
  {
    std::vector<std::jthread> workers;
    for (int thread = 0; thread < threads; ++thread) {
      workers.emplace_back([&, thread] {
        for (int n = 0; Steady::now() - begin < run_time; ++n) {
          auto start = Steady::now();
          write(thread, n);
          times[static_cast<std::size_t>(thread)].push_back(seconds_since(start));
        }
      });
    }
  }
  double duration = seconds_since(begin);
  std::vector<double> all;
  for (const auto& one : times) all.insert(all.end(), one.begin(), one.end());
  std::sort(all.begin(), all.end());
  double rate = static_cast<double>(all.size()) / duration;
  std::printf("%-44s %9.0f /s, p50 %.2f ms, p99 %.2f ms\n", what, rate, all[all.size() / 2] * 1e3,
              all[all.size() * 99 / 100] * 1e3);
  return rate;
}

double plain_sqlite(const std::string& file) {
  sqlite3* database = nullptr;
  sqlite3_stmt* insert = nullptr;
  if (sqlite3_open(file.c_str(), &database) != SQLITE_OK ||
      sqlite3_exec(database,
                   "PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;"
                   "CREATE TABLE objects(name TEXT PRIMARY KEY, json BLOB)",
                   nullptr, nullptr, nullptr) != SQLITE_OK ||
      sqlite3_prepare_v2(database, "INSERT INTO objects VALUES(?1, ?2)", -1, &insert, nullptr) != SQLITE_OK) {
    std::fprintf(stderr, "error: %s\n", sqlite3_errmsg(database));
    std::exit(1);
  }
  std::mutex mutex;
  double rate = measure_writes("SQLite, one write a transaction", [&](int thread, int n) {
    auto name = std::to_string(thread) + "-" + std::to_string(n);
    auto json = object(name);
    std::lock_guard lock(mutex);
    sqlite3_bind_text(insert, 1, name.c_str(), -1, SQLITE_STATIC);
    sqlite3_bind_blob(insert, 2, json.data(), static_cast<int>(json.size()), SQLITE_STATIC);
    if (sqlite3_step(insert) != SQLITE_DONE) std::exit(1);
    sqlite3_reset(insert);
  });
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return rate;
}

double durable_creates(const std::string& file) {
  auto storage = must(open_storage(file));
  double rate = measure_writes("durable creates, 16 threads", [&](int thread, int n) {
    must(storage->write(create(std::to_string(thread) + "-" + std::to_string(n))));
  });
  auto counts = storage->counts();
  std::printf("%-44s %9.1f\n", "  writes a commit",
              static_cast<double>(counts.changes) / static_cast<double>(counts.commits));
  return rate;
}

void fill(Storage& storage, int count) {
  std::vector<Change> changes;
  for (int i = 0; i < count; ++i) {
    changes.push_back(create("n" + std::to_string(i)));
    if (changes.size() == 1000 || i + 1 == count) must(storage.write(std::exchange(changes, {})));
  }
}

double cpu_milliseconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  auto of = [](timeval time) {
    return static_cast<double>(time.tv_sec) * 1e3 + static_cast<double>(time.tv_usec) / 1e3;
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

/// Prints the wall clock and processor time of one of `times` runs.
template <class Run>
void measure(const char* what, int times, Run run) {
  auto begin = Steady::now();
  auto cpu = cpu_milliseconds();
  for (int i = 0; i < times; ++i) run(i);
  std::printf("%-44s %9.3f ms, CPU %.3f ms\n", what, seconds_since(begin) * 1e3 / times,
              (cpu_milliseconds() - cpu) / times);
}

void starts(const std::string& file) {
  measure("start of a new file, and end", 5, [&](int i) { must(open_storage(file + std::to_string(i))); });
  measure("start in memory, and end", 50, [](int) { must(open_memory_storage()); });
  fill(*must(open_storage(file)), 10'000);
  std::unique_ptr<Storage> storage;
  measure("start of a file of 10,000 objects", 5, [&](int) {
    storage.reset();
    storage = must(open_storage(file));
  });
  measure("first list of 10,000, out of the file", 1, [&](int) { must(storage->list({"configmaps"})); });
  std::size_t bytes = 0;
  measure("list of 10,000 (20 MB), out of memory", 100, [&](int) {
    for (const auto& record : must(storage->list({"configmaps"})).records) bytes += record->json().size();
  });
  measure("the same in 20 pages", 10, [&](int) {
    std::string after;
    for (int pages = 0; pages < 20; ++pages) {
      auto list = must(storage->list({"configmaps", "", after, 500, storage->revision()}));
      after = list.records.back()->path();
    }
  });
}

void fan_out() {
  auto storage = must(open_memory_storage());
  constexpr int watchers = 1000, events = 1000;
  std::vector<std::unique_ptr<Watch>> watches;
  for (int i = 0; i < watchers; ++i) watches.push_back(must(storage->watch({"configmaps", "", 1})));
  auto begin = Steady::now();
  std::size_t delivered = 0, bytes = 0;
  std::jthread writer([&] {
    for (int i = 0; i < events; ++i) must(storage->write(create("n" + std::to_string(i))));
  });
  while (delivered < std::size_t{watchers} * events) {
    for (auto& watch : watches) {
      auto batch = watch->poll();
      for (const auto& event : batch.events) {
        bytes += event->derived
                     .get<std::string>(
                         1, [&] { return R"({"type":"ADDED","object":)" + event->record->json() + "}\n"; })
                     .size();
      }
      delivered += batch.events.size();
    }
  }
  double duration = seconds_since(begin);
  std::printf("%-44s %9.0f /s (%.1f GB/s of frames, each made once)\n",
              "events to 1,000 watchers, one thread", static_cast<double>(delivered) / duration,
              static_cast<double>(bytes) / duration / 1e9);
}

}  // namespace

int main(int argc, char** argv) {
  std::filesystem::path folder = argc > 1 ? argv[1] : ".";
  folder /= "bench-storage-" + std::to_string(::getpid());
  std::filesystem::create_directories(folder);
  starts((folder / "start.db").string());
  fan_out();
  double rival = plain_sqlite((folder / "plain.db").string());
  double ours = durable_creates((folder / "storage.db").string());
  std::filesystem::remove_all(folder);
  std::printf("storage ratio %.2f\n", ours / rival);
}
