// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <string>
#include <string_view>

#include "base/redact.h"
#include "base/shell_word.h"
#include "cli/adm/cluster.h"
#include "command_line/model.h"

namespace fairway::cli {
namespace {

const CLI::App& upgrade_of(const CLI::App& command) {
  const CLI::App* upgrade = &command;
  while (upgrade->get_name() != "upgrade" && upgrade->get_parent() != nullptr)
    upgrade = upgrade->get_parent();
  return *upgrade;
}

const CLI::App& root_of(const CLI::App& command) {
  const CLI::App* root = &command;
  while (root->get_parent() != nullptr) root = root->get_parent();
  return *root;
}

/// Returns a text as one word of a shell, in quotes only where it needs them.
std::string word_of(const std::string& text) {
  constexpr std::string_view plain =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:@+=,-";
  return text.find_first_not_of(plain) == text.npos ? text : shell_word(text);
}

}  // namespace

adm::Caller caller_of(const CLI::App& command) {
  const std::string name = command_line::called_name(upgrade_of(command));
  return {.upgrade = name,
          .client = name.starts_with("oc ") ? "oc" : "kubectl",
          .program = command_line::called_name(root_of(command))};
}

adm::Caller caller_of(const CLI::App& command, const ClusterFlags& flags) {
  adm::Caller caller = caller_of(command);
  const auto add = [&](const char* flag, const std::string& value) {
    // One word, so that a value that begins with `-` is no flag.
    if (!value.empty()) caller.cluster += " --" + std::string(flag) + "=" + word_of(value);
  };
  add("kubeconfig", flags.overrides.file);
  add("context", flags.overrides.context);
  add("server", redact_urls(flags.overrides.server));
  // No other command has --server.
  if (!flags.overrides.server.empty()) caller.program.clear();
  return caller;
}

}  // namespace fairway::cli
