// SPDX-License-Identifier: Apache-2.0

// State that the programs of 0.1.0 left on disk (tests/state/0.1.0), and newer programs that run on it.
#pragma once

#include <filesystem>
#include <optional>
#include <stdexcept>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "http/compress.h"
#include "support/eventually.h"
#include "support/process.h"
#include "support/temp_directory.h"

namespace fairway::testing {

/// A copy of all that state, which a test may change.
class OldState {
 public:
  OldState() {
    const std::filesystem::path kept = FAIRWAY_SOURCE_DIR "/tests/state/0.1.0";
    for (const char* part : {"apiserver", "service", "operator", "gateway", "releases"})
      std::filesystem::copy(kept / part, folder_ / part, std::filesystem::copy_options::recursive);
  }

  std::filesystem::path operator/(std::string_view name) const { return folder_ / name; }
  std::string text(std::string_view name) const { return read_file(folder_ / name).value(); }
  json::Value json(std::string_view name) const { return json::parse(text(name)).value(); }
  void write(const std::string& name, std::string_view bytes) const { folder_.write(name, bytes); }

  /// The bytes of a database of the API server: "apiserver.db" or "backup.db".
  std::string database(const std::string& name) const {
    return http::gunzip(text("apiserver/" + name + ".gz")).value();
  }
  /// The command line of a program that runs in the folder of a part: what was stored has relative names.
  std::vector<std::string> command(const std::string& part, std::vector<std::string> words) const {
    words.insert(words.begin(), {"env", "-C", (folder_ / part).string(), "http_proxy=http://127.0.0.1:1",
                                 "no_proxy=127.0.0.1", FAIRWAY_BINARY});
    return words;
  }

 private:
  TempDirectory folder_;
};

/// A program that runs on old state.
class StateProgram {
 public:
  /// Starts `fairway` with these words in the folder of a part; its output is in the file `log` there.
  StateProgram(const OldState& state, const std::string& part, std::vector<std::string> words)
      : log_(new_log(state / part)), process_(state.command(part, std::move(words)), log_) {}

  std::string log() const { return read_file(log_).value_or(""); }
  bool running() { return process_.running(); }
  /// Returns the word behind `key` in the log, once it is there; throws if the program ends before.
  std::string word_after(const std::string& key) {
    std::string word;
    const bool said = eventually([&] {
      const bool may_say_more = process_.running();
      const std::string text = log();
      const std::size_t at = text.find(key);
      if (at == std::string::npos) return !may_say_more;
      const std::size_t end = text.find_first_of(" \n", at + key.size());
      if (end != std::string::npos) word = text.substr(at + key.size(), end - at - key.size());
      return end != std::string::npos || !may_say_more;
    });
    if (!said || word.empty()) throw std::runtime_error("no " + key + " in the log: " + log());
    return word;
  }
  /// Waits for the end; the exit status, or nothing if it goes on to run.
  std::optional<int> exit_status() {
    if (!eventually([&] { return !process_.running(); })) return std::nullopt;
    const int status = process_.wait();
    return WIFEXITED(status) ? std::optional(WEXITSTATUS(status)) : std::nullopt;
  }

 private:
  /// Returns the path of a log that no program before this one has written.
  static std::string new_log(const std::filesystem::path& folder) {
    std::filesystem::remove(folder / "log");
    return (folder / "log").string();
  }

  const std::string log_;
  Process process_;
};

/// Starts `fairway apiserver` on the folder `data` below that of the part apiserver; returns once it is
/// ready.
class StateApiServer {
 public:
  explicit StateApiServer(const OldState& state, const std::string& data = "data")
      : program_(state, "apiserver",
                 {"apiserver", "--data", data, "--listen", "127.0.0.1:0", "--kubeconfig", "kubeconfig"}),
        url_(program_.word_after("server=")),
        kubeconfig_((state / "apiserver/kubeconfig").string()) {}

  const std::string& url() const { return url_; }
  const std::string& kubeconfig() const { return kubeconfig_; }
  std::string log() const { return program_.log(); }

 private:
  StateProgram program_;
  const std::string url_, kubeconfig_;
};

/// The words that start the update service on its old state, in its folder.
inline std::vector<std::string> old_service_words(const std::string& data = "data") {
  return {"serve",       "--releases",      "releases.json", "--graph-data", "graph-data", "--data",
          data,          "--max-widening",  "0,0%",          "--interval",   "1s",         "--listen",
          "127.0.0.1:0", "--status-listen", "127.0.0.1:0"};
}

/// The words that start the operator on its old state; the update service that it asks cannot be reached.
inline std::vector<std::string> old_operator_words(const std::string& kubeconfig) {
  return {"operator",
          "--kubeconfig",
          kubeconfig,
          "--namespace",
          "state",
          "--leader-elect=false",
          "--status-listen",
          "127.0.0.1:0",
          "--data",
          ".",
          "--allow-unsigned-releases",
          "--upstream",
          "http://updates.example.com/api/upgrades_info/graph",
          "--poll-interval",
          "1s"};
}

}  // namespace fairway::testing
