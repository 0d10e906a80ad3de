// SPDX-License-Identifier: Apache-2.0

// The budget for reading one set of graph data: whoever can change a file must not be able to stop the
// service.
#pragma once

#include <cstddef>
#include <expected>
#include <map>
#include <string>
#include <string_view>

#include "base/clock.h"
#include "base/limits.h"
#include "base/pattern.h"
#include "base/yaml.h"

namespace fairway::graphdata {

/// A budget shared by the readers of all files of one set of graph data. Content beyond it counts as not
/// understood, so that it blocks whatever it may have meant to block.
class Budget {
 public:
  explicit Budget(Limits limits = {}, const Clock& clock = Clock::system());

  /// Parses as yaml::parse does, as long as the file and all files together hold no more than max_file_nodes
  /// and max_nodes.
  std::expected<yaml::Parsed, yaml::SyntaxError> parse(std::string_view text);
  /// Compiles as Pattern::compile does, each text once (1,653 files share some 70), as long as the expression
  /// and all expressions together are within max_expression_bytes, max_program, max_programs and
  /// max_expressions.
  const Result<Pattern>& compile(const std::string& text);
  /// Returns an Error (`cancelled`, `deadline_exceeded`) once reading is stopped or its time is over.
  Result<void> check() const;

 private:
  Result<Pattern> compile_new(const std::string& text);

  const Limits limits_;
  const Clock& clock_;
  std::size_t nodes_, programs_;
  std::map<std::string, Result<Pattern>, std::less<>> compiled_;
};

}  // namespace fairway::graphdata
