// SPDX-License-Identifier: Apache-2.0

#include "command_line/settings.h"

#include <algorithm>
#include <cstdlib>
#include <istream>
#include <iterator>
#include <memory>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/text.h"

namespace fairway::command_line {
namespace {

std::string environment_name(std::string_view text) {
  std::string name;
  for (const char c : text)
    name += c == '-' ? '_' : static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
  return name;
}

void name_environment(CLI::App& app, const std::string& prefix) {
  for (CLI::Option* option : app.get_options()) {
    if (option->get_lnames().empty() || !option->get_configurable() || !option->get_envname().empty())
      continue;
    option->envname(prefix + environment_name(option->get_lnames().front()));
  }
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    name_environment(*command, prefix);
}

/// A line of TOML without its comment, which a # begins outside of quotes. In "..." a backslash keeps the
/// character behind it, in '...' it does not. A line whose quotes do not end stays whole.
std::string_view without_comment(std::string_view line) {
  char quote = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0 && c == '#') return line.substr(0, i);
    if (quote == 0 && (c == '"' || c == '\'')) {
      quote = c;
    } else if (quote == '"' && c == '\\') {
      ++i;
    } else if (c == quote) {
      quote = 0;
    }
  }
  return line;
}

/// Returns how many more lists a line without comments opens than it closes, outside of quotes.
int lists_opened(std::string_view line) {
  char quote = 0;
  int open = 0;
  for (std::size_t i = 0; i < line.size(); ++i) {
    const char c = line[i];
    if (quote == 0) {
      open += static_cast<int>(c == '[') - static_cast<int>(c == ']');
      if (c == '"' || c == '\'') quote = c;
    } else if (quote == '"' && c == '\\') {
      ++i;
    } else if (c == quote) {
      quote = 0;
    }
  }
  return open;
}

/// The settings without comments, each list on one line and without a comma behind its last entry: CLI11
/// cannot read other lists if a line ends behind the bracket.
std::string plain_settings(std::string_view text) {
  std::string settings;
  int open = 0;
  for (const std::string_view whole : split(text, '\n')) {
    const std::string_view line = trim(without_comment(whole));
    if (open > 0 && line.starts_with(']')) {
      while (settings.ends_with(' ') || settings.ends_with(',')) settings.pop_back();
    }
    settings += line;
    // The name of a section stands in brackets of its own.
    open = std::max(0, open + lists_opened(line));
    settings += open > 0 ? ' ' : '\n';
  }
  return settings;
}

/// The reader of a settings file. CLI11's own prefers the file to the environment, which has precedence here,
/// and cuts a line at its first #, in quotes or not.
class SettingsFile : public CLI::ConfigTOML {
 public:
  explicit SettingsFile(const CLI::App& app) : app_(app) {
    comment('\0');  // comments are gone by then
  }

  std::vector<CLI::ConfigItem> from_config(std::istream& input) const override {
    const std::string text{std::istreambuf_iterator<char>(input), {}};
    std::istringstream stream(plain_settings(text));
    std::vector<CLI::ConfigItem> items = CLI::ConfigTOML::from_config(stream);
    std::erase_if(items, [this](const CLI::ConfigItem& item) { return is_in_environment(item); });
    return items;
  }

 private:
  bool is_in_environment(const CLI::ConfigItem& item) const {
    const CLI::App* command = &app_;
    for (const std::string& parent : item.parents) {
      const auto found =
          command->get_subcommands([&](const CLI::App* below) { return below->check_name(parent); });
      if (found.empty()) return false;
      command = found.front();
    }
    const CLI::Option* option = command->get_option_no_throw("--" + item.name);
    if (option == nullptr || option->get_envname().empty()) return false;
    const char* value = std::getenv(option->get_envname().c_str());
    return value != nullptr && *value != '\0';
  }

  const CLI::App& app_;
};

}  // namespace

std::string environment_prefix(std::string_view program) {
  return environment_name(program) + "_";
}

void add_settings(CLI::App& app, std::string_view program) {
  const std::string prefix = environment_prefix(program);
  app.set_config("--config", "", "TOML file with settings")->type_name("FILE")->envname(prefix + "CONFIG");
  app.config_formatter(std::make_shared<SettingsFile>(app));
  app.allow_config_extras(false);
  name_environment(app, prefix);
}

}  // namespace fairway::command_line
