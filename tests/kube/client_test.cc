// tests/kube/data/client.json: a call, what goes over the wire for it, and what comes of it. The kind is
// Widget of widgets.example.com/v1 where no other is named.
#include "kube/client.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/text.h"
#include "kube/api.h"
#include "kube/conflict.h"
#include "kube/data.h"
#include "kube/pages.h"
#include "kube/scripted_api.h"

namespace fairway::kube {
namespace {

using testing::ScriptedApi;

ClientConfig config_for(const ScriptedApi& server) {
  ClientConfig config;
  config.server = server.url();
  config.cluster_origin = "the test's cluster";
  config.user_origin = "the test's user";
  return config;
}

/// The result of a call as the table writes it.
ApiResult<json::Value> as_value(ApiResult<k8s::Dynamic> object) {
  if (!object) return std::unexpected(object.error());
  return json::Value(object->release());
}

ApiResult<json::Value> as_value(ApiResult<ObjectList> list) {
  if (!list) return std::unexpected(list.error());
  json::Object result;
  json::Array items;
  for (k8s::Dynamic& item : list->items) items.emplace_back(item.release());
  result["items"] = std::move(items);
  result["resource_version"] = list->resource_version;
  result["continue"] = list->continue_token;
  if (list->remaining) result["remaining"] = *list->remaining;
  return json::Value(std::move(result));
}

class Caller {
 public:
  Caller(Client& client, const json::Value& call) : client_(client), call_(call), view_(call.as_object()) {}

  ApiResult<json::Value> run() {
    const std::string_view verb = view_.text("verb");
    if (verb == "get") return as_value(client_.get(resource(), key(), view_.text("subresource")));
    if (verb == "list") return as_value(client_.list(resource(), view_.text("namespace"), list_options()));
    if (verb == "list all")
      return as_value(list_all(client_, resource(), view_.text("namespace"), list_options()));
    if (verb == "each page") return each_page();
    if (verb == "create") return as_value(client_.create(resource(), object(), write_options()));
    if (verb == "replace") {
      return as_value(client_.replace(resource(), object(), view_.text("subresource"), write_options()));
    }
    if (verb == "patch") {
      const std::string_view type = view_.text("type");
      return as_value(client_.patch(resource(), key(),
                                    type == "json"    ? PatchType::json
                                    : type == "merge" ? PatchType::merge
                                                      : PatchType::strategic,
                                    *json::find(call_, "patch"), view_.text("subresource"), write_options()));
    }
    if (verb == "apply") {
      return as_value(
          client_.apply(resource(), object(),
                        {.field_manager = std::string(view_.text("manager")), .force = view_.flag("force")}));
    }
    if (verb == "delete") return as_value(client_.remove(resource(), key(), delete_options()));
    if (verb == "delete all") {
      const auto done =
          client_.remove_all(resource(), view_.text("namespace"), list_options(), delete_options());
      if (!done) return std::unexpected(done.error());
      return json::Value(nullptr);
    }
    throw std::runtime_error("no such verb: " + std::string(verb));
  }

 private:
  k8s::GroupVersionResource resource() const {
    const auto parts = view_.texts("resource");
    if (parts.empty()) return {"widgets.example.com", "v1", "widgets"};
    return {std::string(parts[0]), std::string(parts[1]), std::string(parts[2])};
  }
  k8s::Key key() const {
    const std::string_view text = view_.text("key");
    const std::size_t slash = text.find('/');
    if (slash == std::string_view::npos) return {"", std::string(text)};
    return {std::string(text.substr(0, slash)), std::string(text.substr(slash + 1))};
  }
  k8s::Dynamic object() const { return k8s::Dynamic(view_.at("object").json()); }
  ListOptions list_options() const {
    ListOptions options;
    options.labels = k8s::LabelSelector::parse(view_.text("labels")).value();
    options.fields = k8s::FieldSelector::parse(view_.text("fields")).value();
    options.limit = view_.integer("limit");
    options.continue_token = view_.text("continue");
    options.resource_version = view_.text("resource_version");
    options.resource_version_match = view_.text("match");
    return options;
  }
  WriteOptions write_options() const {
    WriteOptions options;
    options.field_manager = view_.text("manager");
    options.dry_run = view_.flag("dry_run");
    if (view_.text("validation") == "strict") options.validation = FieldValidation::strict;
    return options;
  }
  DeleteOptions delete_options() const {
    DeleteOptions options;
    options.uid = view_.text("uid");
    options.resource_version = view_.text("resource_version");
    options.dry_run = view_.flag("dry_run");
    if (const auto grace = view_.find_integer("grace")) options.grace_period = std::chrono::seconds(*grace);
    if (view_.text("propagation") == "foreground") options.propagation = Propagation::foreground;
    if (view_.text("propagation") == "background") options.propagation = Propagation::background;
    return options;
  }
  ApiResult<json::Value> each_page() {
    json::Array names;
    const auto done = for_each_page(client_, resource(), view_.text("namespace"), list_options(),
                                    OnExpired::go_on, [&](const ObjectList& page) -> Result<void> {
                                      for (const k8s::Dynamic& item : page.items)
                                        names.emplace_back(item.name());
                                      return {};
                                    });
    if (!done) return std::unexpected(done.error());
    return json::Value(std::move(names));
  }

  Client& client_;
  const json::Value& call_;
  k8s::View view_;
};

/// Lets time pass whenever somebody waits for it, and notes how long.
class PassingClock final : public Clock {
 public:
  WallTime now() const override { return WallTime{} + (steady() - SteadyTime{}); }
  SteadyTime steady() const override { return now_; }
  bool wait_until(SteadyTime until, std::stop_token) override {
    waits.push_back(std::chrono::duration_cast<std::chrono::milliseconds>(until - now_).count());
    now_ = until;
    return true;
  }
  std::vector<std::int64_t> waits;

 private:
  SteadyTime now_{};
};

TEST(Client, SpeaksAsTheTableSays) {
  for (const json::Value& row : testing::read_cases("client.json")) {
    SCOPED_TRACE(std::string(*json::find_string(row, "case")));
    const ScriptedApi server(row.at("exchanges").as_array());
    PassingClock clock;
    const auto client = Client::create(config_for(server), {.clock = &clock});
    ASSERT_TRUE(client) << client.error().message;
    const auto result = Caller(**client, row.at("call")).run();
    EXPECT_EQ(server.faults(), "");
    if (const json::Value* error = json::find(row, "error")) {
      ASSERT_FALSE(result) << json::to_text(*result);
      EXPECT_EQ(to_string(result.error().code), *json::find_string(*error, "code"));
      EXPECT_EQ(result.error().status.reason(), *json::find_string(*error, "reason"));
      EXPECT_NE(result.error().message.find(*json::find_string(*error, "message")), std::string::npos)
          << result.error().message;
      if (const auto cause = json::find_string(*error, "cause")) {
        EXPECT_TRUE(result.error().status.has_cause(*cause));
      }
    } else {
      ASSERT_TRUE(result) << result.error().message;
      EXPECT_EQ(json::to_text(*result), json::to_text(row.at("result")));
    }
    json::Array waits;
    for (const std::int64_t wait : clock.waits) waits.emplace_back(wait / 1000);
    const json::Value* expected = json::find(row, "waits");
    EXPECT_EQ(json::to_text(json::Value(waits)), expected != nullptr ? json::to_text(*expected) : "[]");
  }
}

/// An exchange of any request for a reply.
json::Value exchange(std::string_view request, std::string_view reply) {
  return json::Value{{"request", json::parse(request).value()}, {"reply", json::parse(reply).value()}};
}

TEST(Client, GivesUpAfterSoManyRetries) {
  json::Array exchanges;
  for (int i = 0; i < 4; ++i)
    exchanges.push_back(exchange("{}", R"({"status":503,"headers":{"Retry-After":"1"}})"));
  const ScriptedApi server(exchanges);
  PassingClock clock;
  const auto client = Client::create(config_for(server), {.max_retries = 3, .clock = &clock});
  ASSERT_TRUE(client) << client.error().message;
  const auto result = (*client)->get({"", "v1", "pods"}, {"a", "b"});
  ASSERT_FALSE(result);
  EXPECT_TRUE(result.error().is(k8s::reason::service_unavailable));
  EXPECT_EQ(server.faults(), "");
}

TEST(Client, StopsWaitingWhenItIsAskedTo) {
  const ScriptedApi server({exchange("{}", R"({"status":503,"headers":{"Retry-After":"20"}})")});
  FakeClock clock;
  const auto client = Client::create(config_for(server), {.clock = &clock});
  ASSERT_TRUE(client) << client.error().message;
  std::stop_source stop;
  const std::jthread stopper([&] {
    clock.wait_for_waiters(1);
    stop.request_stop();
  });
  const auto result = (*client)->get({"", "v1", "pods"}, {"a", "b"}, {}, {.stop = stop.get_token()});
  ASSERT_FALSE(result);
  EXPECT_EQ(result.error().code, ErrorCode::cancelled);
  EXPECT_FALSE(result.error().is_answer());
}

TEST(Client, PassesOnWhatTheServerWarnsOf) {
  const ScriptedApi server({exchange(
      "{}",
      R"({"status":200,"headers":{"Warning":"299 - \"unknown field \\\"spec.x\\\"\""},"body":{"apiVersion":"v1","kind":"Pod"}})")});
  std::vector<std::string> warnings;
  const auto client = Client::create(
      config_for(server), {.on_warning = [&](std::string_view text) { warnings.emplace_back(text); }});
  ASSERT_TRUE(client) << client.error().message;
  ASSERT_TRUE((*client)->get({"", "v1", "pods"}, {"a", "b"}));
  EXPECT_EQ(warnings, (std::vector<std::string>{"unknown field \"spec.x\""}));
}

TEST(Client, ActsAsSomebodyElse) {
  const ScriptedApi server({exchange(
      R"({"headers":{"Impersonate-User":"jane","Impersonate-Uid":"42","Impersonate-Group":"a, b","Impersonate-Extra-scopes%2Fx":"y","Authorization":"Basic dTpw"}})",
      R"({"status":200,"body":{"apiVersion":"v1","kind":"Pod"}})")});
  ClientConfig config = config_for(server);
  config.username = "u";
  config.password = "p";
  config.impersonate = {.user = "jane", .uid = "42", .groups = {"a", "b"}, .extra = {{"scopes/x", {"y"}}}};
  const auto client = Client::create(config);
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE((*client)->get({"", "v1", "pods"}, {"a", "b"}));
  EXPECT_EQ(server.faults(), "");
}

TEST(Client, KeepsThePathOfTheServersUrl) {
  const ScriptedApi server({exchange(R"({"target":"/k8s/clusters/c/api/v1/namespaces/a/pods/b"})",
                                     R"({"status":200,"body":{"apiVersion":"v1","kind":"Pod"}})")});
  ClientConfig config = config_for(server);
  config.server += "/k8s/clusters/c/";
  const auto client = Client::create(config);
  ASSERT_TRUE(client) << client.error().message;
  EXPECT_TRUE((*client)->get({"", "v1", "pods"}, {"a", "b"}));
  EXPECT_EQ(server.faults(), "");
  config.server = "ftp://a";
  EXPECT_FALSE((*Client::create(config))->get({"", "v1", "pods"}, {"a", "b"}));
  config.server = "http://a b";
  const auto broken = Client::create(config);
  ASSERT_FALSE(broken);
  EXPECT_NE(broken.error().message.find("the test's cluster: server"), std::string::npos)
      << broken.error().message;
}

TEST(Conflicts, AreWrittenAgainSoManyTimes) {
  PassingClock clock;
  int calls = 0;
  const auto conflict = [&]() -> ApiResult<k8s::Dynamic> {
    ++calls;
    return std::unexpected(ApiError("writing", k8s::Status::failure(k8s::reason::conflict, "modified")));
  };
  EXPECT_TRUE(retry_on_conflict(clock, conflict).error().is_conflict());
  EXPECT_EQ(calls, 5);
  EXPECT_EQ(clock.waits, (std::vector<std::int64_t>{10, 10, 10, 10}));
  clock.waits.clear();
  EXPECT_FALSE(retry_on_conflict(clock, conflict, conflict_backoff));
  EXPECT_EQ(clock.waits, (std::vector<std::int64_t>{10, 50, 250}));

  calls = 0;
  const auto at_last = [&]() -> ApiResult<k8s::Dynamic> {
    if (++calls < 3) return conflict();
    return k8s::Dynamic();
  };
  calls = 0;
  EXPECT_TRUE(retry_on_conflict(clock, at_last));
  calls = 0;
  const auto other = [&]() -> ApiResult<k8s::Dynamic> {
    ++calls;
    return std::unexpected(ApiError("writing", k8s::Status::failure(k8s::reason::already_exists, "there")));
  };
  EXPECT_FALSE(retry_on_conflict(clock, other));
  EXPECT_EQ(calls, 1);
}

class Widget : public k8s::Dynamic {
 public:
  static constexpr k8s::Resource resource{"widgets.example.com", "v1", "Widget", "widgets"};
  using Dynamic::Dynamic;
  std::string_view color() const { return text("spec.color"); }
};

TEST(Api, IsTyped) {
  const std::string widget =
      R"({"apiVersion":"widgets.example.com/v1","kind":"Widget","metadata":{"name":"w","namespace":"n"},"spec":{"color":"red"}})";
  const std::string ok = R"({"status":200,"body":)" + widget + "}";
  const ScriptedApi server(
      {exchange(R"({"method":"GET","target":"/apis/widgets.example.com/v1/namespaces/n/widgets/w"})", ok),
       exchange(R"({"method":"POST","target":"/apis/widgets.example.com/v1/namespaces/n/widgets"})", ok),
       exchange(R"({"method":"PUT","target":"/apis/widgets.example.com/v1/namespaces/n/widgets/w/status"})",
                ok),
       exchange(
           R"({"method":"PATCH","target":"/apis/widgets.example.com/v1/namespaces/n/widgets/w/status?fieldManager=m"})",
           ok),
       exchange(
           R"({"method":"GET","target":"/apis/widgets.example.com/v1/namespaces/n/widgets?limit=500"})",
           R"({"status":200,"body":{"apiVersion":"widgets.example.com/v1","kind":"WidgetList","metadata":{"resourceVersion":"7"},"items":[)" +
               widget + "]}}"),
       exchange(R"({"method":"DELETE"})", R"({"status":200,"body":{"apiVersion":"v1","kind":"Status"}})"),
       exchange("{}", R"({"status":200,"body":{"apiVersion":"v1","kind":"Pod"}})")});
  Api<Widget> api(*Client::create(config_for(server)), "n");
  const auto got = api.get("w");
  ASSERT_TRUE(got) << got.error().message;
  EXPECT_EQ(got->color(), "red");
  EXPECT_TRUE(api.create(k8s::make<Widget>("w")));
  EXPECT_TRUE(api.replace_status(*got));
  EXPECT_TRUE(api.apply_status(k8s::make<Widget>("w"), {.field_manager = "m"}));
  const auto list = api.list();
  ASSERT_TRUE(list) << list.error().message;
  EXPECT_EQ(list->items.at(0).color(), "red");
  EXPECT_EQ(list->resource_version, "7");
  EXPECT_TRUE(api.remove("w"));
  const auto other = api.get("w");
  ASSERT_FALSE(other);
  EXPECT_NE(other.error().message.find("expected widgets.example.com/v1, Kind=Widget"), std::string::npos);
  EXPECT_EQ(server.faults(), "");
}

}  // namespace
}  // namespace fairway::kube
