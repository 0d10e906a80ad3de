// SPDX-License-Identifier: Apache-2.0

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>

#include "cli/envtest/commands.h"
#include "envtest/assets.h"

namespace fairway::cli {
namespace {

/// Returns the absolute path of this program.
Result<std::filesystem::path> own_path() {
  std::error_code error;
  auto path = std::filesystem::read_symlink("/proc/self/exe", error);
  if (!error && std::filesystem::exists(path, error)) return path;
  return fail(
      ErrorCode::unavailable,
      "finding the path of this program in /proc/self/exe: it is not there any more; run it from where "
      "it is installed");
}

/// Returns the path of a folder without links and `..`, as the system takes them.
Result<std::filesystem::path> resolved(const std::filesystem::path& folder) {
  std::error_code error;
  auto path = std::filesystem::weakly_canonical(folder, error);
  if (error) {
    return fail(ErrorCode::unavailable, "looking for the folder " + folder.string() + ": " + error.message());
  }
  // "a/" is a.
  return path.has_filename() ? path : path.parent_path();
}

Result<std::filesystem::path> make(const std::string& given_folder) {
  const auto program = own_path();
  if (!program) return fail(program.error());
  auto wanted = given_folder.empty() ? envtest::usual_assets_folder(*program)
                                     : Result<std::filesystem::path>(std::filesystem::absolute(given_folder));
  if (!wanted) return wanted;
  auto folder = resolved(*wanted);
  if (!folder) return folder;
  const char* search_path = std::getenv("PATH");
  auto made = envtest::make_assets(*folder, *program, search_path != nullptr ? search_path : "");
  return made ? folder : fail(made.error());
}

int run(const std::string& given_folder) {
  const auto folder = make(given_folder);
  if (!folder) return report(folder.error());
  std::printf("%s\n", folder->c_str());
  return exit_ok;
}

}  // namespace

void add_envtest(CLI::App& app, Context& context) {
  auto folder = std::make_shared<std::string>();
  CLI::App* command =
      add_command(app, context, "envtest", "Make the programs that envtest starts, and print their folder",
                  "KUBEBUILDER_ASSETS=$(fairway envtest) go test ./...", [folder] { return run(*folder); });
  command
      ->add_option(
          "--dir", *folder,
          "Folder to make them in (default: one of this program's own below $XDG_CACHE_HOME or ~/.cache)")
      ->type_name("DIR")
      ->check(CLI::Validator(
          [](const std::string& dir) {
            return dir.empty() ? std::string("it is empty; name a folder") : std::string();
          },
          ""));
}

std::optional<int> run_envtest_program(std::span<const std::string> words) {
  if (words.size() < 2 || words[0] != "envtest") return std::nullopt;
  if (words[1] == "kube-apiserver") return run_kube_apiserver(words.subspan(2));
  if (words[1] == "etcd") return run_etcd(words.subspan(2));
  return std::nullopt;
}

}  // namespace fairway::cli
