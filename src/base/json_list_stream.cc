// SPDX-License-Identifier: Apache-2.0

// Compiled alone: in a larger file g++ inlines less of the parser.
// ListReader: the objects of a list, one after the other.
#include <boost/json/basic_parser_impl.hpp>
#include <boost/json/value_stack.hpp>
#include <optional>
#include <utility>
#include <vector>

#include "base/internal/json_builder.h"
#include "base/internal/json_stream_parser.h"
#include "base/json_stream.h"

namespace fairway::json {

namespace {

using boost::json::value_stack;
using ErrorOf = boost::system::error_code;

/// Builds the document, and apart from it one item after the other.
class ListHandler {
 public:
  static constexpr std::size_t max_object_size = Object::max_size();
  static constexpr std::size_t max_array_size = Array::max_size();
  static constexpr std::size_t max_key_size = boost::json::string::max_size();
  static constexpr std::size_t max_string_size = boost::json::string::max_size();

  ListHandler(std::vector<std::string> path, OnValue on_item, std::function<Storage()> storage,
              std::size_t max_item_bytes)
      : path_(std::move(path)),
        on_item_(std::move(on_item)),
        storage_(std::move(storage)),
        max_item_bytes_(max_item_bytes),
        keys_(path_.size()) {
    document_.reset();
  }

  const std::optional<Error>& refused() const { return refused_; }
  Value release() { return document_.release(); }
  std::size_t item_bytes() const { return item_bytes_; }
  std::string_view text(std::string_view key) const {
    for (const auto& [known, text] : texts_) {
      if (known == key) return text;
    }
    return {};
  }

  bool on_document_begin(ErrorOf&) { return true; }
  bool on_document_end(ErrorOf&) { return true; }
  bool on_object_begin(ErrorOf& error) {
    if (!grow(2, error)) return false;
    if (depth_ == 0 || (depth_ < path_.size() && is_member_of_path())) on_path_ = depth_ + 1;
    return ++depth_, true;
  }
  bool on_object_end(std::size_t count, ErrorOf& error) {
    --depth_;
    on_path_ = std::min(on_path_, depth_);
    at_->push_object(count);
    return complete(error);
  }
  bool on_array_begin(ErrorOf& error) {
    if (!grow(2, error)) return false;
    if (depth_ == path_.size() && is_member_of_path()) {
      if (std::exchange(seen_list_, true)) {
        return refuse({ErrorCode::invalid, "the list `" + path_.back() + "` is there twice"}, error);
      }
      in_list_ = true;
      at_ = &item_;
      reset_item();
    }
    return ++depth_, true;
  }
  bool on_array_end(std::size_t count, ErrorOf& error) {
    --depth_;
    if (in_list_ && depth_ == path_.size()) {
      in_list_ = false;
      at_ = &document_;
      document_.push_array(0);
      return true;
    }
    at_->push_array(count);
    return complete(error);
  }
  bool on_key_part(std::string_view text, std::size_t, ErrorOf& error) {
    if (!grow(text.size(), error)) return false;
    at_->push_chars(text);
    if (is_on_path()) part_ += text;
    return true;
  }
  bool on_key(std::string_view text, std::size_t, ErrorOf& error) {
    if (!grow(text.size() + 4, error)) return false;
    at_->push_key(text);
    if (is_on_path()) {
      part_ += text;
      keys_[depth_ - 1] = std::exchange(part_, {});
    }
    return true;
  }
  bool on_string_part(std::string_view text, std::size_t, ErrorOf& error) {
    if (!grow(text.size(), error)) return false;
    at_->push_chars(text);
    if (is_on_path()) part_ += text;
    return true;
  }
  bool on_string(std::string_view text, std::size_t, ErrorOf& error) {
    if (!grow(text.size() + 2, error)) return false;
    at_->push_string(text);
    if (is_on_path()) {
      part_ += text;
      std::string key = keys_.front();
      for (std::size_t i = 1; i < depth_; ++i) key += '.' + keys_[i];
      texts_.emplace_back(std::move(key), std::exchange(part_, {}));
    }
    return complete(error);
  }
  bool on_number_part(std::string_view text, ErrorOf& error) {
    if (!grow(text.size(), error)) return false;
    number_.add(text);
    return true;
  }
  bool on_int64(std::int64_t number, std::string_view text, ErrorOf& error) {
    if (!grow(text.size() + 1, error)) return false;
    number_.clear();
    at_->push_int64(number);
    return complete(error);
  }
  bool on_uint64(std::uint64_t number, std::string_view text, ErrorOf& error) {
    if (!grow(text.size() + 1, error)) return false;
    number_.clear();
    at_->push_uint64(number);
    return complete(error);
  }
  bool on_double(double, std::string_view text, ErrorOf& error) {
    if (!grow(text.size() + 1, error)) return false;
    auto number = number_.read(text);
    if (!number) return refuse({ErrorCode::invalid, std::move(number.error())}, error);
    at_->push_double(*number);
    return complete(error);
  }
  bool on_bool(bool flag, ErrorOf& error) {
    if (!grow(5, error)) return false;
    at_->push_bool(flag);
    return complete(error);
  }
  bool on_null(ErrorOf& error) {
    if (!grow(5, error)) return false;
    at_->push_null();
    return complete(error);
  }
  bool on_comment_part(std::string_view, ErrorOf&) { return true; }
  bool on_comment(std::string_view, ErrorOf&) { return true; }

 private:
  /// Returns whether the position is directly within the innermost object that leads to the list.
  bool is_on_path() const { return depth_ > 0 && depth_ == on_path_ && !in_list_; }
  /// Returns whether the member that begins is the next one on the way to the list.
  bool is_member_of_path() const { return is_on_path() && keys_[depth_ - 1] == path_[depth_ - 1]; }

  void reset_item() {
    storage_ ? item_.reset(storage_()) : item_.reset();
    item_bytes_ = 0;
  }

  /// Counts bytes of text that were read, of an item or of the document.
  bool grow(std::size_t bytes, ErrorOf& error) {
    std::size_t& all = in_list_ ? item_bytes_ : document_bytes_;
    all += bytes;
    return all <= max_item_bytes_ || refuse_size(error);
  }

  // This is seldom called, and a function of its own so that g++ inlines the callers, which run for every
  // value.
  [[gnu::noinline]] bool refuse_size(ErrorOf& error) {
    const std::string what = in_list_ ? "item " + std::to_string(items_) + " of `" + path_.back() + "`"
                                      : "what is not in `" + path_.back() + "`";
    return refuse({ErrorCode::too_large,
                   what + " is larger than the " + std::to_string(max_item_bytes_) + " bytes allowed"},
                  error);
  }

  bool refuse(Error why, ErrorOf& error) {
    refused_ = std::move(why);
    error = boost::json::error::exception;
    return false;
  }

  /// Handles the end of a value, which may be an item.
  bool complete(ErrorOf& error) { return !in_list_ || depth_ != path_.size() + 1 || complete_item(error); }

  [[gnu::noinline]] bool complete_item(ErrorOf& error) {
    if (auto taken = on_item_(item_.release()); !taken) return refuse(std::move(taken.error()), error);
    ++items_;
    reset_item();
    return true;
  }

  const std::vector<std::string> path_;
  const OnValue on_item_;
  const std::function<Storage()> storage_;
  const std::size_t max_item_bytes_;
  std::size_t item_bytes_ = 0, document_bytes_ = 0, items_ = 0;
  value_stack document_, item_;
  value_stack* at_ = &document_;
  std::size_t depth_ = 0;
  /// Number of objects that lead to the list, from the outermost one on.
  std::size_t on_path_ = 0;
  bool in_list_ = false, seen_list_ = false;
  /// The latest keys of the objects on the way; the key or text that is being read.
  std::vector<std::string> keys_;
  std::string part_;
  NumberText number_;
  std::vector<std::pair<std::string, std::string>> texts_;
  std::optional<Error> refused_;
};

}  // namespace

struct ListReader::Implementation {
  boost::json::basic_parser<ListHandler> parser;
  std::size_t offset = 0;
  std::optional<Error> failed;

  Implementation(std::vector<std::string> path, OnValue on_item, std::function<Storage()> storage,
                 std::size_t max_item_bytes)
      : parser(stream_options(), std::move(path), std::move(on_item), std::move(storage), max_item_bytes) {}

  Result<void> feed(std::string_view piece) {
    ErrorOf error;
    const std::size_t used = parser.write_some(true, piece.data(), piece.size(), error);
    if (parser.handler().refused()) return fail(*parser.handler().refused());
    if (!error && used < piece.size()) error = boost::json::error::extra_data;
    if (error) return not_json(offset + used, error);
    offset += used;
    return {};
  }
};

ListReader::ListReader(std::string member, OnValue on_item)
    : ListReader(std::vector<std::string>{std::move(member)}, std::move(on_item)) {}
ListReader::ListReader(std::vector<std::string> path, OnValue on_item, std::function<Storage()> storage,
                       std::size_t max_item_bytes)
    : implementation_(std::make_unique<Implementation>(std::move(path), std::move(on_item),
                                                       std::move(storage), max_item_bytes)) {}
ListReader::~ListReader() = default;

Result<void> ListReader::feed(std::string_view piece) {
  auto& failed = implementation_->failed;
  if (failed) return fail(*failed);
  if (piece.empty()) return {};
  auto result = implementation_->feed(piece);
  if (!result) failed = result.error();
  return result;
}

Result<Value> ListReader::finish() {
  if (implementation_->failed) return fail(*implementation_->failed);
  auto& parser = implementation_->parser;
  if (!parser.done()) {
    // Numbers end where the text does.
    ErrorOf error;
    parser.write_some(false, nullptr, 0, error);
    if (error) return fail(ErrorCode::unavailable, "not JSON: the text ends too early");
  }
  return parser.handler().release();
}

std::size_t ListReader::item_bytes() const {
  return implementation_->parser.handler().item_bytes();
}

std::string_view ListReader::text(std::string_view key) const {
  return implementation_->parser.handler().text(key);
}

}  // namespace fairway::json
