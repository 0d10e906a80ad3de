#include "base/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <optional>

#include "base/text.h"

namespace fairway::yaml {

namespace {

constexpr std::size_t max_nodes = 100'000;
constexpr std::size_t max_depth = 64;

Mark to_mark(const yaml_mark_t& mark) {
  return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

bool is_null_text(std::string_view text) {
  return text.empty() || text == "~" || text == "null" || text == "Null" || text == "NULL";
}

std::size_t count_nodes(const Node& node) {
  std::size_t count = 1;
  for (const Node& item : node.items) count += count_nodes(item);
  for (const auto& [key, value] : node.entries) count += count_nodes(key) + count_nodes(value);
  return count;
}

std::string to_string(const yaml_char_t* text) {
  return text == nullptr ? "" : reinterpret_cast<const char*>(text);
}

class Event {
 public:
  Event() = default;
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;
  ~Event() { yaml_event_delete(&event); }
  yaml_event_t event{};
};

// Builds nodes from libyaml's events: they carry positions, and show duplicate keys that a map would swallow.
class TreeBuilder {
 public:
  explicit TreeBuilder(std::string_view text) : text_(text) {
    if (yaml_parser_initialize(&parser_) == 0) throw std::bad_alloc();
    yaml_parser_set_encoding(&parser_, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&parser_, reinterpret_cast<const unsigned char*>(text.data()), text.size());
  }
  TreeBuilder(const TreeBuilder&) = delete;
  TreeBuilder& operator=(const TreeBuilder&) = delete;
  ~TreeBuilder() { yaml_parser_delete(&parser_); }

  std::expected<Parsed, SyntaxError> run() {
    while (!fault_) {
      Event next;
      if (yaml_parser_parse(&parser_, &next.event) == 0) return std::unexpected(syntax_error());
      if (next.event.type == YAML_STREAM_END_EVENT) return std::move(parsed_);
      take(next.event);
    }
    return std::unexpected(*fault_);
  }

 private:
  struct Open {
    Node node;
    std::string anchor;
    std::optional<Node> key;
    std::map<std::string, Mark> seen;
  };

  SyntaxError syntax_error() const {
    std::string message = parser_.problem != nullptr ? parser_.problem : "not YAML";
    if (parser_.context != nullptr) message = std::string(parser_.context) + ": " + message;
    if (parser_.error != YAML_READER_ERROR) return {to_mark(parser_.problem_mark), message};
    // A character that YAML does not allow: libyaml knows its offset, but marks no line.
    const std::string_view before = text_.substr(0, parser_.problem_offset);
    return {{.line = 1 + static_cast<int>(std::ranges::count(before, '\n')), .column = 1}, message};
  }

  void take(const yaml_event_t& event) {
    const Mark mark = to_mark(event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        open_.clear();
        anchors_.clear();
        root_ = Node{.mark = mark};
        break;
      case YAML_DOCUMENT_END_EVENT:
        parsed_.documents.push_back(std::move(root_));
        break;
      case YAML_ALIAS_EVENT:
        expand(to_string(event.data.alias.anchor), mark);
        break;
      case YAML_SCALAR_EVENT: {
        const auto& scalar = event.data.scalar;
        Node node{.kind = Node::Kind::scalar, .mark = mark};
        node.scalar.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
        node.plain = scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nullptr;
        if (node.plain && is_null_text(node.scalar)) node = Node{.mark = mark};
        if (!spend(1, mark)) return;
        if (scalar.anchor != nullptr) anchors_[to_string(scalar.anchor)] = node;
        place(std::move(node));
        break;
      }
      case YAML_SEQUENCE_START_EVENT:
        open(Node{.kind = Node::Kind::sequence, .mark = mark}, to_string(event.data.sequence_start.anchor));
        break;
      case YAML_MAPPING_START_EVENT:
        open(Node{.kind = Node::Kind::mapping, .mark = mark}, to_string(event.data.mapping_start.anchor));
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        close();
        break;
      default:
        break;
    }
  }

  void expand(const std::string& anchor, const Mark& mark) {
    const auto found = anchors_.find(anchor);
    if (found == anchors_.end()) {
      fault_ = {mark, "the alias *" + printable(anchor, 40) + " names no anchor that is complete"};
      return;
    }
    if (!spend(count_nodes(found->second), mark)) return;
    Node copy = found->second;
    copy.mark = mark;
    place(std::move(copy));
  }

  bool spend(std::size_t nodes, const Mark& mark) {
    nodes_ += nodes;
    if (nodes_ > max_nodes) fault_ = {mark, "more than 100000 nodes (are aliases nested?)"};
    return !fault_;
  }

  void open(Node node, std::string anchor) {
    if (open_.size() >= max_depth) fault_ = {node.mark, "nested more than 64 levels deep"};
    if (fault_ || !spend(1, node.mark)) return;
    open_.push_back({.node = std::move(node), .anchor = std::move(anchor)});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    if (!done.anchor.empty()) anchors_[done.anchor] = done.node;
    place(std::move(done.node));
  }

  void place(Node node) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    Open& parent = open_.back();
    if (parent.node.kind == Node::Kind::sequence) {
      parent.node.items.push_back(std::move(node));
    } else if (!parent.key) {
      if (node.is_scalar()) {
        const auto [first, is_new] = parent.seen.emplace(node.scalar, node.mark);
        if (!is_new) parsed_.duplicate_keys.push_back({node.scalar, first->second, node.mark});
      }
      parent.key = std::move(node);
    } else {
      parent.node.entries.push_back({.key = std::move(*parent.key), .value = std::move(node)});
      parent.key.reset();
    }
  }

  yaml_parser_t parser_{};
  std::string_view text_;
  Parsed parsed_;
  Node root_;
  std::vector<Open> open_;
  std::map<std::string, Node> anchors_;
  std::size_t nodes_ = 0;
  std::optional<SyntaxError> fault_;
};

bool is_integer(std::string_view text) {
  if (!text.empty() && (text.front() == '-' || text.front() == '+')) text.remove_prefix(1);
  return !text.empty() && text.find_first_not_of("0123456789") == std::string_view::npos;
}

/// 0o17 and 0x1F, of YAML 1.2's core schema.
std::optional<json::Value> read_based_integer(std::string_view text) {
  const int base = text.starts_with("0o") ? 8 : text.starts_with("0x") ? 16 : 0;
  std::int64_t number = 0;
  if (base == 0 || text.substr(2).starts_with('-')) return std::nullopt;
  const auto read = std::from_chars(text.data() + 2, text.data() + text.size(), number, base);
  if (read.ec != std::errc{} || read.ptr != text.data() + text.size()) return std::nullopt;
  return json::Value(number);
}

json::Value plain_to_json(const std::string& text) {
  if (is_null_text(text)) return nullptr;
  if (text == "true" || text == "True" || text == "TRUE") return true;
  if (text == "false" || text == "False" || text == "FALSE") return false;
  const char* begin = text.data() + (text.front() == '+' ? 1 : 0);
  const char* end = text.data() + text.size();
  if (is_integer(text)) {
    std::int64_t number = 0;
    if (const auto read = std::from_chars(begin, end, number); read.ec == std::errc{} && read.ptr == end)
      return number;
    std::uint64_t large = 0;
    if (const auto read = std::from_chars(begin, end, large); read.ec == std::errc{} && read.ptr == end)
      return large;
    return json::Value(text);  // beyond 64 bits: the text stays exact
  }
  if (auto number = read_based_integer(text)) return *std::move(number);
  const char first = *begin;
  if ((first >= '0' && first <= '9') || first == '-' || first == '.') {
    double number = 0;
    const auto read = std::from_chars(begin, end, number);
    if (read.ec == std::errc{} && read.ptr == end && std::isfinite(number)) return number;
  }
  return json::Value(text);
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name.is_scalar() && name.scalar == key) return &value;
  }
  return nullptr;
}

std::expected<Parsed, SyntaxError> parse(std::string_view text) {
  if (!is_utf8(text)) {
    int line = 1;
    for (std::size_t at = 0; at < text.size();) {
      const std::size_t end = std::min(text.find('\n', at), text.size());
      if (!is_utf8(text.substr(at, end - at))) break;
      at = end + 1;
      ++line;
    }
    return std::unexpected(SyntaxError{{line, 1}, "this line is not UTF-8"});
  }
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  return TreeBuilder(text).run();
}

json::Value to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return nullptr;
    case Node::Kind::scalar:
      return node.plain ? plain_to_json(node.scalar) : json::Value(node.scalar);
    case Node::Kind::sequence: {
      json::Array array;
      array.reserve(node.items.size());
      for (const Node& item : node.items) array.push_back(to_json(item));
      return array;
    }
    case Node::Kind::mapping: {
      json::Object object;
      for (const auto& [key, value] : node.entries) {
        object[key.is_scalar() ? std::string_view(key.scalar) : std::string_view("~")] = to_json(value);
      }
      return object;
    }
  }
  return nullptr;
}

}  // namespace fairway::yaml
