// SPDX-License-Identifier: Apache-2.0

// Runs `oc adm upgrade` as recorded cases of today's client say: the program, linked as oc, against a server
// of one ClusterVersion. A case is a JSON file: argv, env, clusterVersion (the object that the server has,
// null for none), cwd, and what is expected: exitCode, stdout, stderr (or stderrPrefix), patches.

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/file.h"
#include "base/json.h"
#include "base/text.h"
#include "k8s/documents.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/view.h"
#include "support/loopback_server.h"
#include "support/shared_data.h"
#include "support/temp_directory.h"

namespace fairway {
namespace {

namespace fs = std::filesystem;

/// Number of cases in the default folder.
constexpr std::size_t known_cases = 93;

json::Value read_json(const fs::path& file) {
  return json::parse(read_file(file).value()).value();
}

json::Value read_yaml(const fs::path& file) {
  auto documents = k8s::read_documents(read_file(file).value());
  return std::move(documents.value().front().value);
}

/// An API server of one ClusterVersion.
class OneObject {
 public:
  OneObject()
      : server_(testing::serve_on_loopback(
            "GET PATCH", [this](const http::Request& asked) { return answer(asked); }, {})) {}

  std::string url() const { return "http://127.0.0.1:" + std::to_string(server_->port()); }
  void hold(std::optional<json::Value> object) {
    const std::lock_guard lock(mutex_);
    object_ = std::move(object);
    patches_.clear();
  }
  json::Array patches() {
    const std::lock_guard lock(mutex_);
    return patches_;
  }

 private:
  http::Response answer(const http::Request& asked) {
    const std::lock_guard lock(mutex_);
    if (asked.path != "/apis/config.openshift.io/v1/clusterversions/version" || !object_)
      return reply(404, json::Object{{"kind", "Status"},
                                     {"apiVersion", "v1"},
                                     {"status", "Failure"},
                                     {"message", "not found"},
                                     {"reason", "NotFound"},
                                     {"code", 404}});
    if (asked.method == "PATCH") {
      const json::Value patch = json::parse(asked.body).value();
      patches_.push_back(patch);
      object_ = k8s::apply_merge_patch(*object_, patch).value();
    }
    return reply(200, *object_);
  }
  static http::Response reply(int status, const json::Value& body) {
    http::Response response;
    response.status = status;
    response.headers.set("Content-Type", "application/json");
    response.body = http::make_bytes(json::to_text(body));
    return response;
  }

  std::mutex mutex_;
  std::optional<json::Value> object_;
  json::Array patches_;
  std::unique_ptr<http::Server> server_;
};

struct Ran {
  int exit_code = 0;
  std::string out, err;
};

std::string shell_word(std::string_view text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

Ran run(const k8s::View& one, const fs::path& data, const std::string& server) {
  const testing::TempDirectory folder;
  const fs::path oc = folder.path() / "oc", out = folder.path() / "out", err = folder.path() / "err";
  fs::create_symlink(FAIRWAY_BINARY, oc);
  std::string line = "cd " + shell_word((data / std::string(one.text("cwd"))).string()) +
                     " && HOME=" + shell_word(folder.path().string()) +
                     " KUBECONFIG=" + shell_word((folder.path() / "none").string());
  for (const auto& [name, value] : one.map("env")) line += " " + std::string(name) + "=" + shell_word(value);
  line += " " + shell_word(oc.string());
  const auto words = one.texts("argv");
  for (std::size_t i = 1; i < words.size(); ++i) line += " " + shell_word(words[i]);
  line += " --server " + shell_word(server) + " > " + shell_word(out.string()) + " 2> " +
          shell_word(err.string());
  const int status = std::system(line.c_str());
  return {WIFEXITED(status) ? WEXITSTATUS(status) : -1, read_file(out).value(), read_file(err).value()};
}

std::string replaced(std::string text, std::string_view from, std::string_view to) {
  for (std::size_t at = text.find(from); at != text.npos; at = text.find(from, at + to.size()))
    text.replace(at, from.size(), to);
  return text;
}

/// Returns an update that is not recommended, in the specification's form: with the line "Recommended", and a
/// message of several lines below its heading, indented by four.
std::string in_words_of_specification(std::string block,
                                      const std::map<std::string, std::string>& recommended) {
  constexpr std::string_view heading = "  Version: ", message = "\n  Message: ";
  const std::string version = block.substr(heading.size(), block.find('\n') - heading.size());
  const std::size_t reason = block.find("\n  Reason: ");
  block.insert(reason, "\n  Recommended: " + recommended.at(version));
  const std::size_t at = block.find(message) + message.size();
  std::string text = block.substr(at);
  block.resize(at);
  if (!trim(text).contains('\n')) return block + text;
  block.back() = '\n';
  text = "    " + replaced(text, "\n  ", "\n    ");
  return block + replaced(text, "\n    \n", "\n\n");
}

/// Returns the standard output of a case with the sentences of the specification, which differ from today's
/// client's (docs/compatibility.md).
std::string in_words_of_specification(const std::string& expected, const k8s::View& cluster) {
  constexpr std::string_view section = "\nUpdates with known issues:\n";
  std::string text;
  for (const std::string_view line : split(expected, '\n'))
    text += line.starts_with("Additional updates which are not recommended")
                ? "Additional updates which are not recommended based on your cluster configuration are "
                  "available, "
                  "to view those re-run the command with --include-not-recommended.\n"
                : std::string(line) + "\n";
  text.pop_back();
  const std::size_t at = text.find(section);
  if (at == text.npos) return text;
  std::map<std::string, std::string> recommended;
  for (const k8s::View& update : cluster.items("status.conditionalUpdates"))
    for (const k8s::View& condition : update.items("conditions"))
      if (condition.text("type") == "Recommended")
        recommended[std::string(update.text("release.version"))] = condition.text("status");
  std::string rest = text.substr(at + section.size());
  text = text.substr(0, at) + "\nSupported but not recommended updates:\n";
  constexpr std::string_view next = "\n  Version: ";
  while (!rest.empty()) {
    const std::size_t end = rest.find(next, 1);
    text += "\n" + in_words_of_specification(rest.substr(1, end == rest.npos ? end : end - 1), recommended);
    rest = end == rest.npos ? "" : rest.substr(end);
  }
  return text;
}

/// Removes from a text what the program adds if the release is not in the channel of the cluster
/// (docs/compatibility.md): it searches the other channels, and reports the result in a sentence.
std::string without_channel_search(std::string text, const k8s::View& cluster) {
  std::string retrieved;
  for (const k8s::View& condition : cluster.items("status.conditions"))
    if (condition.text("type") == "RetrievedUpdates") retrieved = condition.text("reason");
  if (retrieved != "VersionNotFound") return text;
  const std::string here = std::string(cluster.text("status.desired.version")) + " is not in `" +
                           std::string(cluster.text("spec.channel")) + "`, ";
  for (const std::string& begin : {"warning: " + here, "\n" + here}) {
    const std::size_t at = text.find(begin);
    if (at == text.npos || (at > 0 && text[at - 1] != '\n')) continue;
    const std::size_t end = text.find('\n', at + begin.size());
    text.erase(at, end == text.npos ? end : end + 1 - at);
  }
  return text;
}

/// Returns what is wrong; empty if the case goes as expected.
std::string judge(const k8s::View& one, const k8s::View& cluster, const Ran& ran,
                  const json::Array& patches) {
  std::string wrong;
  const auto differs = [&](std::string_view what, const std::string& wanted, const std::string& got) {
    if (wanted != got) wrong += std::string(what) + "\n--- wanted\n" + wanted + "--- got\n" + got;
  };
  const k8s::View expected = one.at("expected");
  differs("exit code ", std::to_string(expected.integer("exitCode")) + "\n",
          std::to_string(ran.exit_code) + "\n");
  differs("standard output", in_words_of_specification(std::string(expected.text("stdout")), cluster),
          without_channel_search(ran.out, cluster));
  if (const auto prefix = expected.find_text("stderrPrefix")) {
    if (!ran.err.starts_with(*prefix)) differs("beginning of standard error", std::string(*prefix), ran.err);
  } else {
    differs("standard error", std::string(expected.text("stderr")), without_channel_search(ran.err, cluster));
  }
  const json::Value* wanted = expected.find("patches");
  if (wanted != nullptr && *wanted != patches)
    differs("patches", json::to_pretty_text(*wanted), json::to_pretty_text(patches));
  return wrong;
}

TEST(AdmUpgrade, every_recorded_case_of_todays_client_goes_as_recorded) {
  const fs::path data = testing::shared_path("data/client");
  FAIRWAY_NEEDS_SHARED(data / "cases");
  std::vector<fs::path> files;
  for (const auto& entry : fs::directory_iterator(data / "cases"))
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  std::ranges::sort(files);
  OneObject server;
  std::size_t passed = 0;
  for (const fs::path& file : files) {
    const json::Value document = read_json(file);
    const k8s::View one(document.get_object());
    std::optional<json::Value> object;
    if (const auto path = one.find_text("clusterVersion")) object = read_yaml(data / std::string(*path));
    const json::Object none;
    const k8s::View cluster(object ? object->get_object() : none);
    server.hold(object);
    const Ran ran = run(one, data, server.url());
    const std::string wrong = judge(one, cluster, ran, server.patches());
    if (wrong.empty()) {
      ++passed;
    } else {
      ADD_FAILURE() << file.filename().string() << ": " << wrong;
    }
  }
  std::printf("cases of the client: %zu of %zu passed\n", passed, files.size());
  if (testing::is_default_shared()) {
    EXPECT_EQ(files.size(), known_cases);
  }
  EXPECT_GT(files.size(), 0u);
}

}  // namespace
}  // namespace fairway
