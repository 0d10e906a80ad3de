// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/sorted_records.h"

#include <algorithm>

namespace fairway::apiserver::storage {

namespace {

constexpr std::size_t largest = 256;

template <class Records>
auto position(Records& records, std::string_view path) {
  return std::lower_bound(records.begin(), records.end(), path,
                          [](const RecordPtr& record, std::string_view p) { return record->path() < p; });
}

}  // namespace

SortedRecords::Snapshot::Position SortedRecords::Snapshot::lower_bound(std::string_view path) const {
  // The first chunk whose last record is not before it.
  auto chunk = std::partition_point(chunks_.begin(), chunks_.end(),
                                    [&](const auto& records) { return records->back()->path() < path; });
  if (chunk == chunks_.end()) return end();
  auto found = position(**chunk, path);
  return {static_cast<std::size_t>(chunk - chunks_.begin()),
          static_cast<std::size_t>(found - (*chunk)->begin())};
}

std::size_t SortedRecords::Snapshot::count(Position from, Position to) const {
  std::size_t sum = 0;
  for (auto chunk = from.chunk; chunk < to.chunk; ++chunk) sum += chunks_[chunk]->size();
  return sum + to.index - from.index;
}

void SortedRecords::Snapshot::append_to(std::vector<RecordPtr>& records, Position from,
                                        std::size_t count) const {
  records.reserve(records.size() + count);
  while (count > 0) {
    const std::vector<RecordPtr>& chunk = *chunks_[from.chunk];
    const std::size_t some = std::min(count, chunk.size() - from.index);
    const auto first = chunk.begin() + static_cast<std::ptrdiff_t>(from.index);
    records.insert(records.end(), first, first + static_cast<std::ptrdiff_t>(some));
    count -= some;
    from = {from.chunk + 1, 0};
  }
}

RecordPtr SortedRecords::Snapshot::find(std::string_view path) const {
  auto found = lower_bound(path);
  return at_end(found) || record(found)->path() != path ? nullptr : record(found);
}

SortedRecords::Snapshot SortedRecords::snapshot() {
  Snapshot result;
  result.chunks_.reserve(chunks_.size());
  for (const auto& chunk : chunks_) result.chunks_.push_back(chunk.records);
  ++snapshots_;
  return result;
}

std::size_t SortedRecords::chunk_of(std::string_view path) const {
  auto found = std::partition_point(chunks_.begin(), chunks_.end(),
                                    [&](const Chunk& chunk) { return chunk.records->back()->path() < path; });
  auto index = static_cast<std::size_t>(found - chunks_.begin());
  return index == chunks_.size() && index > 0 ? index - 1 : index;
}

SortedRecords::Records& SortedRecords::own(Chunk& chunk) {
  if (chunk.made != snapshots_) {
    auto copy = std::make_shared<Records>();
    copy->assign(chunk.records->begin(), chunk.records->end());
    chunk = {std::move(copy), snapshots_};
  }
  return *chunk.records;
}

RecordPtr SortedRecords::find(std::string_view path) const {
  if (chunks_.empty()) return nullptr;
  const auto& records = *chunks_[chunk_of(path)].records;
  auto found = position(records, path);
  return found == records.end() || (*found)->path() != path ? nullptr : *found;
}

void SortedRecords::put(RecordPtr record) {
  if (chunks_.empty()) chunks_.push_back({std::make_shared<Records>(), snapshots_});
  auto index = chunks_.front().records->empty() ? 0 : chunk_of(record->path());
  auto& records = own(chunks_[index]);
  auto found = position(records, record->path());
  if (found != records.end() && (*found)->path() == record->path()) {
    *found = std::move(record);
    return;
  }
  auto added = records.insert(found, std::move(record)) - records.begin();
  ++size_;
  if (records.size() < largest) return;
  // At the end names often count up: the full chunk stays full.
  auto keep = static_cast<std::size_t>(added) + 1 == records.size() ? records.size() - 1 : records.size() / 2;
  auto second = std::make_shared<Records>();
  second->assign(std::make_move_iterator(records.begin() + static_cast<std::ptrdiff_t>(keep)),
                 std::make_move_iterator(records.end()));
  records.resize(keep);
  chunks_.insert(chunks_.begin() + static_cast<std::ptrdiff_t>(index) + 1, {std::move(second), snapshots_});
}

void SortedRecords::append(RecordPtr record) {
  if (chunks_.empty() || chunks_.back().records->size() + 1 >= largest) {
    auto records = std::make_shared<Records>();
    chunks_.push_back({std::move(records), snapshots_});
  }
  own(chunks_.back()).push_back(std::move(record));
  ++size_;
}

void SortedRecords::erase(std::string_view path) {
  if (chunks_.empty()) return;
  auto index = chunk_of(path);
  auto& records = own(chunks_[index]);
  auto found = position(records, path);
  if (found == records.end() || (*found)->path() != path) return;
  records.erase(found);
  --size_;
  if (records.empty()) chunks_.erase(chunks_.begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace fairway::apiserver::storage
