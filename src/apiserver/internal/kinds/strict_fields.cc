// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/kinds/strict_fields.h"

#include <boost/json/basic_parser_impl.hpp>
#include <set>

#include "base/quoted_text.h"

namespace fairway::apiserver::kinds {

namespace {

/// A handler of Boost.JSON's parser, which sees keys as they come.
class Scanner {
 public:
  using Text = boost::json::string_view;
  using Code = boost::json::error_code;
  static constexpr std::size_t max_object_size = std::size_t(-1), max_array_size = std::size_t(-1),
                               max_key_size = std::size_t(-1), max_string_size = std::size_t(-1);

  /// Makes a scanner. Without a type, all fields are known.
  Scanner(const MessageType* type, std::vector<std::string>& errors) : root_(type), errors_(errors) {}

  bool on_document_begin(Code&) { return true; }
  bool on_document_end(Code&) { return true; }
  bool on_object_begin(Code&) {
    begin_value();
    Frame frame{.base = path_.size()};
    if (frames_.empty()) {
      frame.message = root_;
    } else if (expected_ != nullptr && (within_ || expected_->shape == FieldShape::one)) {
      if (expected_->type == FieldType::message) frame.message = expected_->message;
    } else if (expected_ != nullptr && expected_->shape == FieldShape::map) {
      frame.elements = expected_;
    }
    frames_.push_back(std::move(frame));
    return true;
  }
  bool on_object_end(std::size_t, Code&) { return end_container(); }
  bool on_array_begin(Code&) {
    begin_value();
    Frame frame{.base = path_.size(), .is_list = true};
    if (expected_ != nullptr && !within_ && expected_->shape == FieldShape::list) frame.elements = expected_;
    frames_.push_back(std::move(frame));
    return true;
  }
  bool on_array_end(std::size_t, Code&) { return end_container(); }
  bool on_key_part(Text text, std::size_t, Code&) {
    key_.append(text.data(), text.size());
    return true;
  }
  bool on_key(Text text, std::size_t, Code&) {
    key_.append(text.data(), text.size());
    take_key();
    key_.clear();
    return true;
  }
  bool on_string_part(Text, std::size_t, Code&) { return true; }
  bool on_string(Text, std::size_t, Code&) { return scalar(); }
  bool on_number_part(Text, Code&) { return true; }
  bool on_int64(std::int64_t, Text, Code&) { return scalar(); }
  bool on_uint64(std::uint64_t, Text, Code&) { return scalar(); }
  bool on_double(double, Text, Code&) { return scalar(); }
  bool on_bool(bool, Code&) { return scalar(); }
  bool on_null(Code&) { return scalar(); }
  bool on_comment_part(Text, Code&) { return true; }
  bool on_comment(Text, Code&) { return true; }

 private:
  struct Frame {
    /// Length of its path.
    std::size_t base = 0;
    bool is_list = false;
    /// Type of an object with known fields.
    const MessageType* message = nullptr;
    /// Field of a map or a list whose elements have a type. Frames without type and field are not looked
    /// into.
    const Field* elements = nullptr;
    std::size_t index = 0;
    std::set<std::string, std::less<>> seen = {};
  };

  void begin_value() {
    if (frames_.empty() || !frames_.back().is_list) return;
    Frame& list = frames_.back();
    expected_ = list.elements;
    within_ = true;
    if (expected_ == nullptr && root_ != nullptr) return;
    path_.resize(list.base);
    path_ += "[" + std::to_string(list.index++) + "]";
  }
  bool scalar() {
    begin_value();
    return true;
  }
  bool end_container() {
    path_.resize(frames_.back().base);
    frames_.pop_back();
    expected_ = nullptr;
    return true;
  }
  void take_key() {
    Frame& object = frames_.back();
    path_.resize(object.base);
    expected_ = nullptr;
    within_ = object.elements != nullptr;
    if (root_ != nullptr && object.message == nullptr && object.elements == nullptr) return;
    if (object.message != nullptr) {
      expected_ = object.message->find(key_);
      const bool type_meta = object.message->has_type_meta() && (key_ == "kind" || key_ == "apiVersion");
      if (expected_ == nullptr && !type_meta) return report("unknown field ");
    } else {
      expected_ = object.elements;
    }
    if (!object.seen.insert(key_).second) report("duplicate field ");
    if (!path_.empty()) path_ += '.';
    path_ += key_;
  }
  void report(std::string_view what) {
    constexpr std::size_t most = 100, most_bytes = std::size_t{1} << 20;
    // Repeated errors count as well: a path may be as long as the document.
    if (errors_.size() >= most || bytes_ >= most_bytes) return;
    bytes_ += path_.size() + key_.size();
    const std::string path = path_.empty() ? key_ : path_ + "." + key_;
    std::string error = std::string(what) + quote(path);
    if (reported_.insert(error).second) errors_.push_back(std::move(error));
  }

  const MessageType* root_;
  std::vector<std::string>& errors_;
  std::set<std::string> reported_;
  /// Bytes of the reported paths.
  std::size_t bytes_ = 0;
  std::vector<Frame> frames_;
  std::string path_, key_;
  /// The type of the next value: of the field as a whole, or of an element of it.
  const Field* expected_ = nullptr;
  bool within_ = false;
};

std::vector<std::string> scan(std::string_view text, const MessageType* type) {
  std::vector<std::string> errors;
  boost::json::parse_options options;
  options.max_depth = 512;
  boost::json::basic_parser<Scanner> parser(options, type, errors);
  boost::json::error_code error;
  parser.write_some(false, text.data(), text.size(), error);
  return errors;
}

}  // namespace

std::vector<std::string> strict_field_errors(std::string_view text, const MessageType& type) {
  return scan(text, &type);
}

std::vector<std::string> duplicate_field_errors(std::string_view text) {
  return scan(text, nullptr);
}

}  // namespace fairway::apiserver::kinds
