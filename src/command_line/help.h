// How --help looks.
#pragma once

#include <CLI/CLI.hpp>
#include <string>

namespace fairway::cli {

/// One column of flags, one of folded descriptions; defaults and requirements in words.
class HelpFormatter : public CLI::Formatter {
 public:
  HelpFormatter();
  std::string make_option(const CLI::Option* option, bool is_positional) const override;
  std::string make_subcommand(const CLI::App* command) const override;
};

/// An option's description with what else a reader must know of it: required, repeatable, its default.
std::string full_description(const CLI::Option& option);

}  // namespace fairway::cli
