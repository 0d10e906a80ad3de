// SPDX-License-Identifier: Apache-2.0

// Migrations with objects that cannot be read or written.
#include "conversion/migration/left_out.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/digest.h"
#include "conversion/internal/migration/left_out_record.h"
#include "conversion/migration/migration.h"
#include "conversion/stored_objects.h"
#include "k8s/condition.h"

namespace fairway::conversion {
namespace {

using testing::StoredObjects;

constexpr const char* widgets = "widgets.example.com";
constexpr const char* no_number =
    "conversion webhook for example.com/v1alpha1, Kind=Widget failed: cannot unmarshal string into float64";

std::string name_of(int i) {
  return "w" + std::to_string(1000 + i);
}
k8s::Key key_of(int i) {
  return {.namespace_name = "a", .name = name_of(i)};
}

class LeftOutTest : public ::testing::Test {
 protected:
  LeftOutTest() {
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    client_ = server_.client();
  }

  void fill(int count) {
    server_.remove_objects();
    for (int i = 0; i < count; ++i) server_.add(key_of(i), "v1alpha1");
  }
  Result<void> migrate(KindProgress& progress, const Checkpoint& checkpoint = {}) {
    return migrate_kind(*client_, request_, pace_, progress, checkpoint);
  }
  KindProgress planned() {
    auto plan = plan_migration(*client_, request_);
    EXPECT_TRUE(plan) << plan.error().message;
    return plan ? plan->at(0) : KindProgress{};
  }
  void serve(const std::string& version, bool served) {
    server_.redefine(widgets, [&](k8s::Dynamic& definition) {
      for (json::Value& entry : definition.array("spec.versions")) {
        k8s::Editor one(entry.get_object());
        if (one.text("name") == version) one.set("served", served);
      }
    });
  }
  void refuse(const std::vector<int>& which, std::string_view reason, const std::string& message) {
    server_.intercept([=](const http::Request& request) -> std::optional<http::Response> {
      if (request.method != "PATCH") return std::nullopt;
      for (const int one : which) {
        if (request.path.ends_with("/" + name_of(one))) return StoredObjects::refusal(reason, message);
      }
      return std::nullopt;
    });
  }
  int in_old_version() const {
    const auto objects = server_.objects();
    return static_cast<int>(
        std::ranges::count_if(objects, [](const auto& o) { return o.second.version != "v1"; }));
  }
  bool trimmed() const { return server_.stored_versions(widgets) == std::vector<std::string>{"v1"}; }
  static std::vector<std::string> names(const KindProgress& progress) {
    std::vector<std::string> names;
    for (const k8s::Key& key : progress.left_out.keys()) names.push_back(key.to_string());
    std::ranges::sort(names);
    return names;
  }

  StoredObjects server_;
  std::shared_ptr<kube::Client> client_;
  MigrationRequest request_{
      .group = "example.com", .kind = "Widget", .old_version = "v1alpha1", .new_version = "v1"};
  MigrationPace pace_{.page_size = 20, .attempts = 2, .settle = {}};
};

TEST_F(LeftOutTest, WritesAllButTheOneThatDoesNotConvert) {
  fill(61);
  server_.spoil(key_of(30), no_number);
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_FALSE(done);
  EXPECT_EQ(done.error().code, ErrorCode::unavailable);
  EXPECT_TRUE(done.error().message.contains("a/w1030: conversion webhook")) << done.error().message;
  EXPECT_EQ(progress.done, 60);
  EXPECT_EQ(progress.total, 61);
  EXPECT_EQ(names(progress), (std::vector<std::string>{"a/w1030"}));
  EXPECT_FALSE(progress.unread);
  EXPECT_EQ(in_old_version(), 1);
  EXPECT_FALSE(trimmed());
}

TEST_F(LeftOutTest, ASecondRunTriesOnlyWhatIsLeft) {
  fill(61);
  server_.spoil(key_of(30), no_number);
  KindProgress first = planned();
  ASSERT_FALSE(migrate(first));
  // Another process: it knows what the definition says.
  const int before = server_.patches();
  KindProgress second = planned();
  ASSERT_FALSE(migrate(second));
  EXPECT_EQ(server_.patches() - before, pace_.attempts);
  EXPECT_EQ(second.done, 60);
  EXPECT_EQ(second.total, 61);
  EXPECT_EQ(names(second), (std::vector<std::string>{"a/w1030"}));
  // Repaired, it is all that is written.
  server_.spoil(key_of(30), "");
  KindProgress third = planned();
  const auto done = migrate(third);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(server_.patches() - before, pace_.attempts + 1);
  EXPECT_EQ(third.done, 61);
  EXPECT_TRUE(third.left_out.empty());
  EXPECT_TRUE(trimmed());
  EXPECT_FALSE(k8s::find_condition(server_.definition(widgets), left_out_condition));
}

TEST_F(LeftOutTest, WhatAnEarlierRunSaysHoldsForItsGenerationOnly) {
  fill(30);
  server_.spoil(key_of(3), no_number);
  KindProgress first = planned();
  ASSERT_FALSE(migrate(first));
  // Meanwhile the storage version was another one: this object was stored in it.
  server_.redefine(widgets, [](k8s::Dynamic&) {});
  server_.add(key_of(40), "v1alpha1");
  server_.spoil(key_of(3), "");
  KindProgress second = planned();
  EXPECT_FALSE(second.passed);
  const auto done = migrate(second);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(in_old_version(), 0);
  EXPECT_TRUE(trimmed());
}

TEST_F(LeftOutTest, DoesNotTrustARecordThatSomebodyHasChanged) {
  fill(61);
  for (const int i : {30, 31}) server_.spoil(key_of(i), no_number);
  KindProgress first = planned();
  ASSERT_FALSE(migrate(first));
  const k8s::Dynamic kept = server_.definition(widgets);
  const std::string message(k8s::find_condition(kept, left_out_condition)->message());
  const std::string head = "generation 1: 59 objects are stored in v1; ";
  ASSERT_TRUE(message.starts_with(head + "2 left out, sha256 ")) << message;
  const auto read = [&](const std::string& text, const char* scope) {
    k8s::Dynamic definition = kept;
    definition.set("spec.scope", scope);
    definition.set("status.conditions",
                   json::Array{json::Value(
                       json::Object{{"type", left_out_condition}, {"status", "True"}, {"message", text}})});
    KindProgress progress;
    read_left_out_record(k8s::CustomResourceDefinition(definition.json()), progress);
    return progress;
  };
  const auto with = [&](const std::string& beginning, const std::string& names) {
    return beginning + ", sha256 " + sha256_hex(beginning + names) + ": " + names;
  };
  EXPECT_EQ(names(read(message, "Namespaced")), (std::vector<std::string>{"a/w1030", "a/w1031"}));
  EXPECT_EQ(message, with(head + "2 left out", "a/w1030, a/w1031"));
  // Objects of a cluster-scoped kind have no namespace.
  EXPECT_EQ(read(message, "Cluster"), KindProgress{});
  // However it was cut.
  for (std::size_t length = 0; length < message.size(); ++length)
    EXPECT_EQ(read(message.substr(0, length), "Namespaced"), KindProgress{}) << length;
  for (const std::string& changed :
       {with(head + "3 left out", "a/w1030, a/w1031"), with(head + "1 left out", "w1030"),
        with(head + "1 left out", "a/W1030"), with(head + "1 left out", "a.b/w1030"),
        with(head + "1 left out", ""), with("generation 2: 59 objects are stored in v1; 1 left out", "a/b"),
        with("generation 1: 59 objects are stored in v1alpha1; 1 left out", "a/b"),
        with("generation 1: -3 objects are stored in v1; 1 left out", "a/b"), message + ", a/w1032",
        std::string("generation 1: 59 objects are stored in v1; left out: a/w1030")})
    EXPECT_EQ(read(changed, "Namespaced"), KindProgress{}) << changed;
}

TEST_F(LeftOutTest, ReadsAllAgainIfWhatWasLeftOutIsGone) {
  fill(61);
  server_.spoil(key_of(30), no_number);
  KindProgress first = planned();
  ASSERT_FALSE(migrate(first));
  KindProgress second = planned();
  ASSERT_TRUE(second.passed);
  // As if the name were another one.
  second.left_out.clear();
  second.left_out.add({.namespace_name = "a", .name = "w1"}, "left out by an earlier run");
  ASSERT_FALSE(migrate(second));
  EXPECT_EQ(names(second), (std::vector<std::string>{"a/w1030"}));
  EXPECT_EQ(second.done, 60);
  EXPECT_FALSE(trimmed());
}

TEST_F(LeftOutTest, NoPageIsTheLastBecauseNoneOfItsObjectsCanBeWritten) {
  struct Row {
    const char* what;
    int objects;
    std::int64_t page_size;
    std::vector<int> refused;
  };
  std::vector<int> first_page;
  for (int i = 0; i < 20; ++i) first_page.push_back(i);
  const std::vector<Row> rows{{"a last page of one object", 501, 500, {500}},
                              {"a first page of nothing else", 50, 20, first_page},
                              {"pages of one object", 5, 1, {0, 2, 4}}};
  for (const Row& row : rows) {
    SCOPED_TRACE(row.what);
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    fill(row.objects);
    refuse(row.refused, k8s::reason::forbidden, "admission webhook \"w.example.com\" denied the request: no");
    pace_.page_size = row.page_size;
    KindProgress progress = planned();
    ASSERT_FALSE(migrate(progress));
    EXPECT_EQ(progress.left_out.count(), static_cast<std::int64_t>(row.refused.size()));
    EXPECT_EQ(progress.done, row.objects - static_cast<std::int64_t>(row.refused.size()));
    EXPECT_TRUE(progress.passed);
    EXPECT_FALSE(trimmed());
  }
}

TEST_F(LeftOutTest, SaysByWhichCauseAndOfAnObjectThatIsGoingWhatItWaitsFor) {
  fill(30);
  server_.delete_object(key_of(7));
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH") return std::nullopt;
    const auto is = [&](int i) { return request.path.ends_with("/" + name_of(i)); };
    if (is(2) || is(3)) {
      const std::string name(request.path.substr(request.path.rfind('/') + 1));
      return StoredObjects::refusal(k8s::reason::invalid,
                                    "Widget.example.com \"" + name + "\" is invalid: spec.size: too small");
    }
    if (is(7)) {
      return StoredObjects::refusal(
          k8s::reason::invalid,
          "widgets.example.com \"w1007\" is forbidden: ValidatingAdmissionPolicy 'p' denied request: frozen");
    }
    return std::nullopt;
  });
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_FALSE(done);
  const auto causes = progress.left_out.by_count();
  ASSERT_EQ(causes.size(), 2U);
  EXPECT_EQ(causes[0],
            (LeftOutCause{"Widget.example.com is invalid: spec.size: too small", 2, {"a/w1002", "a/w1003"}}));
  EXPECT_EQ(causes[1].objects, (std::vector<std::string>{"a/w1007"}));
  EXPECT_TRUE(causes[1].cause.contains("it is being deleted, and waits for finalizers example.com/hold"))
      << causes[1].cause;
  EXPECT_TRUE(done.error().message.contains("3 objects were left out, by 2 causes: a/w1002, a/w1003: "))
      << done.error().message;
  EXPECT_EQ(progress.done, 27);
}

TEST_F(LeftOutTest, AnObjectThatGoesMeanwhileIsDone) {
  fill(30);
  server_.delete_object(key_of(7));
  // Its finalizer was removed after it was listed.
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH" || !request.path.ends_with("/" + name_of(7))) return std::nullopt;
    return StoredObjects::gone(name_of(7));
  });
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_TRUE(done) << done.error().message;
  EXPECT_EQ(progress.done, 30);
  EXPECT_TRUE(trimmed());
}

TEST_F(LeftOutTest, NamesWhatCannotBeReadWhereTheOldVersionIsNotServed) {
  const auto other = [](int i) { return "request.objects[0]: Widget a/" + name_of(i) + ": no"; };
  struct Row {
    const char* what;
    std::map<int, std::string> faults;
    std::vector<std::string> named;
  };
  const std::vector<Row> rows{
      {"one", {{30, no_number}}, {"a/w1030"}},
      {"the first and the last", {{0, no_number}, {60, no_number}}, {"a/w1000", "a/w1060"}},
      {"neighbours that the errors tell apart", {{9, other(9)}, {10, other(10)}}, {"a/w1009", "a/w1010"}},
      // Nothing tells them apart: the last one is named.
      {"neighbours", {{9, no_number}, {10, no_number}, {12, no_number}}, {"a/w1010", "a/w1012"}}};
  for (const std::string& namespace_name : {std::string(), std::string("a")}) {
    for (const bool whole_tokens : {false, true}) {
      for (const Row& row : rows) {
        SCOPED_TRACE(std::string(row.what) + " in '" + namespace_name + "'");
        server_.define("widgets", "Widget", {"v1alpha1", "v1"});
        serve("v1alpha1", false);
        server_.name_namespaces_in_tokens(whole_tokens);
        fill(61);
        for (const auto& [i, fault] : row.faults) server_.spoil(key_of(i), fault);
        request_.namespace_name = namespace_name;
        pace_.attempts = 1;
        KindProgress progress = planned();
        const auto done = migrate(progress);
        ASSERT_FALSE(done);
        EXPECT_EQ(names(progress), row.named) << done.error().message;
        EXPECT_EQ(progress.done, 61 - static_cast<std::int64_t>(row.faults.size()));
        EXPECT_TRUE(progress.passed);
        EXPECT_TRUE(progress.unread);
        EXPECT_EQ(in_old_version(), static_cast<int>(row.faults.size()));
        // As others may hide before it, all are read again.
        EXPECT_FALSE(planned().passed);
        for (const auto& [i, fault] : row.faults) server_.spoil(key_of(i), "");
      }
    }
  }
}

TEST_F(LeftOutTest, TrimsNothingWhileAnObjectIsInTheOldVersionWheneverAFaultEnds) {
  serve("v1alpha1", false);
  pace_.attempts = 1;
  constexpr int count = 7;
  bool outlasts = false;
  // The fault ends after so many requests: in the middle of a search, between search and write, ...
  for (int lasting = 0; !outlasts; ++lasting) {
    ASSERT_LT(lasting, 1'000);
    SCOPED_TRACE(lasting);
    server_.intercept({});
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    serve("v1alpha1", false);
    fill(0);
    for (int i = 0; i < count; ++i) {
      const k8s::Key key{.namespace_name = "default", .name = std::string{"dfhjmps"[i], 'q', "4a9"[i % 3]}};
      server_.add(key, "v1alpha1");
      server_.spoil(key, no_number);
    }
    std::atomic<int> requests = 0;
    server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
      if (!request.path.contains("/apis/example.com/") || requests++ != lasting) return std::nullopt;
      for (const auto& [key, stored] : server_.objects()) server_.spoil(key, "");
      return std::nullopt;
    });
    KindProgress progress = planned();
    const auto done = migrate(progress);
    EXPECT_EQ(done.has_value(), trimmed());
    EXPECT_TRUE(done || !progress.left_out.empty()) << done.error().message;
    EXPECT_TRUE(!trimmed() || in_old_version() == 0);
    EXPECT_TRUE(!done || progress.done == count) << progress.done;
    outlasts = requests <= lasting;
    server_.intercept({});
  }
}

TEST_F(LeftOutTest, AnErrorThatDiffersWithEachRequestInventsNoObject) {
  fill(9);
  serve("v1alpha1", false);
  server_.spoil(key_of(4), no_number);
  std::atomic<int> review = 0;
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.path.contains("/apis/example.com/"))
      server_.spoil(key_of(4), "review " + std::to_string(++review) + ": no");
    return std::nullopt;
  });
  KindProgress progress = planned();
  ASSERT_FALSE(migrate(progress));
  EXPECT_EQ(names(progress), (std::vector<std::string>{"a/w1004"}));
  EXPECT_EQ(progress.done, 8);
  EXPECT_FALSE(trimmed());
  server_.intercept({});
}

TEST_F(LeftOutTest, TakesTheKeyThatKubernetesNamesIfItCannotBeRead) {
  struct Row {
    const char *what, *key;
    int most_lists;
  };
  for (const Row& row : {Row{"the key", "/registry/example.com/widgets/a/w1007", 25},
                         Row{"one that can be read", "/registry/example.com/widgets/a/w1008", 200},
                         Row{"none", "/registry/example.com/widgets/a/w2000", 200},
                         Row{"that of another kind", "/registry/example.com/gadgets/a/w1007", 200}}) {
    SCOPED_TRACE(row.what);
    server_.define("widgets", "Widget", {"v1alpha1", "v1"});
    serve("v1alpha1", false);
    fill(9);
    server_.spoil(key_of(7),
                  "failed to read one or more widgets.example.com from the storage: StorageError: "
                  "corrupt object, Code: 7, Key: " +
                      std::string(row.key) +
                      ", ResourceVersion: 0, AdditionalErrorMsg: object not decodable "
                      "revision=721: " +
                      no_number);
    std::atomic<int> lists = 0;
    server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
      lists += request.method == "GET" && request.path.ends_with("/widgets") ? 1 : 0;
      return std::nullopt;
    });
    KindProgress progress = planned();
    ASSERT_FALSE(migrate(progress));
    EXPECT_EQ(names(progress), (std::vector<std::string>{"a/w1007"}));
    EXPECT_EQ(progress.done, 8);
    EXPECT_LE(lists, row.most_lists);
    server_.intercept({});
  }
}

TEST_F(LeftOutTest, ADenialIsNoDeletionWhateverItsCode) {
  fill(30);
  server_.intercept([&](const http::Request& request) -> std::optional<http::Response> {
    if (request.method != "PATCH" || !request.path.ends_with("/" + name_of(7))) return std::nullopt;
    k8s::Status status = k8s::Status::failure(
        k8s::reason::not_found, "admission webhook \"w.example.com\" denied the request: no such team");
    status.set("details", json::Object{{"name", name_of(7)}, {"group", "example.com"}, {"kind", "widgets"}});
    return http::Response::json(status.code(), status.to_text());
  });
  KindProgress progress = planned();
  ASSERT_FALSE(migrate(progress));
  EXPECT_EQ(names(progress), (std::vector<std::string>{"a/w1007"}));
  EXPECT_EQ(progress.done, 29);
  EXPECT_EQ(in_old_version(), 1);
  EXPECT_FALSE(trimmed());
}

TEST_F(LeftOutTest, ReadsInAnotherVersionWhatDoesNotConvertToTheOldOne) {
  fill(61);
  // Written in the new version already, and with no way back: a list of the old version fails.
  server_.add(key_of(5), "v1");
  server_.spoil(key_of(5), no_number);
  server_.add(key_of(25), "v1");
  server_.spoil(key_of(25), no_number);
  // In the same page as one that does not convert to the new one.
  server_.spoil(key_of(27), no_number);
  KindProgress progress = planned();
  const auto done = migrate(progress);
  ASSERT_FALSE(done);
  EXPECT_EQ(names(progress), (std::vector<std::string>{"a/w1027"})) << done.error().message;
  EXPECT_EQ(progress.done, 60);
  EXPECT_FALSE(progress.unread);
}

TEST_F(LeftOutTest, KeepsWhatWasLeftOutOverAKill) {
  fill(61);
  for (const int i : {1, 25, 45, 60}) server_.spoil(key_of(i), no_number);
  std::vector<KindProgress> kept;
  int kills = 0;
  while (true) {
    std::vector<KindProgress> plan{planned()};
    resume(plan, kept);
    const auto done = migrate(plan[0], [&](const KindProgress& now) -> Result<void> {
      kept = {now};
      return now.passed ? Result<void>{} : fail(ErrorCode::cancelled, "killed");
    });
    if (done || done.error().code != ErrorCode::cancelled) break;
    ASSERT_LT(++kills, 20);
  }
  EXPECT_EQ(kills, 3);
  EXPECT_EQ(kept[0].done, 57);
  EXPECT_EQ(names(kept[0]), (std::vector<std::string>{"a/w1001", "a/w1025", "a/w1045", "a/w1060"}));
  EXPECT_EQ(server_.patches(), 57 + 4 * pace_.attempts);
}

TEST(LeftOut, GroupsWhatDiffersInTheNameOnly) {
  LeftOut left_out;
  for (const std::string name : {"one", "two"}) {
    left_out.add({.namespace_name = "a", .name = name},
                 "request.objects[0]: Widget a/" + name + ": converting from v1 to v2: spec.size: no");
    left_out.add({.namespace_name = "", .name = name},
                 "widgets.example.com \"" + name + "\" is forbidden: no");
  }
  ASSERT_EQ(left_out.causes().size(), 2U);
  EXPECT_EQ(left_out.causes()[0].cause,
            "request.objects[0]: Widget: converting from v1 to v2: spec.size: no");
  EXPECT_EQ(left_out.causes()[0].objects, (std::vector<std::string>{"a/one", "a/two"}));
  EXPECT_EQ(left_out.causes()[1].cause, "widgets.example.com is forbidden: no");
}

TEST(LeftOut, GroupsWhatKubernetesSaysOfObjectsThatItCannotDecode) {
  LeftOut left_out;
  for (int i = 0; i < 60; ++i) {
    const std::string revision = std::to_string(721 + i);
    left_out.add(key_of(i), "object not decodable revision=" + revision + ": " + std::string(no_number));
    left_out.add(
        key_of(100 + i),
        "failed to read one or more widgets.example.com from the storage: StorageError: corrupt object, "
        "Code: 7, Key: /registry/example.com/widgets/a/" +
            name_of(100 + i) + ", ResourceVersion: " + std::to_string(i) +
            ", AdditionalErrorMsg: object not decodable revision=" + revision + ": " + no_number);
  }
  ASSERT_EQ(left_out.causes().size(), 2U);
  EXPECT_EQ(left_out.causes()[0].cause, no_number);
  EXPECT_EQ(left_out.causes()[0].count, 60);
  EXPECT_EQ(left_out.causes()[1].cause,
            "failed to read one or more widgets.example.com from the storage: StorageError: corrupt object, "
            "Code: 7, AdditionalErrorMsg: " +
                std::string(no_number));
}

TEST(LeftOut, IsBounded) {
  LeftOut left_out;
  for (int i = 0; i < 3'000; ++i) {
    left_out.add({.namespace_name = "a", .name = name_of(i)},
                 "cause " + std::to_string(i % 100) + " of \"" + name_of(i) + "\"");
  }
  EXPECT_EQ(left_out.count(), 3'000);
  EXPECT_EQ(left_out.causes().size(), LeftOut::most_causes);
  EXPECT_EQ(left_out.keys().size(), LeftOut::most_names);
  EXPECT_FALSE(left_out.names_all());
  // What is kept in a status is counted with what comes later.
  EXPECT_EQ(left_out.by_count()[0].cause, "other causes, for example: cause 49 of");
  LeftOut kept;
  for (const LeftOutCause& cause : left_out.causes()) kept.add(cause);
  EXPECT_EQ(kept, left_out);
  kept.add(key_of(1), "yet another");
  EXPECT_EQ(kept.causes().size(), LeftOut::most_causes);
  EXPECT_TRUE(left_out.summary().starts_with("3000 objects were left out, by 50 causes: "))
      << left_out.summary();
}

}  // namespace
}  // namespace fairway::conversion
