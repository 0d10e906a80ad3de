// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/storage.h"

#include <condition_variable>
#include <mutex>
#include <utility>

#include "apiserver/internal/storage/engine.h"
#include "apiserver/internal/storage/files.h"

namespace fairway::apiserver::storage {

namespace {

class SqliteStorage final : public Storage {
 public:
  explicit SqliteStorage(std::shared_ptr<Engine> engine) : engine_(std::move(engine)) {}
  ~SqliteStorage() override { engine_->close(); }

  Revision revision() const override { return engine_->revision(); }
  Revision compacted_revision() const override { return engine_->compacted_revision(); }
  ReadResult<RecordPtr> get(const Key& key, Revision revision) override {
    return engine_->get(key, revision);
  }
  ReadResult<List> list(const ListQuery& query) override { return engine_->list(query); }
  ReadResult<std::unique_ptr<Watch>> watch(const WatchQuery& query) override { return engine_->watch(query); }
  void write_async(std::vector<Change> changes, std::function<void(Result<Written>)> done) override {
    engine_->write(std::move(changes), std::move(done));
  }
  Result<void> drop(std::string_view resource) override { return engine_->drop(resource); }
  Result<void> invalidate(std::string_view resource) override { return engine_->invalidate(resource); }
  Result<std::optional<std::string>> value(std::string_view name) override { return engine_->value(name); }
  Result<void> set_value(std::string_view name, std::string_view value) override {
    return engine_->set_value(name, value);
  }
  Result<void> compact(Revision revision) override { return engine_->compact(revision); }
  Result<void> health() const override { return engine_->health(); }
  StorageCounts counts() const override { return engine_->counts(); }
  void close() override { engine_->close(); }

 private:
  std::shared_ptr<Engine> engine_;
};

Result<std::unique_ptr<Storage>> start(Database database, StorageOptions options,
                                       Engine::OpenReader open_reader, std::optional<LockFile> lock,
                                       const std::string& file) {
  auto history = History::open(std::move(database));
  if (!history) return fail(history.error());
  auto engine = std::make_shared<Engine>(std::move(options), std::move(*history), std::move(open_reader),
                                         std::move(lock), file);
  if (auto started = engine->start(); !started) return fail(started.error());
  return std::make_unique<SqliteStorage>(std::move(engine));
}

}  // namespace

Change Change::require(Key key, Revision revision) {
  return {.key = std::move(key),
          .precondition = Precondition::at(revision),
          .body = std::nullopt,
          .check_only = true};
}

Result<Written> Storage::write(std::vector<Change> changes) {
  std::mutex mutex;
  std::condition_variable answered;
  std::optional<Result<Written>> written;
  write_async(std::move(changes), [&](Result<Written> answer) {
    std::lock_guard lock(mutex);
    written = std::move(answer);
    answered.notify_all();
  });
  std::unique_lock lock(mutex);
  answered.wait(lock, [&] { return written.has_value(); });
  return std::move(*written);
}

Result<Written> Storage::write(Change change) {
  std::vector<Change> changes;
  changes.push_back(std::move(change));
  return write(std::move(changes));
}

Result<std::unique_ptr<Storage>> open_storage(const std::filesystem::path& file, StorageOptions options) {
  auto opened = open_file(file, options);
  if (!opened) return fail(opened.error());
  auto open_reader = [path = file.string(), vfs = options.vfs]() -> Result<Database> {
    // Not read-only: the first to open a database with a log that was left behind recovers it.
    return Database::open(path, SQLITE_OPEN_READWRITE, vfs);
  };
  return start(std::move(opened->database), std::move(options), std::move(open_reader),
               std::move(opened->lock), file.string());
}

Result<std::unique_ptr<Storage>> open_memory_storage(StorageOptions options) {
  auto database = Database::open(":memory:", SQLITE_OPEN_READWRITE | SQLITE_OPEN_CREATE, {});
  if (!database) return fail(database.error());
  if (auto made = prepare_schema(*database, "a database in memory"); !made) return fail(made.error());
  return start(std::move(*database), std::move(options), {}, std::nullopt, {});
}

}  // namespace fairway::apiserver::storage
