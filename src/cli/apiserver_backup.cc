// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <filesystem>
#include <memory>
#include <string>

#include "apiserver/server.h"
#include "cli/apiserver_commands.h"

namespace fairway::cli {

namespace {

struct BackupOptions {
  std::string data, file;
  bool replace = false;
};

int back_up(const BackupOptions& options) {
  if (auto done = apiserver::backup(options.data, options.file); !done) return report(done.error());
  std::error_code ignored;
  const auto bytes = std::filesystem::file_size(options.file, ignored);
  std::printf("wrote %s (%ju bytes), checked\n", options.file.c_str(), static_cast<std::uintmax_t>(bytes));
  return exit_ok;
}

int restore(const BackupOptions& options) {
  const auto kept = apiserver::restore(options.file, options.data, options.replace);
  if (!kept) return report(kept.error());
  std::printf("restored %s\n", options.data.c_str());
  if (!kept->empty()) std::printf("the database that was there is %s\n", kept->c_str());
  return exit_ok;
}

void add_data(CLI::App& command, BackupOptions& options) {
  command.add_option("--data", options.data, "Folder of the database")->type_name("DIR")->required();
}

}  // namespace

void add_apiserver_backup(CLI::App& apiserver, Context& context) {
  auto options = std::make_shared<BackupOptions>();
  CLI::App* command = add_command(
      apiserver, context, "backup", "Copy the database into one file, while the server runs or not",
      "fairway apiserver backup --data /var/lib/fairway backup.db", [options] { return back_up(*options); });
  add_data(*command, *options);
  command->add_option("file", options->file, "File to write; there must be none of its name")
      ->type_name("FILE")
      ->required();
}

void add_apiserver_restore(CLI::App& apiserver, Context& context) {
  auto options = std::make_shared<BackupOptions>();
  CLI::App* command = add_command(apiserver, context, "restore",
                                  "Put a backup in the place of the database of a server that does not run",
                                  "fairway apiserver restore --data /var/lib/fairway backup.db",
                                  [options] { return restore(*options); });
  add_data(*command, *options);
  command->add_flag("--replace", options->replace,
                    "Where there is a database: keep it as apiserver.db.before-restore, and replace it");
  command->add_option("file", options->file, "The backup")->type_name("FILE")->required();
}

}  // namespace fairway::cli
