// SPDX-License-Identifier: Apache-2.0

// fairway release new: a release image of a folder of manifests.
#include "release/new_release.h"

#include <algorithm>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/json.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/graph/graph_inputs.h"
#include "cli/new_folder.h"
#include "cli/release/manifest_folder.h"
#include "cli/release/release_commands.h"
#include "command_line/terminal.h"
#include "payload/release_image.h"
#include "payload/run_levels.h"
#include "payload/selection.h"

namespace fairway::cli {

namespace {

struct ReleaseNewOptions {
  std::string version, folder, directory, output, arch = "amd64";
  std::vector<std::string> previous, next, metadata;
};

Result<std::vector<Version>> versions_of(const std::vector<std::string>& texts, const std::string& flag,
                                         const Version& own) {
  std::vector<Version> versions;
  for (const std::string& text : texts) {
    auto version = Version::parse(text);
    if (!version) return fail(version.error().within(flag));
    if (compare_precedence(*version, own) == 0)
      return fail(ErrorCode::invalid, flag + ": " + text + " is the release itself");
    versions.push_back(*std::move(version));
  }
  return versions;
}

Result<release::Description> description_of(const ReleaseNewOptions& options) {
  release::Description description{.arch = options.arch};
  if (options.arch == "multi")
    return fail(ErrorCode::invalid, "--arch multi: an image is of one architecture, such as amd64");
  auto version = Version::parse(options.version);
  if (!version) return fail(version.error().within("VERSION"));
  description.version = *std::move(version);
  auto previous = versions_of(options.previous, "--previous", description.version);
  if (!previous) return fail(previous.error());
  description.previous = *std::move(previous);
  auto next = versions_of(options.next, "--next", description.version);
  if (!next) return fail(next.error());
  description.next = *std::move(next);
  for (const std::string& text : options.metadata) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos || equals == 0) {
      return fail(ErrorCode::invalid, "--metadata \"" + printable(text) +
                                          "\" is not of the form KEY=VALUE, such as "
                                          "url=https://example.com/4.7.4");
    }
    if (!description.metadata.emplace(text.substr(0, equals), text.substr(equals + 1)).second)
      return fail(ErrorCode::invalid,
                  "--metadata: the key " + printable(text.substr(0, equals)) + " is there twice");
  }
  return description;
}

/// A release as it was read back, and its manifests that a cluster of the default profile leaves out.
struct Checked {
  payload::ReleaseImage release;
  std::vector<payload::LeftOut> left_out;
};

/// Reads the image as the operator does: its contents, and which of its manifests a cluster applies.
Result<Checked> check(const release::NewRelease& made, const std::string& folder) {
  Checked checked;
  payload::ReleaseImage& release = checked.release;
  release.image = folder;
  release.digest = made.image.digest;
  if (auto loaded = payload::load_contents(made.contents, "", release); !loaded)
    return fail(std::move(loaded.error().error));
  payload::Selection selection;
  selection.major_version = release.version.major();
  auto selected = payload::select(release.manifests, selection);
  if (!selected) return fail(selected.error());
  checked.left_out = std::move(selected->left_out);
  return checked;
}

/// Warns of manifests that no cluster applies, whatever its profile and its feature set are.
void warn_of(const std::vector<payload::LeftOut>& left_out) {
  for (const payload::LeftOut& one : left_out) {
    // "it is for the profiles ibm": other clusters apply it.
    if (one.why.starts_with("it is ")) continue;
    warn(printable(one.object.to_string()) + " (" + printable(one.place) +
         ") is applied nowhere: " + one.why);
  }
}

/// Warns of what is in the folder and in no image, and of files that are in no order.
void warn_of(const ManifestFolder& read) {
  constexpr std::size_t shown = 5;
  const auto say = [&](const std::vector<std::string>& names, const std::string& what) {
    if (names.empty()) return;
    std::vector<std::string> first(
        names.begin(), names.begin() + static_cast<std::ptrdiff_t>(std::min(shown, names.size())));
    for (std::string& name : first) name = printable(name);
    warn(what + ": " + join(first, ", ") +
         (names.size() > shown ? " and " + std::to_string(names.size() - shown) + " more" : ""));
  };
  say(read.skipped, "left out, as these are no manifests");
  std::vector<std::string> without_level;
  for (const auto& [name, bytes] : read.files) {
    if (release::is_manifest_file(name) && !payload::run_level(name)) without_level.push_back(name);
  }
  say(without_level, "without a run level in their names (0000_NN_COMPONENT_...)");
}

int make(const ReleaseNewOptions& options) {
  const auto description = description_of(options);
  if (!description) return report(description.error(), exit_usage);
  if (auto checked = check_new_folder(options.directory, "release image"); !checked)
    return report(checked.error());
  auto read = read_manifest_folder(options.folder);
  if (!read) return report(read.error());
  warn_of(*read);
  const auto made = release::make_release(std::move(read->files), *description);
  if (!made) return report(made.error().within("making a release of " + printable(options.folder)));
  const auto checked = check(*made, options.directory);
  if (!checked) return report(checked.error().within("making a release of " + printable(options.folder)));
  warn_of(checked->left_out);
  const payload::ReleaseImage* const release = &checked->release;
  std::vector<NewFile> files;
  for (auto& [path, text] : oci::layout_files(made->image, release->version.to_string()))
    files.push_back({path, text});
  // The index comes last: a folder that has it is whole.
  std::ranges::stable_partition(files, [](const NewFile& file) { return file.path != "index.json"; });
  if (auto written = write_new_folder(options.directory, "release image", files); !written)
    return report(written.error());
  if (options.output == "json") {
    print(json::to_pretty_text(json::Object{{"version", release->version.to_string()},
                                            {"digest", release->digest},
                                            {"architecture", release->arch},
                                            {"folder", options.directory},
                                            {"manifests", release->manifests.size()},
                                            {"leftOut", checked->left_out.size()},
                                            {"images", release->image_references.size()}}));
    return exit_ok;
  }
  std::vector<std::vector<std::string>> rows{
      {"Version:", release->version.to_string()},
      {"Digest:", release->digest},
      {"Architecture:", release->arch},
      {"Contents:", count(release->manifests.size(), "manifest") + ", " +
                        count(release->image_references.size(), "image")}};
  if (!checked->left_out.empty()) {
    rows.push_back({"Left out:", count(checked->left_out.size(), "manifest") +
                                     " by clusters of the default profile and feature set"});
  }
  rows.push_back({"Folder:", printable(options.directory, 1000)});
  print(table(rows));
  return exit_ok;
}

void add_versions_option(CLI::App& command, const char* flag, std::vector<std::string>& versions,
                         const char* description) {
  command.add_option(flag, versions, description)
      ->type_name("VERSION")
      ->delimiter(',')
      ->allow_extra_args(false);
}

}  // namespace

void add_release_new(CLI::App& release, Context& context) {
  auto options = std::make_shared<ReleaseNewOptions>();
  CLI::App* command =
      add_command(release, context, "new", "Make a release image of a folder of manifests",
                  "fairway release new 4.7.4 examples/cluster/4.7 --previous 4.6.23 --dir image",
                  [options] { return make(*options); });
  command->add_option("VERSION", options->version, "Version of the release")->type_name("")->required();
  command
      ->add_option("FOLDER", options->folder,
                   "Folder of manifests, whose names have their run level: 0000_NN_COMPONENT_...; and "
                   "image-references, if there is one")
      ->type_name("")
      ->required();
  command
      ->add_option("--dir", options->directory,
                   "Folder for the image, as an OCI image layout: a new or an empty one")
      ->type_name("DIR")
      ->required();
  add_versions_option(*command, "--previous", options->previous,
                      "Versions that can be updated to it (repeatable)");
  add_versions_option(*command, "--next", options->next, "Versions that it can be updated to (repeatable)");
  command->add_option("--metadata", options->metadata, "Metadata, such as url=URL (repeatable)")
      ->type_name("KEY=VALUE")
      ->allow_extra_args(false);
  command->add_option("--arch", options->arch, "Architecture of the release")
      ->capture_default_str()
      ->type_name("ARCH");
  add_output_option(*command, options->output, {"table", "json"});
}

}  // namespace fairway::cli
