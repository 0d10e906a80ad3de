// SPDX-License-Identifier: Apache-2.0

// The format of --help.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fairway::command_line {

/// A column of flags, and one of wrapped descriptions with defaults and requirements.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
  /// Names the program in the usage and in the example as it was called.
  std::string make_description(const CLI::App* command) const override;
  std::string make_usage(const CLI::App* command, std::string name) const override;
  std::string make_footer(const CLI::App* command) const override;
};

/// An option's description with its properties: required, repeatable, default.
std::string full_description(const CLI::Option& option);

}  // namespace fairway::command_line
