// SPDX-License-Identifier: Apache-2.0

#include <gtest/gtest.h>

#include "base/file.h"
#include "http/client.h"
#include "kube/controller_kinds.h"
#include "kube/example_controller.h"
#include "kube/memory_api.h"
#include "support/eventually.h"

namespace fairway::kube {
namespace {

using fairway::testing::eventually;

std::string between(const std::string& text, const std::string& begin, const std::string& end) {
  const std::size_t from = text.find(begin);
  if (from == std::string::npos) return "";
  const std::size_t start = from + begin.size();
  return text.substr(start, text.find(end, start) - start);
}

TEST(ExampleController, IsWhatTheDocumentShows) {
  const std::string root = FAIRWAY_SOURCE_DIR;
  const auto code = read_file(root + "/tests/kube/example_controller.h").value();
  const auto document = read_file(root + "/docs/controllers.md").value();
  const std::string shown = between(document, "```cpp\n#include", "```");
  ASSERT_FALSE(shown.empty());
  EXPECT_EQ("#include" + shown, between(code, "// begin\n", "// end\n"));
}

TEST(ExampleController, GreetsWhomTheConfigMapNames) {
  testing::MemoryApi server;
  const auto client = server.client();
  std::stop_source stop;
  auto result = std::async(std::launch::async,
                           [&] { return example::run(server.client(), "127.0.0.1:0", stop.get_token()); });
  auto greeting = k8s::make<example::Greeting>("g", "a");
  greeting.set("spec.text", "Ahoy");
  greeting.set("spec.names", "crew");
  Api<example::Greeting> greetings(client, "a");
  Api<k8s::ConfigMap> maps(client, "a");
  ASSERT_TRUE(greetings.create(greeting));
  // Nobody is there to be greeted yet.
  Api<k8s::Event> events(client, "a");
  ASSERT_TRUE(eventually([&] {
    const auto list = events.list();
    return list && !list->items.empty() && list->items.front().reason() == "ConfigMapNotFound";
  }));
  auto crew = k8s::make<k8s::ConfigMap>("crew", "a");
  crew.set_data("first", "Ann");
  ASSERT_TRUE(maps.create(crew));
  const auto says = [&](const std::string& key, const std::string& what) {
    return eventually([&] {
      const auto made = maps.get("g-greetings");
      return made && made->data().find(key) == what;
    });
  };
  EXPECT_TRUE(says("first", "Ahoy, Ann"));
  ASSERT_TRUE(maps.merge_patch("crew", {{"data", {{"second", "Bob"}}}}));
  EXPECT_TRUE(says("second", "Ahoy, Bob"));
  ASSERT_TRUE(greetings.merge_patch("g", {{"spec", {{"text", "Hi"}}}}));
  EXPECT_TRUE(says("second", "Hi, Bob"));
  ASSERT_TRUE(maps.remove("g-greetings"));
  EXPECT_TRUE(says("first", "Hi, Ann")) << "what it owns is made anew";
  ASSERT_TRUE(greetings.remove("g"));
  EXPECT_TRUE(eventually([&] { return !greetings.get("g").has_value(); })) << "the finalizer lets it go";
  stop.request_stop();
  EXPECT_TRUE(result.get());
}

}  // namespace
}  // namespace fairway::kube
