// SPDX-License-Identifier: Apache-2.0

// Reads the text of a JSONPath.
#include <charconv>
#include <utility>

#include "apiserver/internal/table/json_path_node.h"

namespace fairway::apiserver::table {

namespace {

/// Depth of nested filters; no column needs more.
constexpr int max_depth = 16;
constexpr std::size_t max_size = 16 * 1024;

using Node = JsonPath::Node;
using Nodes = std::vector<std::unique_ptr<const Node>>;

bool ends_name(char c) {
  constexpr std::string_view ends = " \t\r\n.[],{}()<>=!?@$'\"";
  return ends.find(c) != std::string_view::npos;
}

class Parser {
 public:
  explicit Parser(std::string text) : text_(std::move(text)) {}

  Result<Nodes> parse() {
    auto nodes = parse_path(0);
    if (!nodes) return nodes;
    skip_blanks();
    if (at_ < text_.size()) return error("unexpected " + std::string(1, text_[at_]));
    return nodes;
  }

 private:
  std::unexpected<Error> error(const std::string& why) const {
    return fail(ErrorCode::invalid, "column " + std::to_string(at_ + 1) + ": " + why);
  }
  bool next_is(std::string_view expected) const {
    return std::string_view(text_).substr(at_).starts_with(expected);
  }
  bool take(std::string_view expected) {
    if (!next_is(expected)) return false;
    at_ += expected.size();
    return true;
  }
  void skip_blanks() {
    while (at_ < text_.size() && (text_[at_] == ' ' || text_[at_] == '\t')) ++at_;
  }

  /// Parses a path ("$.a[0]" or ".a"), up to the first character that is no part of it.
  Result<Nodes> parse_path(int depth) {
    if (depth > max_depth) return error("filters nest too deeply");
    Nodes nodes;
    skip_blanks();
    if (next_is("$") || next_is("@")) ++at_;
    while (at_ < text_.size()) {
      if (take("..")) {
        nodes.push_back(std::make_unique<Node>(Node{.kind = Node::Kind::recursive}));
        if (next_is("[")) continue;
        if (auto added = add_name(nodes); !added) return fail(std::move(added.error()));
      } else if (take(".")) {
        if (at_ == text_.size()) {
          // As in client-go, a dot at the end asks for a member without a name.
          nodes.push_back(std::make_unique<Node>(Node{.kind = Node::Kind::field}));
          break;
        }
        if (next_is("[")) continue;
        if (auto added = add_name(nodes); !added) return fail(std::move(added.error()));
      } else if (next_is("[")) {
        if (auto added = add_bracket(nodes, depth); !added) return fail(std::move(added.error()));
      } else if (!ends_name(text_[at_]) && nodes.empty()) {
        if (auto added = add_name(nodes); !added) return fail(std::move(added.error()));
      } else {
        break;
      }
    }
    return nodes;
  }

  Result<void> add_name(Nodes& nodes) {
    std::string name;
    while (at_ < text_.size()) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) {
        name += text_[at_ + 1];
        at_ += 2;
      } else if (ends_name(text_[at_])) {
        break;
      } else {
        name += text_[at_++];
      }
    }
    if (name.empty()) return error("a name is missing");
    if (name == "*") {
      nodes.push_back(std::make_unique<Node>(Node{.kind = Node::Kind::wildcard}));
    } else {
      nodes.push_back(std::make_unique<Node>(Node{.kind = Node::Kind::field, .name = std::move(name)}));
    }
    return {};
  }

  Result<void> add_bracket(Nodes& nodes, int depth) {
    ++at_;
    skip_blanks();
    if (take("?(")) return add_filter(nodes, depth);
    auto node = std::make_unique<Node>(Node{.kind = Node::Kind::selection});
    while (true) {
      auto part = parse_part();
      if (!part) return fail(std::move(part.error()));
      node->parts.push_back(std::move(*part));
      skip_blanks();
      if (take("]")) break;
      if (!take(",")) return error(at_ == text_.size() ? "unterminated array" : "expected , or ]");
    }
    nodes.push_back(std::move(node));
    return {};
  }

  /// Parses a part of a selection: "*", "'name'", "3", "1:-1:2".
  Result<Node::Part> parse_part() {
    skip_blanks();
    Node::Part part;
    if (take("*")) {
      part.kind = Node::Part::Kind::all;
      return part;
    }
    if (next_is("'")) {
      auto name = parse_quoted();
      if (!name) return fail(std::move(name.error()));
      // As in client-go, a quoted name is a path of its own: a dot in it needs a backslash.
      auto path = Parser("." + *name).parse();
      if (!path) return fail(std::move(path.error()));
      part.kind = Node::Part::Kind::path;
      part.path = std::move(*path);
      return part;
    }
    if (next_is("]")) return part;  // "[]" is "[*]"
    const auto number = [&](std::optional<std::int64_t>& value) -> bool {
      skip_blanks();
      std::int64_t read = 0;
      const char* begin = text_.data() + at_;
      const auto [end, wrong] = std::from_chars(begin, text_.data() + text_.size(), read);
      if (wrong == std::errc::result_out_of_range) return false;
      if (wrong == std::errc()) {
        value = read;
        at_ += static_cast<std::size_t>(end - begin);
      }
      skip_blanks();
      return true;
    };
    if (!number(part.begin)) return error("the index is out of range");
    if (!next_is(":")) {
      if (!part.begin) return error("invalid array index");
      part.kind = Node::Part::Kind::index;
      return part;
    }
    part.kind = Node::Part::Kind::slice;
    ++at_;
    if (!number(part.end)) return error("the index is out of range");
    if (take(":") && !number(part.step)) return error("the step is out of range");
    return part;
  }

  /// Parses a quoted text. Backslashes stay: a name is read as a path, and compared texts seldom have one.
  Result<std::string> parse_quoted() {
    const char quote = text_[at_++];
    std::string text;
    while (at_ < text_.size() && text_[at_] != quote) {
      if (text_[at_] == '\\' && at_ + 1 < text_.size()) text += text_[at_++];
      text += text_[at_++];
    }
    if (at_ == text_.size()) return error("unterminated quoted string");
    ++at_;
    return text;
  }

  /// Parses a filter: "@.a==\"b\")]", or "@.a)]" for an existing member.
  Result<void> add_filter(Nodes& nodes, int depth) {
    auto node = std::make_unique<Node>(Node{.kind = Node::Kind::filter});
    auto left = parse_operand(depth);
    if (!left) return fail(std::move(left.error()));
    node->left = std::move(*left);
    skip_blanks();
    using Op = Node::Operator;
    constexpr std::pair<std::string_view, Op> operators[] = {
        {"==", Op::equal},         {"!=", Op::not_equal}, {"<=", Op::less_equal},
        {">=", Op::greater_equal}, {"<", Op::less},       {">", Op::greater}};
    node->op = Op::exists;
    for (const auto& [text, op] : operators) {
      if (!take(text)) continue;
      node->op = op;
      auto right = parse_operand(depth);
      if (!right) return fail(std::move(right.error()));
      node->right = std::move(*right);
      break;
    }
    skip_blanks();
    if (!take(")") || !take("]")) return error("unterminated filter");
    nodes.push_back(std::move(node));
    return {};
  }

  Result<Node::Operand> parse_operand(int depth) {
    skip_blanks();
    Node::Operand operand;
    if (next_is("'") || next_is("\"")) {
      auto text = parse_quoted();
      if (!text) return fail(std::move(text.error()));
      operand.literal = json::Value(*text);
      return operand;
    }
    if (at_ < text_.size() && (text_[at_] == '-' || (text_[at_] >= '0' && text_[at_] <= '9'))) {
      const std::size_t end = text_.find_first_not_of("-+.eE0123456789", at_);
      const std::string number = text_.substr(at_, end == std::string::npos ? end : end - at_);
      const auto read = json::parse(number);
      if (!read) return error("it is no number");
      at_ += number.size();
      operand.literal = *read;
      return operand;
    }
    for (const auto& [text, value] : {std::pair("true", true), std::pair("false", false)}) {
      if (!take(text)) continue;
      operand.literal = json::Value(value);
      return operand;
    }
    auto path = parse_path(depth + 1);
    if (!path) return fail(std::move(path.error()));
    operand.path = std::move(*path);
    return operand;
  }

  const std::string text_;
  std::size_t at_ = 0;
};

}  // namespace

JsonPath::JsonPath(Nodes nodes) : nodes_(std::move(nodes)) {}
JsonPath::~JsonPath() = default;
JsonPath::JsonPath(JsonPath&&) noexcept = default;
JsonPath& JsonPath::operator=(JsonPath&&) noexcept = default;

Result<JsonPath> JsonPath::parse(std::string_view text) {
  const std::string doing = "reading the JSONPath " + std::string(text.substr(0, 200));
  if (text.size() > max_size) return fail(ErrorCode::too_large, doing + ": it is longer than 16 KiB");
  auto nodes = Parser(std::string(text)).parse();
  if (!nodes) return fail(nodes.error().within(doing));
  return JsonPath(std::move(*nodes));
}

}  // namespace fairway::apiserver::table
