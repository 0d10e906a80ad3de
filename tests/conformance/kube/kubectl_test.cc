// SPDX-License-Identifier: Apache-2.0

// kubectl, as people use it: what a list of commands prints is what it prints beside a real API server. With
// FAIRWAY_UPDATE_GOLDEN=1 and the real server that is written anew.
#include <cstdlib>
#include <map>
#include <regex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/file.h"
#include "conformance/kube/on_cluster.h"

namespace fairway::conformance {
namespace {

constexpr const char* folder = FAIRWAY_SOURCE_DIR "/tests/conformance/kube/data/kubectl";

/// Returns the output without the parts that differ from one run to the next: times, ages, identities,
/// addresses, and the widths of columns that depend on them.
std::string timeless(std::string text) {
  static const std::vector<std::pair<std::regex, std::string>> changing{
      {std::regex("[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}"), "UID"},
      {std::regex("[0-9]{4}-[0-9]{2}-[0-9]{2}T[0-9:.]+Z"), "TIME"},
      {std::regex("(Mon|Tue|Wed|Thu|Fri|Sat|Sun), [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9:]+ [-+][0-9]+"),
       "TIME"},
      {std::regex("(resourceVersion|Resource Version|observedGeneration)(\"?): *\"?[0-9]+\"?"), "$1$2: N"},
      {std::regex("10\\.[0-9]+\\.[0-9]+\\.[0-9]+"), "ADDRESS"},
      {std::regex(":3[0-9]{4}/TCP"), ":PORT/TCP"},
      {std::regex("https://127\\.0\\.0\\.1:[0-9]+"), "SERVER"},
      {std::regex("/tmp/[-A-Za-z0-9_./]+"), "FILE"},
      {std::regex("(\\s)(<invalid>|([0-9]+[smhd])+)(?=\\s|$)"), "$1AGE"},
      {std::regex("(\\S)  +"), "$1  "},
      {std::regex(" +\n"), "\n"},
  };
  for (const auto& [what, by] : changing) text = std::regex_replace(text, what, by);
  return text;
}

/// Commands and their output; lines that begin with "$ " are commands.
using Transcript = std::vector<std::pair<std::string, std::string>>;

Transcript read_transcript(const std::string& text) {
  Transcript transcript;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const std::string line = text.substr(at, end - at);
    at = end + 1;
    if (line.starts_with("$ ")) {
      transcript.emplace_back(line.substr(2), "");
    } else if (!transcript.empty()) {
      transcript.back().second += line + "\n";
    }
  }
  return transcript;
}

std::vector<std::string> read_commands() {
  std::vector<std::string> commands;
  const std::string text = read_file(std::string(folder) + "/commands.txt").value();
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    if (text[at] != '#' && end > at) commands.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return commands;
}

TEST(Kubectl, PrintsWhatItPrintsBesideARealServer) {
  Cluster& cluster = Cluster::shared();
  // Its own kubeconfig, whose namespace a command changes; its own home, as kubectl caches what is served
  // there.
  const testing::TempDirectory home;
  home.write("config", read_file(cluster.kubeconfig()).value());
  for (const char* file : {"admin.crt", "admin.key", "nobody.crt", "nobody.key", "token"})
    home.write(file, read_file(cluster.folder() / file).value_or(""));
  Transcript now;
  for (const std::string& command : read_commands()) {
    const auto result =
        kube::run_program({.command = "/bin/sh",
                           .args = {"-c", "cd '" + std::string(folder) + "' && " + command + " 2>&1"},
                           .env = {{"KUBECONFIG", (home / "config").string()},
                                   {"HOME", home.text()},
                                   {"PATH", cluster.programs() + ":/usr/bin:/bin"}},
                           .max_output = std::size_t{4} << 20});
    ASSERT_TRUE(result) << command << ": " << result.error().message;
    std::string text = timeless(result->output);
    if (!text.empty() && !text.ends_with('\n')) text += '\n';
    if (result->exit_code != 0) text += "exit " + std::to_string(result->exit_code) + "\n";
    now.emplace_back(command, std::move(text));
  }
  const std::string file = std::string(folder) + "/expected.txt";
  if (std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr && !cluster.is_embedded()) {
    std::string text;
    for (const auto& [command, printed] : now) text += "$ " + command + "\n" + printed;
    EXPECT_OK(write_file_atomically(file, text));
    return;
  }
  std::map<std::string, std::string> differences;
  if (cluster.is_embedded()) {
    for (auto& [command, why] : read_transcript(read_file(std::string(folder) + "/differences.txt").value()))
      differences.emplace(command, why);
  }
  const Transcript expected = read_transcript(read_file(file).value());
  ASSERT_EQ(now.size(), expected.size()) << "commands.txt and expected.txt are not of one run";
  for (std::size_t i = 0; i < now.size(); ++i) {
    ASSERT_EQ(now[i].first, expected[i].first) << "commands.txt and expected.txt are not of one run";
    const bool equal = now[i].second == expected[i].second;
    if (differences.contains(now[i].first)) {
      EXPECT_FALSE(equal) << now[i].first << " has become equal: take it from differences.txt";
    } else {
      EXPECT_EQ(now[i].second, expected[i].second) << now[i].first;
    }
  }
}

}  // namespace
}  // namespace fairway::conformance
