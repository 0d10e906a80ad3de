// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/history.h"

#include <algorithm>
#include <charconv>
#include <functional>
#include <numeric>
#include <utility>

#include "apiserver/internal/storage/row_bytes.h"

namespace fairway::apiserver::storage {

namespace {

constexpr std::string_view reading = "reading the storage";
constexpr std::string_view writing = "writing to the storage";

// How long one read of the past takes, and how much of it is in memory.
constexpr std::size_t most_page_changes = 2'000;
constexpr std::size_t most_page_events = 256;
constexpr std::size_t most_page_bytes = 1 << 20;

}  // namespace

Result<History> History::open(Database database) {
  History history(std::move(database));
  struct Item {
    Statement History::* statement;
    std::string_view sql, doing;
  };
  const Item items[] = {
      {&History::begin_, "BEGIN", writing},
      {&History::commit_, "COMMIT", writing},
      {&History::find_resource_, "SELECT id FROM resources WHERE name = ?1", reading},
      {&History::add_resource_, "INSERT INTO resources(name) VALUES(?1) RETURNING id", writing},
      {&History::insert_,
       "INSERT INTO changes(revision, resource, path, type, slot, time, json) VALUES(?1, ?2, ?3, ?4, ?5, ?6, "
       "?7)",
       writing},
      {&History::keys_, "SELECT path, revision FROM changes WHERE resource = ?1 ORDER BY path, revision",
       reading},
      {&History::row_, "SELECT path, type, slot, json FROM changes WHERE revision = ?1", reading},
      {&History::latest_,
       "SELECT revision, type, slot, json FROM changes WHERE resource = ?1 AND path = ?2 AND revision <= ?3 "
       "ORDER BY revision DESC LIMIT 1",
       reading},
      {&History::changes_,
       "SELECT revision, resource FROM changes WHERE revision > ?1 AND revision <= ?2 ORDER BY revision",
       reading},
      {&History::past_,
       "SELECT path, revision FROM changes WHERE resource = ?1 AND path > ?2 AND path < ?3 "
       "ORDER BY path, revision",
       reading},
      {&History::old_changes_,
       "SELECT revision, resource, path, type, time FROM changes WHERE revision > ?1 AND revision <= ?2 "
       "ORDER BY revision LIMIT ?3",
       reading},
      {&History::old_sizes_,
       "SELECT length(json) FROM changes WHERE resource = ?1 AND path = ?2 AND revision < ?3", reading},
      {&History::delete_old_, "DELETE FROM changes WHERE resource = ?1 AND path = ?2 AND revision < ?3",
       writing},
      {&History::delete_one_, "DELETE FROM changes WHERE revision = ?1", writing},
      {&History::value_, "SELECT value FROM \"values\" WHERE name = ?1", reading},
      {&History::page_count_, "PRAGMA page_count", reading},
      {&History::free_count_, "PRAGMA freelist_count", reading},
      {&History::shrink_, "PRAGMA incremental_vacuum(256)", writing},
      {&History::empty_log_, "PRAGMA wal_checkpoint(TRUNCATE)", writing},
      {&History::set_value_, "INSERT OR REPLACE INTO \"values\"(name, value) VALUES(?1, ?2)", writing},
  };
  for (const auto& item : items) {
    auto statement = history.database_.prepare(item.sql, item.doing);
    if (!statement) return fail(statement.error());
    history.*item.statement = std::move(*statement);
  }
  return history;
}

Result<std::int64_t> History::find_resource(std::string_view name) {
  ResetAtEnd reset(find_resource_);
  auto row = find_resource_.bind(1, name).step();
  if (!row) return fail(row.error());
  return *row ? find_resource_.integer(0) : 0;
}

Result<std::int64_t> History::add_resource(std::string_view name) {
  ResetAtEnd reset(add_resource_);
  auto row = add_resource_.bind(1, name).step();
  if (!row) return fail(row.error());
  return add_resource_.integer(0);
}

Result<void> History::insert(std::int64_t resource, EventType type, const Record& record, std::int64_t time) {
  insert_.bind(1, record.revision()).bind(2, resource).bind(3, std::string_view(record.path()));
  insert_.bind(4, static_cast<std::int64_t>(type))
      .bind(5, static_cast<std::int64_t>(record.slot()))
      .bind(6, time);
  // A deletion's last state is that of the change before.
  if (type == EventType::deleted) {
    insert_.bind_null(7);
  } else {
    insert_.bind_blob(7, record.json());
  }
  return insert_.run();
}

Result<Revision> History::last_revision() {
  return database_.integer("SELECT max(revision) FROM changes", reading);
}

Result<Revision> History::compacted() {
  auto text = value("compacted");
  if (!text) return fail(text.error());
  return *text ? std::stoll(**text) : 0;
}

Result<RecordPtr> History::read_record(Revision revision) {
  ResetAtEnd reset(row_);
  auto row = row_.bind(1, revision).step();
  if (!row) return fail(row.error());
  if (!*row) return nullptr;
  if (row_.integer(1) == static_cast<std::int64_t>(EventType::deleted)) return nullptr;
  return std::make_shared<const Record>(std::string(row_.text(0)), revision, std::string(row_.text(3)),
                                        static_cast<std::size_t>(row_.integer(2)));
}

Result<RecordPtr> History::read_latest(std::int64_t resource, std::string_view path, Revision revision,
                                       ReadRecords* read) {
  ResetAtEnd reset(latest_);
  auto row = latest_.bind(1, resource).bind(2, path).bind(3, revision).step();
  if (!row) return fail(row.error());
  if (!*row || latest_.integer(1) == static_cast<std::int64_t>(EventType::deleted)) return nullptr;
  auto found = latest_.integer(0);
  if (read != nullptr) {
    if (auto one = read->find(found); one != read->end()) return one->second;
  }
  auto record = std::make_shared<const Record>(std::string(path), found, std::string(latest_.text(3)),
                                               static_cast<std::size_t>(latest_.integer(2)));
  if (read != nullptr) read->emplace(found, record);
  return record;
}

Result<RecordPtr> History::get(std::int64_t resource, std::string_view path, Revision revision) {
  return read_latest(resource, path, revision, nullptr);
}

Result<EventPtr> History::read_event(std::int64_t resource, Revision revision, ReadRecords& read) {
  auto event = std::make_shared<Event>();
  std::string path;
  {
    ResetAtEnd reset(row_);
    auto row = row_.bind(1, revision).step();
    if (!row) return fail(row.error());
    if (!*row) return nullptr;
    path = row_.text(0);
    event->type = static_cast<EventType>(row_.integer(1));
    if (event->type != EventType::deleted) {
      auto& record = read[revision];
      if (record == nullptr) {
        record = std::make_shared<const Record>(path, revision, std::string(row_.text(3)),
                                                static_cast<std::size_t>(row_.integer(2)));
      }
      event->record = record;
    }
  }
  if (event->type != EventType::added) {
    auto previous = read_latest(resource, path, revision - 1, &read);
    if (!previous) return fail(previous.error());
    event->previous = std::move(*previous);
  }
  if (event->type == EventType::deleted) {
    if (event->previous == nullptr) return nullptr;
    event->record = event->previous->at(revision);
  }
  return event;
}

Result<Loaded> History::load(std::int64_t resource, Revision compacted, std::size_t most_events,
                             std::size_t most_bytes) {
  Loaded loaded;
  loaded.base = compacted;
  if (resource == 0) return loaded;
  std::vector<Revision> latest, changed;
  {
    ResetAtEnd reset(keys_);
    keys_.bind(1, resource);
    std::string path;
    while (true) {
      auto row = keys_.step();
      if (!row) return fail(row.error());
      if (!*row) break;
      auto revision = keys_.integer(1);
      if (latest.empty() || keys_.text(0) != path) {
        path = keys_.text(0);
        latest.push_back(revision);
      } else {
        latest.back() = revision;
      }
      if (revision > compacted) changed.push_back(revision);
    }
  }
  // In the order in which they are in the file.
  std::vector<std::size_t> order(latest.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](auto left, auto right) { return latest[left] < latest[right]; });
  ReadRecords read;
  loaded.records.resize(latest.size());
  for (auto index : order) {
    auto record = read_record(latest[index]);
    if (!record) return fail(record.error());
    if (*record != nullptr && latest[index] > compacted) read.emplace(latest[index], *record);
    loaded.records[index] = std::move(*record);
  }
  std::erase(loaded.records, nullptr);
  std::sort(changed.begin(), changed.end(), std::greater<>());
  std::size_t bytes = 0;
  for (auto revision : changed) {
    auto event = read_event(resource, revision, read);
    if (!event) return fail(event.error());
    if (*event != nullptr) bytes += (*event)->record->json().size();
    if (loaded.events.size() == most_events || bytes > most_bytes) {
      loaded.base = revision;
      break;
    }
    if (*event != nullptr) loaded.events.push_back(std::move(*event));
  }
  std::reverse(loaded.events.begin(), loaded.events.end());
  return loaded;
}

Result<HistoryPage> History::events(std::int64_t resource, Revision from, Revision upto) {
  HistoryPage page;
  page.upto = upto;
  std::vector<Revision> found;
  {
    ResetAtEnd reset(changes_);
    changes_.bind(1, from).bind(2, upto);
    for (std::size_t seen = 1; true; ++seen) {
      auto row = changes_.step();
      if (!row) return fail(row.error());
      if (!*row) break;
      if (changes_.integer(1) == resource) found.push_back(changes_.integer(0));
      if (seen == most_page_changes || found.size() == most_page_events) {
        page.upto = changes_.integer(0);
        break;
      }
    }
  }
  std::size_t bytes = 0;
  ReadRecords read;
  for (auto revision : found) {
    auto event = read_event(resource, revision, read);
    if (!event) return fail(event.error());
    if (*event == nullptr) continue;
    bytes += (*event)->record->json().size();
    page.events.push_back(std::move(*event));
    if (bytes < most_page_bytes) continue;
    page.upto = revision;
    break;
  }
  return page;
}

Result<PastPiece> History::list(std::int64_t resource, const PastQuery& query) {
  PastPiece piece;
  ResetAtEnd reset(past_);
  past_.bind(1, resource).bind(2, std::string_view(query.after)).bind(3, std::string_view(query.end));
  std::size_t bytes = 0;
  Revision latest = 0;  // of `piece.upto`, as of the query's revision; 0: it was not there
  const auto take = [&]() -> Result<void> {
    if (latest == 0) return {};
    if (piece.records.size() < query.limit) {
      auto record = read_record(latest);
      if (!record) return fail(record.error());
      if (*record == nullptr) return {};
      bytes += (*record)->json().size();
      piece.records.push_back(std::move(*record));
      return {};
    }
    ResetAtEnd reset_row(row_);
    auto row = row_.bind(1, latest).step();
    if (!row) return fail(row.error());
    if (*row && row_.integer(1) != static_cast<std::int64_t>(EventType::deleted)) ++piece.remaining;
    return {};
  };
  for (std::size_t seen = 1; true; ++seen) {
    auto row = past_.step();
    if (!row) return fail(row.error());
    const bool is_next = !*row || past_.text(0) != piece.upto;
    if (is_next) {
      if (auto taken = take(); !taken) return fail(taken.error());
      latest = 0;
      piece.finished = !*row || (!query.counts && piece.remaining > 0);
      if (piece.finished || seen > most_page_changes || bytes > most_page_bytes) return piece;
      piece.upto = past_.text(0);
    }
    if (past_.integer(1) <= query.revision) latest = past_.integer(1);
  }
}

Result<std::int64_t> History::superseded_bytes() {
  std::vector<Revision> latest;
  {
    auto keys = database_.prepare(
        "SELECT resource, path, revision FROM changes ORDER BY resource, path, revision", reading);
    if (!keys) return fail(keys.error());
    std::int64_t resource = 0;
    std::string path;
    while (true) {
      auto row = keys->step();
      if (!row) return fail(row.error());
      if (!*row) break;
      if (latest.empty() || keys->integer(0) != resource || keys->text(1) != path) {
        resource = keys->integer(0);
        path = keys->text(1);
        latest.push_back(0);
      }
      latest.back() = keys->integer(2);
    }
  }
  std::ranges::sort(latest);
  // In the order of the file, in which `latest` is now.
  auto sizes = database_.prepare(
      "SELECT revision, type, length(CAST(path AS BLOB)), length(json) FROM changes ORDER BY revision",
      reading);
  if (!sizes) return fail(sizes.error());
  std::int64_t bytes = 0;
  for (auto next = latest.begin(); true;) {
    auto row = sizes->step();
    if (!row) return fail(row.error());
    if (!*row) return bytes;
    const bool is_latest = next != latest.end() && *next == sizes->integer(0);
    if (is_latest) ++next;
    const bool is_deletion = sizes->integer(1) == static_cast<std::int64_t>(EventType::deleted);
    if (!is_latest || is_deletion) bytes += row_bytes(sizes->integer(2), sizes->integer(3));
  }
}

namespace {

constexpr std::string_view superseded_name = "superseded";

/// Returns the beginning of the kept sum, which every write and every compaction changes.
std::string state_of(Revision last, Revision compacted) {
  return std::to_string(last) + " " + std::to_string(compacted) + " ";
}

}  // namespace

Result<void> History::keep_superseded_bytes(Revision last, Revision compacted, std::int64_t bytes) {
  return set_value(superseded_name, state_of(last, compacted) + std::to_string(bytes));
}

Result<std::optional<std::int64_t>> History::kept_superseded_bytes(Revision last, Revision compacted) {
  auto text = value(superseded_name);
  if (!text) return fail(text.error());
  const std::string state = state_of(last, compacted);
  if (!*text || !(*text)->starts_with(state)) return std::nullopt;
  std::int64_t bytes = 0;
  const char* end = (*text)->data() + (*text)->size();
  const auto read = std::from_chars((*text)->data() + state.size(), end, bytes);
  if (read.ec != std::errc() || read.ptr != end || bytes < 0) return std::nullopt;
  return bytes;
}

Result<History::Compaction> History::compact(const CompactionStep& step) {
  struct Old {
    Revision revision;
    std::int64_t resource;
    std::string path;
    bool deleted, young;
  };
  std::vector<Old> old;
  {
    ResetAtEnd reset(old_changes_);
    old_changes_.bind(1, step.from).bind(2, step.upto).bind(3, static_cast<std::int64_t>(step.most_changes));
    while (true) {
      auto row = old_changes_.step();
      if (!row) return fail(row.error());
      if (!*row) break;
      auto time = old_changes_.integer(4);
      // A time ahead of now is of a clock that was set back: nobody can say how old it is, and to keep it
      // might be to keep everything for years.
      const bool young = time >= step.before && time <= step.now;
      old.push_back({old_changes_.integer(0), old_changes_.integer(1), std::string(old_changes_.text(2)),
                     old_changes_.integer(3) == static_cast<std::int64_t>(EventType::deleted), young});
      if (young && step.must_free <= 0) break;
    }
  }
  Compaction result{.done = step.from};
  bool all = old.size() < step.most_changes;
  for (const auto& change : old) {
    if (change.young && result.freed >= step.must_free) {
      result.finished = true;
      all = false;
      break;
    }
    if (result.freed >= step.most_bytes) {
      all = false;
      break;
    }
    auto freed = forget_before(change.resource, change.path, change.revision);
    if (!freed) return fail(freed.error());
    result.freed += *freed;
    result.done = change.revision;
    if (!change.deleted) continue;
    if (auto ok = delete_one_.bind(1, change.revision).run(); !ok) return fail(ok.error());
    result.freed += row_bytes(static_cast<std::int64_t>(change.path.size()), 0);
  }
  if (all) {
    result.done = step.upto;
    result.finished = true;
  }
  if (result.done == step.from) return result;
  if (auto ok = set_value("compacted", std::to_string(result.done)); !ok) return fail(ok.error());
  return result;
}

Result<std::int64_t> History::forget_before(std::int64_t resource, std::string_view path, Revision revision) {
  std::int64_t freed = 0;
  {
    ResetAtEnd reset(old_sizes_);
    old_sizes_.bind(1, resource).bind(2, path).bind(3, revision);
    while (true) {
      auto row = old_sizes_.step();
      if (!row) return fail(row.error());
      if (!*row) break;
      freed += row_bytes(static_cast<std::int64_t>(path.size()), old_sizes_.integer(0));
    }
  }
  if (freed == 0) return 0;
  if (auto ok = delete_old_.bind(1, resource).bind(2, path).bind(3, revision).run(); !ok)
    return fail(ok.error());
  return freed;
}

Result<History::Pages> History::pages() {
  Pages pages;
  for (auto [statement, count] :
       {std::pair{&page_count_, &pages.all}, std::pair{&free_count_, &pages.free}}) {
    ResetAtEnd reset(*statement);
    auto row = statement->step();
    if (!row) return fail(row.error());
    if (*row) *count = statement->integer(0);
  }
  return pages;
}

Result<bool> History::can_shrink() {
  constexpr std::int64_t incremental = 2;
  auto kind = database_.integer("PRAGMA auto_vacuum", reading);
  if (!kind) return fail(kind.error());
  return *kind == incremental;
}

Result<std::optional<std::string>> History::value(std::string_view name) {
  ResetAtEnd reset(value_);
  auto row = value_.bind(1, name).step();
  if (!row) return fail(row.error());
  if (!*row) return std::nullopt;
  return std::string(value_.text(0));
}

Result<void> History::set_value(std::string_view name, std::string_view value) {
  return set_value_.bind(1, name).bind_blob(2, value).run();
}

}  // namespace fairway::apiserver::storage
