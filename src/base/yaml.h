// SPDX-License-Identifier: Apache-2.0

// YAML with positions: every node has its line and column, and duplicate keys are reported.
#pragma once

#include <cstddef>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace fairway::yaml {

/// The position at which a node begins; both numbers count from 1.
struct Mark {
  int line = 1;
  int column = 1;
};

struct Entry;

struct Node {
  enum class Kind { null, scalar, sequence, mapping };
  Kind kind = Kind::null;
  Mark mark = {};
  /// The text of a scalar, quotes and folding undone.
  std::string scalar = {};
  /// True if it is written without quotes, or with a tag that gives it the type of its text (`!!int "12"`):
  /// `12`, `true` and `~` are typed by the schema.
  bool plain = false;
  std::vector<Node> items = {};
  /// The entries in the order of the file; a duplicate key is here twice.
  std::vector<Entry> entries;

  /// The first value of a key of a mapping; nullptr if absent.
  const Node* find(std::string_view key) const;
  bool is_scalar() const { return kind == Kind::scalar; }
};

/// One entry of a mapping.
struct Entry {
  Node key = {}, value = {};
};

/// A key that a mapping holds more than once.
struct DuplicateKey {
  std::string key = {};
  Mark first = {}, repeated = {};
};

struct Parsed {
  std::vector<Node> documents = {};
  /// Duplicate keys of all documents, in the order of the file.
  std::vector<DuplicateKey> duplicate_keys = {};
  /// Nodes of all documents, keys and the additions of aliases included: a measure of the memory they hold.
  std::size_t nodes = 0;
};

/// A syntax error and its position, which `message` does not contain.
struct SyntaxError {
  Mark mark = {};
  std::string message = {};
};

/// Limits of the caller, beyond those that always hold.
struct ParseLimits {
  std::size_t nodes = std::numeric_limits<std::size_t>::max();
};

/// Reads all documents of a text. Time and memory grow with its size. Errors:
/// - text that is no YAML, or not UTF-8;
/// - aliases that add more than a multiple of the text: more nodes than it has bytes (and more than 100,000),
///   or more bytes of scalars than ten times its size (and more than 1,000,000);
/// - more nodes than `limits` allows;
/// - nesting of more than 64 levels, aliases expanded, and more than 100 %TAG lines;
/// - a plain scalar that is a number out of range: beyond the largest double, or an integer beyond 64 bits;
/// - a tag that its node does not fit, or without a meaning in YAML 1.2's core schema. Those with one are
///   obeyed: !!str and !, !!int, !!float, !!bool, !!null, !!map, !!seq.
std::expected<Parsed, SyntaxError> parse(std::string_view text, const ParseLimits& limits = {});

/// A node of `parse` as JSON by YAML 1.2's core schema: plain null, booleans, integers and finite floats get
/// their types, everything else is a string. The last value of a duplicate key wins.
json::Value to_json(const Node& node);

}  // namespace fairway::yaml
