// The wire format of protobuf: tags, varints, and fields of known length.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace fairway::apiserver::wire {

enum class Type : std::uint8_t {
  varint = 0,
  fixed64 = 1,
  bytes = 2,
  begin_group = 3,
  end_group = 4,
  fixed32 = 5
};

/// One field as it stands on the wire.
struct Entry {
  std::uint32_t number = 0;
  Type type = Type::varint;
  /// Of varint, fixed64 and fixed32.
  std::uint64_t value = 0;
  /// Of bytes. Groups have neither: they are skipped.
  std::string_view bytes;
};

/// Reads entry after entry.
class Reader {
 public:
  explicit Reader(std::string_view bytes) : rest_(bytes) {}

  bool at_end() const { return rest_.empty(); }
  /// Nothing if the bytes are malformed; `problem` says how.
  std::optional<Entry> next();
  /// Of the elements of a packed list.
  std::optional<std::uint64_t> varint();
  std::optional<std::uint64_t> fixed(std::size_t size);
  std::string_view problem() const { return problem_; }

 private:
  bool read(Entry& entry);
  bool skip_group();
  bool fail(std::string_view problem);

  std::string_view rest_, problem_;
};

}  // namespace fairway::apiserver::wire
