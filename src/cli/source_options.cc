// SPDX-License-Identifier: Apache-2.0

#include "cli/source_options.h"

#include <algorithm>
#include <chrono>

#include "base/clock.h"
#include "base/redact.h"
#include "base/text.h"
#include "cli/image_options.h"
#include "http/url.h"

namespace fairway::cli {

namespace {

/// Returns what is wrong with a URL. Clusters show it to everybody, so it must not contain a password.
std::string fault_of_url(const std::string& text, const std::string& like) {
  const auto is_visible = [](char c) { return c > 0x20 && c < 0x7F; };
  const auto url = http::Url::parse(text);
  const std::string shown = "'" + printable(redact_urls(text)) + "'";
  if (!url || (url->scheme != "https" && url->scheme != "http") || !std::ranges::all_of(text, is_visible))
    return shown + " is no absolute URL; " + like;
  if (!url->userinfo.empty()) return shown + " has credentials, which everybody would read; " + like;
  return "";
}

/// Returns what is wrong with --problem-url. Consumers drop a risk without a url, and with it the whole
/// conditional update.
std::string fault_of_problem_url(const std::string& text) {
  return fault_of_url(text, "name a page like https://updates.example.com/api/upgrades_info/problems");
}

}  // namespace

std::string fault_of_public_url(const std::string& text) {
  if (text.find_first_of("?#") != std::string::npos)
    return "'" + printable(redact_urls(text)) + "' has a query or a fragment; name the address alone";
  return fault_of_url(text, "name the service like https://updates.example.com");
}

void add_source_options(CLI::App& command, sources::Options& options) {
  constexpr const char* group = "Sources";
  add_image_options(command, options.access, group,
                    "Folder of OpenPGP keys; with it, images without a good signature are refused");
  command.add_option("--scrape-concurrency", options.concurrency, "Concurrent requests to one registry")
      ->check(CLI::Range(1, 256).description(""))
      ->capture_default_str()
      ->type_name("N")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--scrape-deadline",
          [&options](const std::string& text) {
            const auto duration = parse_duration(text);
            if (!duration) throw CLI::ValidationError("--scrape-deadline", duration.error().message);
            if (*duration < std::chrono::seconds{1}) {
              throw CLI::ValidationError("--scrape-deadline", "needs at least 1s");
            }
            options.deadline = std::chrono::duration_cast<std::chrono::seconds>(*duration);
          },
          "Time for one look at one source, for example 10m")
      ->default_str("10m")
      ->type_name("DURATION")
      ->group(group);
}

void add_releases_option(CLI::App& command, std::vector<std::string>& releases) {
  command
      .add_option(
          "--releases", releases,
          "Where releases come from (repeatable): a release list FILE.json, oci://HOST[:PORT]/REPOSITORY, "
          "or another service's https://.../graph?channel=C&arch=A")
      ->type_name("SRC")
      ->required()
      ->allow_extra_args(false)
      ->group("Sources");
}

void add_graph_data_option(CLI::App& command, std::string& graph_data) {
  command
      .add_option("--graph-data", graph_data,
                  "Where graph data comes from: a folder, git+https://...#REF, git+file://...#REF, "
                  "an https:// tarball, or oci://HOST/REPOSITORY[:TAG|@DIGEST]")
      ->type_name("SRC")
      ->required()
      ->group("Sources");
}

void add_problem_url_option(CLI::App& command, std::string& problem_url) {
  problem_url = graph::not_understood_url;
  command
      .add_option("--problem-url", problem_url,
                  "Where risks point that stand for graph data which could not be understood")
      ->check(CLI::Validator(fault_of_problem_url, ""))
      ->type_name("URL")
      ->capture_default_str()
      ->group("Sources");
}

}  // namespace fairway::cli
