// SPDX-License-Identifier: Apache-2.0

#include "cli/release/release_reading.h"

#include <filesystem>
#include <utility>

#include "cli/image_options.h"
#include "cli/source_options.h"
#include "command_line/stop_signals.h"

namespace fairway::cli {

using command_line::StopSignals;

void add_release_reading_options(CLI::App& command, ReleaseReading& reading) {
  add_source_options(command, reading.sources);
  add_image_mirror_option(command, reading.mirrors, "Sources");
  command
      .add_option("--data", reading.sources.data_directory,
                  "Folder for what was pulled, so that asking again is cheap; without it nothing is kept")
      ->type_name("DIR")
      ->group("Sources");
}

void add_selection_options(CLI::App& command, payload::Selection& selection) {
  command
      .add_option("--profile", selection.profile, "The cluster's profile: include.release.openshift.io/NAME")
      ->capture_default_str()
      ->type_name("NAME");
  command.add_option("--feature-set", selection.feature_set, "The cluster's feature set; without it Default")
      ->type_name("NAME");
}

Result<std::vector<payload::ReleaseImage>> read_releases(const ReleaseReading& reading,
                                                         const std::vector<std::string>& images) {
  const StopSignals signals;
  payload::ReleaseReaderOptions options;
  const release::Access& access = reading.sources.access;
  options.registry = release::registry_options(access);
  options.registry.concurrency = reading.sources.concurrency;
  for (const std::string& text : reading.mirrors) {
    auto mirror = payload::ImageMirror::parse(text);
    if (!mirror) return fail(mirror.error());
    options.mirrors.push_back(*std::move(mirror));
  }
  options.public_keys_directory = access.public_keys_directory;
  options.signature_store = access.signature_store;
  options.without_keys = payload::WithoutKeys::ignore;
  if (!reading.sources.data_directory.empty())
    options.cache = std::filesystem::path(reading.sources.data_directory) / "releases";
  const auto reader = payload::ReleaseReader::create(options);
  if (!reader) return fail(reader.error());
  const Limits limits = Limits::within(Clock::system(), reading.sources.deadline, signals.token());
  // Who asks for no signatures may look at a tag: nothing is applied here.
  const bool by_tag = access.public_keys_directory.empty();
  std::vector<payload::ReleaseImage> releases;
  for (const std::string& image : images) {
    auto release = (*reader)->read({.image = image, .version = {}, .force = by_tag}, limits);
    if (!release) return fail(std::move(release.error().error));
    releases.push_back(*std::move(release));
  }
  return releases;
}

}  // namespace fairway::cli
