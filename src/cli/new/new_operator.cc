// SPDX-License-Identifier: Apache-2.0

#include "cli/new/new_operator.h"

#include <algorithm>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "base/shell_word.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/new/operator_files.h"
#include "cli/new/project_names.h"
#include "cli/new_folder.h"
#include "command_line/terminal.h"

namespace fairway::cli {

namespace {

struct NewOperatorOptions {
  ProjectRequest project;
  std::string versions, folder;
  bool dry_run = false;
};

std::string list_files(const std::vector<ProjectFile>& files) {
  std::string text;
  for (const ProjectFile& file : files) {
    const auto lines = std::ranges::count(file.text, '\n');
    text += "  " + file.path + " (" + count(static_cast<std::size_t>(lines), "line") + ")\n";
  }
  return text;
}

/// Returns a word as a shell reads it.
std::string quote_for_shell(const std::string& word) {
  const bool plain = !word.empty() && word.find_first_not_of(
                                          "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
                                          "/._-+,:@") == std::string::npos;
  return plain ? word : shell_word(word);
}

std::string next_commands(const std::string& name, const std::string& folder) {
  return "Next:\n"
         "  cd " +
         quote_for_shell(folder) +
         "\n"
         "  cmake -S . -B build -G Ninja && cmake --build build\n"
         "  ctest --test-dir build --output-on-failure\n"
         "  fairway apiserver --memory --kubeconfig kubeconfig -- build/" +
         name +
         " --namespace default \\\n"
         "    --listen 127.0.0.1:9443 --webhook-url https://127.0.0.1:9443\n"
         "README.md says more.\n";
}

int make_operator(const NewOperatorOptions& options) {
  ProjectRequest request = options.project;
  for (const std::string_view version : split(options.versions, ',')) request.versions.emplace_back(version);
  const auto names = check_names(request);
  if (!names) {
    for (const Error& error : names.error()) report(error);
    return exit_usage;
  }
  const std::string folder = options.folder.empty() ? names->name : options.folder;
  const auto files = operator_files(*names);
  if (!files) return report(files.error());
  if (options.dry_run) {
    if (auto checked = check_new_folder(folder, "project"); !checked) return report(checked.error());
    print(count(files->size(), "file") + " would be written to " + printable(folder, std::string::npos) +
          ":\n" + list_files(*files));
    return exit_ok;
  }
  if (auto written = write_new_folder(folder, "project", *files); !written) return report(written.error());
  print(count(files->size(), "file") + " written to " + printable(folder, std::string::npos) + ":\n" +
        list_files(*files) + "\n" + next_commands(names->name, folder));
  return exit_ok;
}

}  // namespace

void add_new_operator(CLI::App& parent, Context& context) {
  auto options = std::make_shared<NewOperatorOptions>();
  CLI::App* command = add_command(
      parent, context, "operator", "Write the project of an operator: it builds, tests and runs as it is",
      "fairway new operator queues --group queues.example.com --kind Queue --versions v1alpha1,v1",
      [options] { return make_operator(*options); });
  command->add_option("NAME", options->project.name, "Name of the program, its Deployment and its Service")
      ->type_name("")
      ->required();
  command->add_option("--group", options->project.group, "API group of the kind, as queues.example.com")
      ->type_name("GROUP")
      ->required();
  command->add_option("--kind", options->project.kind, "The kind, as Queue")->type_name("KIND")->required();
  command
      ->add_option("--versions", options->versions,
                   "Its versions with commas between them, the oldest first; the last one is stored")
      ->type_name("VERSIONS")
      ->required();
  command
      ->add_option(
          "--plural", options->project.plural,
          "Plural of the kind in lower case; without it by the rules of English: queues, boxes, policies")
      ->type_name("PLURAL");
  command
      ->add_option("--dir", options->folder,
                   "Folder to write to, a new or an empty one; without it the folder NAME")
      ->type_name("DIR");
  command->add_flag("--dry-run", options->dry_run, "List the files, and write nothing");
}

}  // namespace fairway::cli
