// SPDX-License-Identifier: Apache-2.0

// Text templates of generated files.
#pragma once

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace fairway::cli {

/// The values of a template. Those of a list's item come before those around it.
struct TemplateValues {
  std::map<std::string, std::string, std::less<>> texts;
  std::map<std::string, bool, std::less<>> facts;
  std::map<std::string, std::vector<TemplateValues>, std::less<>> lists;
};

/// Returns the text of a template. `%{name}` stands for a text; a line of its own is one of:
///
///     %if FACT      the lines up to %else or %end, if it is true
///     %else         the lines up to %end, if it is not
///     %each LIST    the lines up to %end, once for each item
///     %end
///
/// They may be nested. Errors: `internal`, with the line: a name that has no value, an unknown line, %end
/// that is missing or too much.
Result<std::string> render_template(std::string_view text, const TemplateValues& values);

}  // namespace fairway::cli
