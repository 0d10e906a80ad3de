// SPDX-License-Identifier: Apache-2.0

// Users, verbs and kinds under roles made at random, and paths of any form: nobody is let in where RBAC says
// no. FAIRWAY_SEED and FAIRWAY_ROUNDS look further.
#include <array>
#include <cstdlib>
#include <map>
#include <random>
#include <string>
#include <vector>

#include "apiserver/access_judge.h"
#include "apiserver/raw_client.h"

namespace fairway::apiserver::testing {
namespace {

struct KindOfMatrix {
  const char *group, *version, *resource, *subresource;
  bool is_namespaced;
  /// Members of an object of this kind, besides its metadata.
  const char* rest;
};

constexpr std::array kinds{
    KindOfMatrix{"", "v1", "configmaps", "", true, ""},
    KindOfMatrix{"", "v1", "secrets", "", true, R"(,"stringData":{"key":"marker-of-the-secret"})"},
    KindOfMatrix{"", "v1", "pods", "", true, R"(,"spec":{"containers":[{"name":"c","image":"x"}]})"},
    KindOfMatrix{"", "v1", "pods", "status", true, ""},
    KindOfMatrix{"", "v1", "namespaces", "", false, ""},
    KindOfMatrix{"", "v1", "nodes", "", false, ""},
    KindOfMatrix{"", "v1", "nodes", "status", false, ""},
    KindOfMatrix{
        "apps", "v1", "deployments", "", true,
        R"(,"spec":{"selector":{"matchLabels":{"a":"b"}},"template":{"metadata":{"labels":{"a":"b"}},"spec":{"containers":[{"name":"c","image":"x"}]}}})"},
    KindOfMatrix{"apps", "v1", "deployments", "scale", true, ""},
    KindOfMatrix{"batch", "v1", "cronjobs", "status", true, ""},
    KindOfMatrix{"coordination.k8s.io", "v1", "leases", "", true, ""},
    KindOfMatrix{"rbac.authorization.k8s.io", "v1", "roles", "", true, ""},
    KindOfMatrix{"storage.k8s.io", "v1", "storageclasses", "", false, R"(,"provisioner":"example.com/p")"},
    KindOfMatrix{"example.com", "v1", "things", "", true, ""},
};
constexpr std::array verbs{"get", "list", "watch", "create", "update", "patch", "delete", "deletecollection"};
constexpr std::array spaces{"default", "team", "kube-system"};
constexpr std::array names{"a", "b"};

long from_environment(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text != nullptr ? std::strtol(text, nullptr, 10) : otherwise;
}

class AccessMatrix : public OnServer {
 protected:
  AccessMatrix() {
    for (const char* space : spaces)
      put("/api/v1/namespaces", R"({"metadata":{"name":")" + text(space) + R"("}})");
    for (const auto& [user, groups] : users) clients.emplace(user, RawClient(*server, &certificates[user]));
  }

  static std::string text(const char* of) { return of; }
  template <class List>
  auto any(const List& list) {
    return list[std::uniform_int_distribution<std::size_t>(0, std::size(list) - 1)(chance)];
  }
  bool one_in(int count) { return std::uniform_int_distribution<int>(1, count)(chance) == 1; }

  void put(const std::string& path, const std::string& body) { root.send("POST", path, {}, body); }

  static std::string base(const KindOfMatrix& kind, const std::string& space) {
    const std::string group(kind.group);
    return (group.empty() ? "/api/" : "/apis/" + group + "/") + kind.version +
           (kind.is_namespaced && !space.empty() ? "/namespaces/" + space : "") + "/" + kind.resource;
  }
  static std::string object_of_kind(const KindOfMatrix& kind, const std::string& name) {
    return R"({"metadata":{"name":")" + name + "\"}" + kind.rest + "}";
  }

  json::Array any_rules() {
    json::Array rules;
    for (int i = 0; i < 1 + (one_in(2) ? 1 : 0); ++i) {
      const KindOfMatrix kind = any(kinds);
      const std::string whole =
          text(kind.resource) + (*kind.subresource != '\0' ? "/" + text(kind.subresource) : "");
      json::Array some_verbs, resources{json::Value(whole)}, groups{json::Value(kind.group)};
      for (const char* verb : verbs) {
        if (one_in(3)) some_verbs.emplace_back(verb);
      }
      if (some_verbs.empty() || one_in(8)) some_verbs = {json::Value(one_in(2) ? "*" : any(verbs))};
      if (one_in(10)) groups = {json::Value("*")};
      if (one_in(12)) resources = {json::Value("*")};
      if (one_in(12)) resources = {json::Value("*/status")};
      if (one_in(6)) resources.emplace_back(any(kinds).resource);
      json::Object rule{{"verbs", some_verbs}, {"apiGroups", groups}, {"resources", resources}};
      if (one_in(4)) rule["resourceNames"] = json::Array{json::Value(any(names))};
      rules.emplace_back(rule);
    }
    return rules;
  }

  json::Value any_subject() {
    constexpr const char* group = "rbac.authorization.k8s.io";
    if (one_in(3))
      return json::Object{{"kind", "Group"}, {"apiGroup", group}, {"name", one_in(2) ? "red" : "blue"}};
    return json::Object{{"kind", "User"}, {"apiGroup", group}, {"name", any(user_names)}};
  }

  /// Makes roles and bindings, for the server and for the judge.
  void make_roles(int round) {
    const std::string api = "/apis/rbac.authorization.k8s.io/v1";
    for (int i = 0; i < 6; ++i) {
      const std::string name = "r" + std::to_string(round) + "-" + std::to_string(i);
      const bool in_cluster = one_in(2), binds_cluster = in_cluster && one_in(2);
      const std::string space = any(spaces);
      const json::Array rules = any_rules();
      const json::Array subjects{any_subject()};
      const std::string here = api + "/namespaces/" + space;
      put(in_cluster ? api + "/clusterroles" : here + "/roles",
          json::to_text(json::Object{{"metadata", {{"name", name}}}, {"rules", rules}}));
      put(binds_cluster ? api + "/clusterrolebindings" : here + "/rolebindings",
          json::to_text(json::Object{{"metadata", {{"name", name}}},
                                     {"subjects", subjects},
                                     {"roleRef",
                                      {{"apiGroup", "rbac.authorization.k8s.io"},
                                       {"kind", in_cluster ? "ClusterRole" : "Role"},
                                       {"name", name}}}}));
      judge.roles.push_back({in_cluster ? "" : space, name, rules});
      judge.bindings.push_back({binds_cluster ? "" : space, in_cluster, name, subjects});
    }
  }

  /// Returns whether the reply refuses a user without the right.
  static bool is_refusal(const http::Reply& reply, const Wish& wish) {
    return reply.status == 403 &&
           reply.body.find(" cannot " + wish.verb + " resource \\\"" + wish.resource) != std::string::npos;
  }

  http::Reply send(const KindOfMatrix& kind, const Wish& wish) {
    const bool names_one =
        wish.verb == "get" || wish.verb == "update" || wish.verb == "patch" || wish.verb == "delete";
    static const std::map<std::string, std::string> methods{
        {"get", "GET"},    {"list", "GET"},    {"watch", "GET"},     {"create", "POST"},
        {"update", "PUT"}, {"patch", "PATCH"}, {"delete", "DELETE"}, {"deletecollection", "DELETE"}};
    std::string path = base(kind, wish.namespace_name);
    if (names_one || !wish.subresource.empty()) path += "/" + wish.name;
    if (!wish.subresource.empty()) path += "/" + wish.subresource;
    // Nothing may change: the next wish finds what this one has found.
    path += wish.verb == "watch"             ? "?watch=true&timeoutSeconds=1"
            : methods.at(wish.verb) == "GET" ? ""
                                             : "?dryRun=All";
    http::Headers headers;
    if (wish.verb == "patch") headers.set("Content-Type", "application/merge-patch+json");
    const bool has_body = wish.verb == "create" || wish.verb == "update" || wish.verb == "patch";
    return clients.at(wish.user).send(methods.at(wish.verb), path, headers,
                                      has_body ? object_of_kind(kind, wish.name) : "");
  }

  const std::map<std::string, std::vector<std::string>> users{
      {"ann", {"red"}}, {"bob", {"blue"}}, {"cat", {"red", "blue"}}, {"dan", {}}, {"eve", {}}};
  const std::vector<std::string> user_names{"ann", "bob", "cat", "dan"};  // eve is never given anything
  std::map<std::string, http::KeyedCertificate> certificates = [this] {
    std::map<std::string, http::KeyedCertificate> made;
    for (const auto& [user, groups] : users) made[user] = server->client_certificate(user, groups).value();
    return made;
  }();
  std::map<std::string, RawClient> clients;
  RawClient root{*server, &server->admin()};
  AccessJudge judge;
  std::mt19937 chance{static_cast<unsigned>(from_environment("FAIRWAY_SEED", 1))};
};

TEST_F(AccessMatrix, LetsInThoseWhomTheRulesLetInAndNobodyElse) {
  const long rounds = from_environment("FAIRWAY_ROUNDS", 8);
  int allowed = 0, refused = 0;
  for (int round = 0; round < rounds; ++round) {
    make_roles(round);
    for (int i = 0; i < 150; ++i) {
      const KindOfMatrix kind = any(kinds);
      const std::string user = one_in(8) ? "eve" : any(user_names);
      Wish wish{.user = user,
                .groups = users.at(user),
                .verb = any(verbs),
                .group = kind.group,
                .resource = kind.resource,
                .subresource = kind.subresource,
                .namespace_name = "",
                .name = any(names)};
      const bool is_sub = !wish.subresource.empty();
      if (is_sub && wish.verb != "get" && wish.verb != "update") wish.verb = "patch";
      const bool of_all = wish.verb == "list" || wish.verb == "watch";
      // A list may be of all namespaces.
      if (kind.is_namespaced && !(of_all && one_in(4))) wish.namespace_name = any(spaces);
      // A Namespace is in itself.
      const bool is_namespace = wish.resource == "namespaces";
      if (is_namespace && (of_all || wish.verb == "create" || wish.verb == "deletecollection"))
        wish.name = "";
      if (of_all || wish.verb == "deletecollection" || wish.verb == "create") wish.name = "";
      if (is_namespace && wish.verb == "deletecollection") continue;  // there is no such verb
      if (wish.verb == "watch" && !one_in(4)) continue;               // a second each, where it is allowed
      Wish judged = wish;
      if (is_namespace) judged.namespace_name = wish.name;
      SCOPED_TRACE(wish.user + " " + wish.verb + " " + wish.group + "/" + wish.resource + "/" +
                   wish.subresource + " " + wish.namespace_name + "/" + wish.name);
      const bool may = judge.allows(judged);
      // What is created has a name all the same.
      if (wish.verb == "create") wish.name = "new";
      const http::Reply reply = send(kind, wish);
      (may ? allowed : refused) += 1;
      EXPECT_EQ(is_refusal(reply, wish), !may) << reply.status << " " << reply.body;
      if (!may) {
        EXPECT_EQ(reply.status, 403) << reply.body;
      }
    }
  }
  RecordProperty("allowed", allowed);
  RecordProperty("refused", refused);
  EXPECT_GT(allowed, rounds * 5);
  EXPECT_GT(refused, rounds * 50);
}

/// Pieces from which paths are made, right ones and odd ones.
constexpr std::array pieces{"api",         "apis",
                            "v1",          "namespaces",
                            "default",     "team",
                            "secrets",     "configmaps",
                            "a",           "b",
                            "status",      "watch",
                            "proxy",       "..",
                            ".",           "",
                            "%2e%2e",      "%2F",
                            "secrets%2Fa", "apps",
                            "Secrets",     "secrets;x",
                            "%00",         "a%20b",
                            "deployments", "scale",
                            "finalize",    "token",
                            "logs",        "metrics",
                            "openapi",     "v3",
                            "version",     "healthz",
                            "livez",       "rbac.authorization.k8s.io",
                            "nodes",       "serviceaccounts",
                            "exec",        "pods",
                            "bindings",    "*"};
constexpr std::array queries{"",
                             "?watch=true&timeoutSeconds=1",
                             "?fieldSelector=metadata.name%3Da",
                             "?limit=1",
                             "?dryRun=All",
                             "?resourceVersion=0",
                             "?labelSelector=a",
                             "?namespace=default"};
constexpr std::array methods{"GET", "GET", "GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"};
/// Paths that any authenticated user may read.
constexpr std::array open_paths{"/api",     "/apis",  "/openapi", "/version",
                                "/healthz", "/livez", "/readyz",  "/.well-known"};

TEST_F(AccessMatrix, KnowsNoPathAroundTheRules) {
  for (const char* space : spaces) {
    for (const char* name : names) {
      put(base(kinds[1], space), object_of_kind(kinds[1], name));
      put(base(kinds[0], space), object_of_kind(kinds[0], name));
    }
  }
  const std::string before = root.send("GET", "/api/v1/secrets").body;
  ASSERT_NE(before.find("bWFya2VyLW9mLXRoZS1zZWNyZXQ="), std::string::npos);
  const long rounds = from_environment("FAIRWAY_ROUNDS", 8) * 150;
  int served = 0;
  for (long i = 0; i < rounds; ++i) {
    std::string path;
    if (one_in(2)) {
      path = base(kinds[one_in(2) ? 1 : 0], any(spaces)) + (one_in(2) ? "/a" : "");
    }
    const int more = std::uniform_int_distribution<int>(path.empty() ? 1 : 0, path.empty() ? 7 : 2)(chance);
    for (int j = 0; j < more; ++j) path += "/" + text(any(pieces));
    if (path.empty() || path.front() != '/') path.insert(0, "/");
    const std::string method = any(methods), query = any(queries);
    SCOPED_TRACE(method + " " + path + query);
    http::Headers headers;
    if (one_in(4)) headers.set("Impersonate-User", "kubernetes-admin");
    if (one_in(4)) headers.set("X-Remote-User", "kubernetes-admin");
    if (one_in(4)) headers.set("X-HTTP-Method-Override", "GET");
    const bool has_body = method == "POST" || method == "PUT" || method == "PATCH";
    const http::Reply reply =
        clients.at("eve").send(method, path + query, headers, has_body ? object_of_kind(kinds[0], "a") : "");
    EXPECT_EQ(reply.body.find("bWFya2Vy"), std::string::npos) << "a Secret was shown";
    // OPTIONS tells of methods that there are in general, and nothing of what is there.
    if (reply.status >= 300 || (method == "OPTIONS" && reply.body.empty())) continue;
    ++served;
    const bool is_open =
        std::ranges::any_of(open_paths, [&](const char* open) { return path.starts_with(open); });
    EXPECT_TRUE(is_open) << reply.status << " " << reply.body.substr(0, 200);
    EXPECT_EQ(reply.body.find("\"items\""), std::string::npos) << reply.body.substr(0, 200);
  }
  RecordProperty("served", served);
  EXPECT_GT(served, 0);
  EXPECT_EQ(root.send("GET", "/api/v1/secrets").body, before) << "something was written";
}

}  // namespace
}  // namespace fairway::apiserver::testing
