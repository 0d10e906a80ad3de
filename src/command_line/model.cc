// SPDX-License-Identifier: Apache-2.0

#include "command_line/model.h"

#include <string_view>

#include "base/text.h"

namespace fairway::command_line {

std::string full_name(const CLI::App& command) {
  return command.get_parent() ? full_name(*command.get_parent()) + " " + command.get_name()
                              : command.get_name();
}

std::string called_name(const CLI::App& command) {
  if (!command.get_aliases().empty()) return command.get_aliases().front();
  return command.get_parent() ? called_name(*command.get_parent()) + " " + command.get_name()
                              : command.get_name();
}

std::vector<const CLI::App*> subcommands_of(const CLI::App& command) {
  return command.get_subcommands([](const CLI::App*) { return true; });
}

void visit_commands(const CLI::App& command, const std::function<void(const CLI::App&)>& visit) {
  visit(command);
  for (const CLI::App* below : subcommands_of(command)) visit_commands(*below, visit);
}

std::vector<const CLI::Option*> flags_of(const CLI::App& command) {
  return command.get_options(
      [](const CLI::Option* option) { return option->nonpositional() && !option->get_group().empty(); });
}

std::vector<const CLI::Option*> positionals_of(const CLI::App& command) {
  return command.get_options([](const CLI::Option* option) { return option->get_positional(); });
}

std::vector<std::string> spellings(const CLI::Option& option) {
  std::vector<std::string> names;
  for (const std::string& name : option.get_snames()) names.push_back("-" + name);
  for (const std::string& name : option.get_lnames()) names.push_back("--" + name);
  return names;
}

std::string value_name(const CLI::Option& option) {
  return option.get_expected_max() == 0 || option.get_items_expected_max() == 0 ? "" : option.get_type_name();
}

std::vector<std::string> choices(const CLI::Option& option) {
  std::vector<std::string> values;
  const std::string name = value_name(option);
  if (name.find('|') == std::string::npos) return values;
  for (const std::string_view value : split(name, '|')) values.emplace_back(value);
  return values;
}

std::string example_of(const CLI::App& command) {
  constexpr std::string_view mark = "Example: ";
  const std::string footer = command.get_footer();
  const auto at = footer.find(mark);
  return at == std::string::npos ? "" : footer.substr(at + mark.size());
}

}  // namespace fairway::command_line
