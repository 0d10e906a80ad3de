// SPDX-License-Identifier: Apache-2.0

#include "base/yaml.h"

#include <yaml.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>

#include "base/internal/yaml_scalar.h"
#include "base/text.h"

namespace fairway::yaml {

namespace {

constexpr std::size_t max_depth = 64;
/// Nodes and bytes that aliases may always add, however small the text is.
constexpr std::size_t min_alias_nodes = 100'000, min_alias_bytes = 1'000'000;
/// Nodes and bytes that aliases may add for each byte of the text.
constexpr std::size_t alias_nodes_per_byte = 1, alias_bytes_per_byte = 10;

/// Limit on %TAG lines: libyaml compares each with all before it.
constexpr std::size_t max_tag_lines = 100;

Mark to_mark(const yaml_mark_t& mark) {
  return {static_cast<int>(mark.line) + 1, static_cast<int>(mark.column) + 1};
}

int line_at(std::string_view text, std::size_t offset) {
  return 1 + static_cast<int>(std::ranges::count(text.substr(0, offset), '\n'));
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

/// The size of a node with all nodes below it.
struct Weight {
  std::size_t nodes = 1, bytes = 0;
  /// Levels of lists and mappings.
  std::size_t height = 0;
};

/// The place of a node in its document. Nodes move while a document is built, their places do not.
struct Place {
  /// The list or mapping that holds it: the index of its own place in `TreeBuilder::containers_`.
  std::uint32_t container = 0;
  /// Index of the item or entry.
  std::uint32_t index = 0;
  bool is_key = false;
};

/// Builds nodes from libyaml's events: they carry positions, and show duplicate keys that a map would
/// swallow.
class TreeBuilder {
 public:
  TreeBuilder(std::string_view text, const ParseLimits& limits)
      : text_(text),
        limits_(limits),
        max_alias_nodes_(std::max(min_alias_nodes, alias_nodes_per_byte * text.size())),
        max_alias_bytes_(std::max(min_alias_bytes, alias_bytes_per_byte * text.size())) {
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
  /// A list or mapping that is not complete.
  struct Open {
    Node node;
    std::uint32_t id = 0;
    std::string anchor;
    std::optional<Node> key;
    std::map<std::string, Mark> seen;
    Weight weight;
  };
  struct Anchored {
    Place place;
    Weight weight;
  };

  SyntaxError syntax_error() const {
    std::string message = parser_.problem != nullptr ? parser_.problem : "not YAML";
    if (parser_.context != nullptr) message = std::string(parser_.context) + ": " + message;
    if (parser_.error != YAML_READER_ERROR) return {to_mark(parser_.problem_mark), message};
    // A character that YAML does not allow: libyaml knows its offset, but marks no line.
    return {{.line = line_at(text_, parser_.problem_offset), .column = 1}, message};
  }

  void take(const yaml_event_t& event) {
    const Mark mark = to_mark(event.start_mark);
    switch (event.type) {
      case YAML_DOCUMENT_START_EVENT:
        open_.clear();
        anchors_.clear();
        containers_.clear();
        root_ = Node{.mark = mark};
        break;
      case YAML_DOCUMENT_END_EVENT:
        parsed_.documents.push_back(std::move(root_));
        break;
      case YAML_ALIAS_EVENT:
        expand(to_string(event.data.alias.anchor), mark);
        break;
      case YAML_SCALAR_EVENT:
        take_scalar(event, mark);
        break;
      case YAML_SEQUENCE_START_EVENT:
        open(Node{.kind = Node::Kind::sequence, .mark = mark}, event.data.sequence_start.tag,
             to_string(event.data.sequence_start.anchor));
        break;
      case YAML_MAPPING_START_EVENT:
        open(Node{.kind = Node::Kind::mapping, .mark = mark}, event.data.mapping_start.tag,
             to_string(event.data.mapping_start.anchor));
        break;
      case YAML_SEQUENCE_END_EVENT:
      case YAML_MAPPING_END_EVENT:
        close();
        break;
      default:
        break;
    }
  }

  void take_scalar(const yaml_event_t& event, const Mark& mark) {
    const auto& scalar = event.data.scalar;
    Node node{.kind = Node::Kind::scalar, .mark = mark};
    node.scalar.assign(reinterpret_cast<const char*>(scalar.value), scalar.length);
    node.plain = scalar.style == YAML_PLAIN_SCALAR_STYLE && scalar.tag == nullptr;
    if (!obey(scalar.tag, node)) return;
    if (node.plain && is_null_text(node.scalar)) node = Node{.mark = mark};
    if (node.plain) {
      if (auto read = read_plain(node.scalar); !read) {
        fault_ = {mark, std::move(read.error())};
        return;
      }
    }
    const Weight weight{.bytes = node.scalar.size()};
    if (!count(1, mark)) return;
    place(std::move(node), weight, to_string(scalar.anchor));
  }

  /// Returns whether so many more nodes are within the caller's limit.
  bool count(std::size_t nodes, const Mark& mark) {
    parsed_.nodes += nodes;
    if (parsed_.nodes <= limits_.nodes) return true;
    fault_ = {mark, "more than " + std::to_string(limits_.nodes) + " values, keys and lists"};
    return false;
  }

  bool obey(const yaml_char_t* tag, Node& node) {
    if (tag == nullptr) return true;
    if (auto applied = apply_tag(node, to_string(tag)); !applied)
      fault_ = {node.mark, std::move(applied.error())};
    return !fault_;
  }

  void expand(const std::string& anchor, const Mark& mark) {
    const auto found = anchors_.find(anchor);
    const std::string alias = "the alias *" + printable(anchor, 40);
    if (found == anchors_.end()) {
      fault_ = {mark, alias + " names no anchor that is complete"};
      return;
    }
    const auto [place_of_anchor, weight] = found->second;
    alias_nodes_ += weight.nodes;
    alias_bytes_ += weight.bytes;
    if (open_.size() + weight.height > max_depth) {
      fault_ = {mark,
                "with " + alias + " this is nested more than " + std::to_string(max_depth) + " levels deep"};
    } else if (alias_nodes_ > max_alias_nodes_) {
      fault_ = {mark, with_alias(alias, alias_nodes_, "nodes", max_alias_nodes_)};
    } else if (alias_bytes_ > max_alias_bytes_) {
      fault_ = {mark, with_alias(alias, alias_bytes_, "bytes", max_alias_bytes_)};
    }
    if (fault_ || !count(weight.nodes, mark)) return;
    Node copy = at(place_of_anchor);
    copy.mark = mark;
    place(std::move(copy), weight, "");
  }

  std::string with_alias(const std::string& alias, std::size_t added, const std::string& what,
                         std::size_t limit) const {
    return "with " + alias + " aliases add " + std::to_string(added) + " " + what + "; the limit is " +
           std::to_string(limit) + " " + what + " for a text of " + std::to_string(text_.size()) +
           " bytes (are aliases nested?)";
  }

  void open(Node node, const yaml_char_t* tag, std::string anchor) {
    if (!obey(tag, node) || !count(1, node.mark)) return;
    if (open_.size() >= max_depth) {
      fault_ = {node.mark, "nested more than " + std::to_string(max_depth) + " levels deep"};
      return;
    }
    const auto id = static_cast<std::uint32_t>(containers_.size());
    containers_.push_back(open_.empty() ? Place{} : next_place());
    open_.push_back({.node = std::move(node), .id = id, .anchor = std::move(anchor)});
  }

  void close() {
    Open done = std::move(open_.back());
    open_.pop_back();
    ++done.weight.height;
    place(std::move(done.node), done.weight, done.anchor);
  }

  /// Returns the place of the next node in the innermost list or mapping.
  Place next_place() const {
    const auto& [node, id, anchor, key, seen, weight] = open_.back();
    if (node.kind == Node::Kind::sequence) return {id, static_cast<std::uint32_t>(node.items.size()), false};
    return {id, static_cast<std::uint32_t>(node.entries.size()), !key.has_value()};
  }

  void place(Node node, const Weight& weight, const std::string& anchor) {
    if (open_.empty()) {
      root_ = std::move(node);
      return;
    }
    if (!anchor.empty()) anchors_[anchor] = {next_place(), weight};
    Open& parent = open_.back();
    parent.weight.nodes += weight.nodes;
    parent.weight.bytes += weight.bytes;
    parent.weight.height = std::max(parent.weight.height, weight.height);
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

  /// The complete node at a place of this document.
  const Node& at(const Place& place) const {
    std::vector<Place> path{place};  // the outermost one last
    while (path.back().container != 0) path.push_back(containers_[path.back().container]);
    std::size_t level = 0;  // as many lists and mappings on the path, below the outermost one, are open
    const Node* node = &open_.front().node;
    for (; !path.empty(); path.pop_back()) {
      const auto& [container, index, is_key] = path.back();
      if (path.size() > 1 && level + 1 < open_.size() &&
          open_[level + 1].id == path[path.size() - 2].container) {
        node = &open_[++level].node;
      } else if (node->kind == Node::Kind::sequence) {
        node = &node->items[index];
      } else if (index < node->entries.size()) {
        node = is_key ? &node->entries[index].key : &node->entries[index].value;
      } else {
        node = &*open_[level].key;  // its value is not there yet
      }
    }
    return *node;
  }

  yaml_parser_t parser_{};
  std::string_view text_;
  const ParseLimits limits_;
  Parsed parsed_;
  Node root_;
  std::vector<Open> open_;
  /// Places of the lists and mappings of the document, the outermost first; by their ids.
  std::vector<Place> containers_;
  std::map<std::string, Anchored> anchors_;
  const std::size_t max_alias_nodes_, max_alias_bytes_;
  std::size_t alias_nodes_ = 0, alias_bytes_ = 0;
  std::optional<SyntaxError> fault_;
};

/// Returns an error at the first %TAG line beyond the limit.
std::optional<SyntaxError> check_tag_lines(std::string_view text) {
  constexpr std::string_view directive = "%TAG";
  std::size_t lines = 0;
  for (std::size_t at = text.find(directive); at != std::string_view::npos;
       at = text.find(directive, at + directive.size())) {
    if (at > 0 && text[at - 1] != '\n' && text[at - 1] != '\r') continue;
    if (++lines > max_tag_lines) {
      return SyntaxError{{.line = line_at(text, at)},
                         "more than " + std::to_string(max_tag_lines) + " %TAG lines"};
    }
  }
  return std::nullopt;
}

}  // namespace

const Node* Node::find(std::string_view key) const {
  for (const auto& [name, value] : entries) {
    if (name.is_scalar() && name.scalar == key) return &value;
  }
  return nullptr;
}

std::expected<Parsed, SyntaxError> parse(std::string_view text, const ParseLimits& limits) {
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
  if (auto error = check_tag_lines(text)) return std::unexpected(*std::move(error));
  return TreeBuilder(text, limits).run();
}

json::Value to_json(const Node& node) {
  switch (node.kind) {
    case Node::Kind::null:
      return nullptr;
    case Node::Kind::scalar:
      return node.plain ? read_plain(node.scalar).value_or(json::Value(node.scalar))
                        : json::Value(node.scalar);
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
