// SPDX-License-Identifier: Apache-2.0

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <system_error>
#include <vector>

#include "base/nearest.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/man/date.h"
#include "cli/man/pages.h"
#include "command_line/terminal.h"

namespace fairway::cli {
namespace {

struct ManualOptions {
  std::string topic, folder;
  bool all = false;
};

/// Writes a file that everybody may read, unlike write_file_atomically.
Result<void> write_page(const std::filesystem::path& file, const std::string& text) {
  std::ofstream out(file, std::ios::binary | std::ios::trunc);
  out << text;
  out.close();
  if (out) return {};
  return fail(ErrorCode::unavailable, "writing " + file.string() + ": " + std::strerror(errno) +
                                          "; name a folder with --dir that you may write to");
}

int write_pages(const std::vector<ManualPage>& pages, const std::filesystem::path& folder) {
  std::error_code fault;
  std::filesystem::create_directories(folder, fault);
  if (fault) {
    return report({ErrorCode::unavailable, "making the folder " + folder.string() +
                                               " for the manual: " + fault.message() +
                                               "; name one with --dir that you may write to"});
  }
  for (const ManualPage& page : pages) {
    if (const auto written = write_page(folder / (page.name + ".1"), page.text); !written)
      return report(written.error());
  }
  return exit_ok;
}

int print_page(const std::vector<ManualPage>& pages, const std::string& topic) {
  const auto page = std::ranges::find(pages, topic, &ManualPage::topic);
  if (page != pages.end()) {
    print(page->text);
    return exit_ok;
  }
  std::vector<std::string> topics;
  for (const ManualPage& one : pages)
    if (!one.topic.empty()) topics.push_back(one.topic);
  const std::string near = nearest(topic, topics);
  return report({ErrorCode::invalid, "printing the manual page of '" + topic + "': there is none; " +
                                         (near.empty() ? "there are pages of " + join(topics, ", ")
                                                       : "did you mean fairway man " + near + "?")},
                exit_usage);
}

int man(const CLI::App& root, const ManualOptions& options) {
  const auto date = page_date(std::getenv("SOURCE_DATE_EPOCH"));
  if (!date) return report(date.error(), exit_usage);
  if (options.all == options.folder.empty()) {
    return report({ErrorCode::invalid,
                   "writing the manual: --all needs --dir, and --dir needs --all; for example "
                   "fairway man --all --dir man1"},
                  exit_usage);
  }
  const auto pages = manual_pages(root, *date);
  if (!options.all) return print_page(pages, options.topic);
  if (!options.topic.empty()) {
    return report({ErrorCode::invalid, "writing the manual: --all writes all pages; leave out '" +
                                           options.topic + "', or print it without --all"},
                  exit_usage);
  }
  return write_pages(pages, options.folder);
}

}  // namespace

void add_man(CLI::App& app, Context& context) {
  auto options = std::make_shared<ManualOptions>();
  CLI::App* command = add_command(app, context, "man", "Print a page of the manual, or write all pages",
                                  "fairway man adm >fairway-adm.1 && man ./fairway-adm.1",
                                  [&context, options] { return man(*context.root, *options); });
  command
      ->add_option("topic", options->topic,
                   "A command of fairway, or kubectl-fairway; without it, the page about all commands")
      ->type_name("PAGE")
      ->configurable(false);
  command
      ->add_flag("--all", options->all, "Write all pages, each to a file of its name, such as fairway-adm.1")
      ->configurable(false);
  command->add_option("--dir", options->folder, "Folder for --all; created if it is missing")
      ->type_name("DIR")
      ->configurable(false);
}

}  // namespace fairway::cli
