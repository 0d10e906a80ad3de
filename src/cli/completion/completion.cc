// SPDX-License-Identifier: Apache-2.0

#include <chrono>
#include <memory>
#include <string>
#include <vector>

#include "base/clock.h"
#include "base/limits.h"
#include "cli/commands.h"
#include "cli/completion/candidates.h"
#include "cli/completion/names.h"
#include "cli/completion/place.h"
#include "cli/completion/scripts.h"
#include "command_line/terminal.h"

namespace fairway::cli {
namespace {

/// Time for a cluster to say its names: who has pressed Tab waits for it.
constexpr std::chrono::seconds names_limit(5);

int print_candidates(Context& context, const std::vector<std::string>& words) {
  const CompletionPlace place = find_place(*context.root, words);
  Candidates candidates = find_candidates(*context.root, place);
  const auto names =
      ask_names(candidates.names, place.flags, context, Limits::within(Clock::system(), names_limit));
  for (const std::string& name : names) add_candidate(candidates, place, name);
  print(to_text(candidates));
  return exit_ok;
}

}  // namespace

void add_completion(CLI::App& app, Context& context) {
  CLI::App* command = app.add_subcommand("completion", "Print completion of commands and flags for a shell");
  command->require_subcommand(1);
  command->footer("Example: source <(fairway completion bash)");
  for (const CompletionScript& script : completion_scripts()) {
    add_command(*command, context, script.name, script.description, script.example, [&script] {
      print(script.text);
      return exit_ok;
    });
  }
  auto words = std::make_shared<std::vector<std::string>>();
  add_command(*command, context, "candidates",
              "Print the words that may end a command line, as these scripts ask for them",
              "fairway completion candidates -- fairway graph sh",
              [&context, words] { return print_candidates(context, *words); })
      ->add_option("words", *words, "After `--`: the program's name, and the words to the one to complete")
      ->type_name("WORD")
      ->required()
      ->configurable(false);
}

}  // namespace fairway::cli
