// SPDX-License-Identifier: Apache-2.0

// The latest objects of one resource, sorted by path.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "apiserver/internal/storage/record.h"

namespace fairway::apiserver::storage {

/// A sorted list in chunks. A snapshot shares the chunks; the list copies a chunk before it changes one that
/// a snapshot may have. So readers walk over thousands of objects without holding a lock, and the count of
/// the objects after a path is a sum over chunks.
class SortedRecords {
 public:
  class Snapshot {
   public:
    /// Position of an object. `lower_bound` returns that of the first whose path is not less than `path`.
    struct Position {
      std::size_t chunk = 0, index = 0;
    };
    Position lower_bound(std::string_view path) const;
    Position end() const { return {chunks_.size(), 0}; }
    bool at_end(Position position) const { return position.chunk == chunks_.size(); }
    const RecordPtr& record(Position position) const { return (*chunks_[position.chunk])[position.index]; }
    void advance(Position& position) const {
      if (++position.index == chunks_[position.chunk]->size()) position = {position.chunk + 1, 0};
    }
    /// Appends `count` records from `from` on; there are as many. Faster than one by one.
    void append_to(std::vector<RecordPtr>& records, Position from, std::size_t count) const;
    /// Number of records from `from` up to, but not including, `to`.
    std::size_t count(Position from, Position to) const;
    /// Finds the record of a path; null if there is none.
    RecordPtr find(std::string_view path) const;

   private:
    friend class SortedRecords;
    std::vector<std::shared_ptr<const std::vector<RecordPtr>>> chunks_;
  };

  Snapshot snapshot();
  /// Finds the record of a path; null if there is none.
  RecordPtr find(std::string_view path) const;
  void put(RecordPtr record);
  void erase(std::string_view path);
  /// Adds the record with the greatest path so far: for loading.
  void append(RecordPtr record);
  std::size_t size() const { return size_; }

 private:
  using Records = std::vector<RecordPtr>;
  struct Chunk {
    std::shared_ptr<Records> records;
    std::uint64_t made = 0;  ///< the number of snapshots before it was made
  };
  /// Returns the chunk that has, or would have, the path.
  std::size_t chunk_of(std::string_view path) const;
  /// Returns the chunk's records, copied if a snapshot may have them.
  Records& own(Chunk& chunk);

  std::vector<Chunk> chunks_;  ///< none is empty
  std::size_t size_ = 0;
  std::uint64_t snapshots_ = 0;
};

}  // namespace fairway::apiserver::storage
