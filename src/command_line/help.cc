// SPDX-License-Identifier: Apache-2.0

#include "command_line/help.h"

#include "base/text.h"
#include "command_line/model.h"
#include "command_line/terminal.h"

namespace fairway::command_line {

namespace {

constexpr std::size_t wide_column = 34, narrow_column = 8;
/// Columns of a terminal from which on descriptions stand beside what they describe.
constexpr std::size_t wide = 72;

/// `left` in the first column, `right` folded in the second; on lines of its own if `left` is too long, or
/// the terminal is narrow.
std::string two_columns(const std::string& left, const std::string& right) {
  const std::size_t column = text_width() >= wide ? wide_column : narrow_column;
  std::string out = "  " + left;
  std::string folded = paragraph(right, column);
  if (folded.empty()) folded = "\n";
  if (out.size() + 2 > column) return out + "\n" + folded;
  return out +
         (folded.size() > column ? std::string(column - out.size(), ' ') + folded.substr(column) : folded);
}

}  // namespace

HelpFormatter::HelpFormatter() {
  column_width(wide_column);
}

std::string full_description(const CLI::Option& option) {
  std::string text = option.get_description();
  if (option.get_required()) text += " (required)";
  // Of an option whose value may be left out, it is the value that is meant then.
  const bool is_optional = option.get_type_name().starts_with('[');
  if (!is_optional && !option.get_default_str().empty())
    text += " (default: " + option.get_default_str() + ")";
  return text;
}

std::string HelpFormatter::make_option(const CLI::Option* option, bool is_positional) const {
  if (is_positional) return two_columns(option->get_name(true), full_description(*option));
  const std::string value = value_name(*option);
  return two_columns(join(spellings(*option), ", ") + (value.empty() ? "" : " " + value),
                     full_description(*option));
}

std::string HelpFormatter::make_subcommand(const CLI::App* command) const {
  return two_columns(command->get_name(), command->get_description());
}

std::string HelpFormatter::make_description(const CLI::App* command) const {
  return paragraph(CLI::Formatter::make_description(command), 0);
}

std::string HelpFormatter::make_usage(const CLI::App* command, std::string) const {
  return CLI::Formatter::make_usage(command, called_name(*command));
}

std::string HelpFormatter::make_footer(const CLI::App* command) const {
  std::string text = CLI::Formatter::make_footer(command);
  const std::string mark = "Example: ", name = full_name(*command);
  const auto at = text.find(mark + name);
  if (at != std::string::npos) text.replace(at + mark.size(), name.size(), called_name(*command));
  return text;
}

}  // namespace fairway::command_line
