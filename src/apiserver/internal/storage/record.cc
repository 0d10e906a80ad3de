// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/storage/record.h"

#include <charconv>
#include <optional>

namespace fairway::apiserver::storage {

namespace {

/// Walks over JSON that a serialiser wrote: it finds members, and checks only as much as that needs.
class Scanner {
 public:
  explicit Scanner(std::string_view text) : text_(text) {}

  std::size_t position() const { return at_; }

  bool take(char expected) {
    skip_space();
    if (at_ >= text_.size() || text_[at_] != expected) return false;
    ++at_;
    return true;
  }

  /// Reads `"name" :`. Returns the text between the quotes, with its escapes.
  std::optional<std::string_view> name() {
    skip_space();
    auto begin = at_ + 1;
    if (!skip_string()) return std::nullopt;
    auto end = at_ - 1;
    if (!take(':')) return std::nullopt;
    skip_space();
    return text_.substr(begin, end - begin);
  }

  bool skip_string() {
    if (at_ >= text_.size() || text_[at_] != '"') return false;
    for (++at_; at_ < text_.size();) {
      auto next = text_.find_first_of("\"\\", at_);
      if (next == std::string_view::npos) return false;
      at_ = next + (text_[next] == '"' ? 1 : 2);
      if (text_[next] == '"') return true;
    }
    return false;
  }

  bool skip_value() {
    skip_space();
    int depth = 0;
    while (at_ < text_.size()) {
      char c = text_[at_];
      if (c == '"') {
        if (!skip_string()) return false;
      } else if (c == '{' || c == '[') {
        ++depth;
        ++at_;
      } else if (c == '}' || c == ']' || c == ',') {
        if (depth == 0) return true;
        if (c != ',') --depth;
        ++at_;
        if (depth == 0 && c != ',') return true;
        continue;
      } else {
        ++at_;
      }
      if (depth == 0 && c == '"') return true;
    }
    return depth == 0;
  }

  /// Goes to the value of the member `wanted` of the object whose brace was read. Returns false if there is
  /// none.
  bool find_member(std::string_view wanted) {
    if (take('}')) return false;
    do {
      auto found = name();
      if (!found) return false;
      if (*found == wanted) return true;
      if (!skip_value()) return false;
    } while (take(','));
    return false;
  }

 private:
  void skip_space() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\r' || text_[at_] == '\t')) {
      ++at_;
    }
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

constexpr std::string_view member = R"("resourceVersion":"")";

}  // namespace

Result<Body> Body::of(std::string json, std::uint64_t form) {
  Scanner scan(json);
  if (!scan.take('{') || !scan.find_member("metadata") || !scan.take('{')) {
    return fail(ErrorCode::invalid, "storing an object: it has no metadata");
  }
  auto metadata = scan.position();
  Body body;
  if (scan.find_member("resourceVersion")) {
    auto begin = scan.position();
    if (!scan.skip_value()) return fail(ErrorCode::invalid, "storing an object: its JSON is cut off");
    json.replace(begin, scan.position() - begin, R"("")");
    body.slot_ = begin + 1;
  } else {
    Scanner rest(std::string_view(json).substr(metadata));
    bool empty = rest.take('}');
    json.insert(metadata, std::string(member) + (empty ? "" : ","));
    body.slot_ = metadata + member.size() - 1;
  }
  if (body.slot_ > UINT32_MAX)
    return fail(ErrorCode::too_large, "storing an object: it is larger than 4 GiB");
  body.json_ = std::move(json);
  body.form_ = form;
  return body;
}

std::string Body::with_revision(Revision revision, std::size_t& slot) const {
  char digits[20];
  auto [end, error] = std::to_chars(digits, digits + sizeof digits, revision);
  std::string text;
  text.reserve(json_.size() + static_cast<std::size_t>(end - digits));
  text.append(json_, 0, slot_).append(digits, end).append(json_, slot_);
  slot = slot_;
  return text;
}

Record::Record(const Key& key, Revision revision, std::string json, std::size_t slot, std::uint64_t form)
    : Record(key.path(), revision, std::move(json), slot, form) {}

Record::Record(std::string path, Revision revision, std::string json, std::size_t slot, std::uint64_t form)
    : path_(std::move(path)),
      json_(std::move(json)),
      revision_(revision),
      form_(form),
      slot_(static_cast<std::uint32_t>(slot)),
      namespace_size_(0) {
  auto slash = path_.find('/');
  if (slash != std::string::npos) namespace_size_ = static_cast<std::uint32_t>(slash);
}

RecordPtr Record::anew() const {
  return std::make_shared<const Record>(path_, revision_, json_, slot_, form_);
}

RecordPtr Record::at(Revision revision) const {
  auto end = json_.find('"', slot_);
  char digits[20];
  auto [digits_end, error] = std::to_chars(digits, digits + sizeof digits, revision);
  std::string text;
  text.reserve(json_.size() + 4);
  text.append(json_, 0, slot_).append(digits, digits_end);
  if (end != std::string::npos) text.append(json_, end);
  return std::make_shared<const Record>(path_, revision, std::move(text), slot_, form_);
}

}  // namespace fairway::apiserver::storage
