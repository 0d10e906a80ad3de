// SPDX-License-Identifier: Apache-2.0

#include "graphdata/internal/budget.h"

#include <algorithm>
#include <utility>

#include "graphdata/internal/limits.h"

namespace fairway::graphdata {

Budget::Budget(Limits limits, const Clock& clock)
    : limits_(std::move(limits)), clock_(clock), nodes_(max_nodes), programs_(max_programs) {}

std::expected<yaml::Parsed, yaml::SyntaxError> Budget::parse(std::string_view text) {
  if (nodes_ == 0) {
    return std::unexpected(yaml::SyntaxError{{},
                                             "the files before this one hold " + std::to_string(max_nodes) +
                                                 " values, keys and lists, and no more are read"});
  }
  const std::size_t limit = std::min(nodes_, max_file_nodes);
  auto parsed = yaml::parse(text, {.nodes = limit});
  // A text that is refused has cost something, too: at most as much as it has bytes.
  nodes_ -= std::min(nodes_, parsed ? parsed->nodes : std::min(limit, text.size()));
  return parsed;
}

const Result<Pattern>& Budget::compile(const std::string& text) {
  const auto found = compiled_.find(text);
  return found != compiled_.end() ? found->second : compiled_.emplace(text, compile_new(text)).first->second;
}

Result<Pattern> Budget::compile_new(const std::string& text) {
  if (text.size() > max_expression_bytes) {
    return fail(ErrorCode::too_large,
                "the expression is longer than " + std::to_string(max_expression_bytes) + " bytes");
  }
  if (programs_ == 0 || compiled_.size() >= max_expressions) {
    return fail(ErrorCode::too_large,
                "there are too many or too large regular expressions before this one: the limits are " +
                    std::to_string(max_expressions) + " different ones, and " + std::to_string(max_programs) +
                    " steps of program for all");
  }
  auto pattern = Pattern::compile(text);
  const std::size_t cost = pattern ? pattern->program_size() : max_program;
  // An expression with a syntax error costs as much as its text.
  const bool costly = !pattern && pattern.error().code == ErrorCode::too_large;
  programs_ -= std::min(programs_, pattern || costly ? cost : text.size());
  if (pattern && cost > max_program) {
    return fail(ErrorCode::too_large, "the expression compiles to " + std::to_string(cost) +
                                          " steps; the limit is " + std::to_string(max_program));
  }
  return pattern;
}

Result<void> Budget::check() const {
  if (limits_.stop.stop_requested()) return fail(ErrorCode::cancelled, "loading graph data: stopped");
  if (limits_.expired(clock_)) return fail(ErrorCode::deadline_exceeded, "loading graph data takes too long");
  return {};
}

}  // namespace fairway::graphdata
