// SPDX-License-Identifier: Apache-2.0

#include "conformance/kube/write_cases.h"

#include <array>

namespace fairway::conformance {

namespace {

constexpr std::string_view rbac = "rbac.authorization.k8s.io", admission = "admissionregistration.k8s.io";

struct Kind {
  std::string_view group, kind, plural;
  bool is_namespaced;
};
constexpr std::array kinds{
    Kind{rbac, "Role", "roles", true},
    Kind{rbac, "ClusterRole", "clusterroles", false},
    Kind{rbac, "RoleBinding", "rolebindings", true},
    Kind{rbac, "ClusterRoleBinding", "clusterrolebindings", false},
    Kind{admission, "ValidatingAdmissionPolicy", "validatingadmissionpolicies", false},
    Kind{admission, "ValidatingAdmissionPolicyBinding", "validatingadmissionpolicybindings", false},
    Kind{admission, "MutatingAdmissionPolicy", "mutatingadmissionpolicies", false},
    Kind{admission, "MutatingAdmissionPolicyBinding", "mutatingadmissionpolicybindings", false},
    Kind{"certificates.k8s.io", "CertificateSigningRequest", "certificatesigningrequests", false},
};
constexpr std::array names{"m-a", "m-b", "m-c"};
constexpr std::array verbs{"get",    "list",   "create", "update",   "patch", "delete", "deletecollection",
                           "update", "create", "patch",  "escalate", "bind",  "*"};
/// The resources that roles grant. A user who has all rights of a role may write it.
constexpr std::array given{"configmaps", "secrets", "pods"};
constexpr std::array signers{"kubernetes.io/kube-apiserver-client", "kubernetes.io/kubelet-serving",
                             "example.com/one"};

json::Value labels(std::string_view key, std::string_view value) {
  return json::Object{{"labels", json::Object{{key, value}}}};
}

}  // namespace

std::string WriteCase::to_string() const {
  std::string text = user + " " + method + " " + path;
  if (!type.empty()) text += " " + type;
  for (const auto& [name, value] : headers) text += " " + name + ": " + value;
  if (!body.is_null()) text += " " + json::to_text(body);
  return takes_version ? text + " (with the current resourceVersion)" : text;
}

json::Array WriteCases::rights(bool of_cluster) {
  json::Array rules;
  const int count = 1 + (one_in(2) ? 1 : 0) + (one_in(2) ? 1 : 0);
  for (int i = 0; i < count; ++i) {
    const Kind& kind = any(kinds);
    json::Array some;
    for (const char* verb : verbs) {
      if (one_in(3)) some.emplace_back(verb);
    }
    if (some.empty()) some.emplace_back(any(verbs));
    json::Object rule{{"verbs", some},
                      {"apiGroups", json::Array{json::Value(kind.group)}},
                      {"resources", json::Array{json::Value(kind.plural)}}};
    if (one_in(12)) rule["resources"] = json::Array{json::Value("*")};
    if (kind.plural == "certificatesigningrequests") {
      rule["resources"].as_array().emplace_back("certificatesigningrequests/" +
                                                std::string(one_in(2) ? "approval" : "status"));
    }
    if (one_in(6)) rule["resourceNames"] = json::Array{json::Value(any(names))};
    rules.emplace_back(std::move(rule));
  }
  // Most are let in, so that what is compared is what comes after that.
  if (!one_in(3)) {
    rules.emplace_back(json::Object{
        {"verbs", json::Array{"get", "list", "create", "update", "patch", "delete", "deletecollection"}},
        {"apiGroups", json::Array{std::string(rbac), std::string(admission), "certificates.k8s.io"}},
        {"resources", json::Array{"*"}}});
  }
  if (one_in(2)) rules.emplace_back(rule(of_cluster));
  if (one_in(4)) {
    rules.emplace_back(json::Object{{"verbs", json::Array{one_in(2) ? "approve" : "sign"}},
                                    {"apiGroups", json::Array{"certificates.k8s.io"}},
                                    {"resources", json::Array{"signers"}},
                                    {"resourceNames", json::Array{any(signers)}}});
  }
  if (one_in(4)) {
    constexpr std::array impersonated{"users", "groups", "serviceaccounts", "uids", "userextras/scopes"};
    const std::string resource = any(impersonated);
    json::Object rule{
        {"verbs", json::Array{"impersonate"}},
        {"apiGroups",
         json::Array{resource.starts_with('u') && resource != "users" ? "authentication.k8s.io" : ""}},
        {"resources", json::Array{json::Value(resource)}}};
    if (one_in(2)) rule["resourceNames"] = json::Array{"ann", "red", "m-a"};
    rules.emplace_back(std::move(rule));
  }
  if (one_in(5)) {
    rules.emplace_back(json::Object{{"verbs", json::Array{"create"}},
                                    {"apiGroups", json::Array{"", "authentication.k8s.io"}},
                                    {"resources", json::Array{"serviceaccounts/token", "tokenreviews"}}});
  }
  if (one_in(12))
    rules.emplace_back(json::Object{
        {"verbs", json::Array{"*"}}, {"apiGroups", json::Array{"*"}}, {"resources", json::Array{"*"}}});
  if (of_cluster && one_in(12))
    rules.emplace_back(json::Object{{"verbs", json::Array{"*"}}, {"nonResourceURLs", json::Array{"*"}}});
  return rules;
}

json::Object WriteCases::metadata(const std::string& name, bool is_namespaced) {
  json::Object made{{"name", name}};
  if (is_namespaced && one_in(2)) made["namespace"] = space_of_cases;
  if (one_in(3))
    made["labels"] = json::Object{{one_in(2) ? "rbac.authorization.k8s.io/aggregate-to-view" : "a", "true"}};
  if (one_in(5)) made["annotations"] = json::Object{{"note", one_in(2) ? "1" : "2"}};
  // No owners: the real server runs with OwnerReferencesPermissionEnforcement, which is not Kubernetes's
  // default.
  return made;
}

json::Object WriteCases::rule(bool of_cluster) {
  if (of_cluster && one_in(6))
    return {{"verbs", json::Array{"get"}}, {"nonResourceURLs", json::Array{one_in(3) ? "*" : "/healthz"}}};
  json::Object made{{"verbs", json::Array{one_in(5) ? "*" : "get"}},
                    {"apiGroups", json::Array{one_in(8) ? "*" : ""}},
                    {"resources", json::Array{one_in(8) ? "*" : any(given)}}};
  if (one_in(6)) made["resourceNames"] = json::Array{any(names)};
  return made;
}

json::Object WriteCases::role(bool of_cluster, json::Object metadata) {
  json::Object made{{"metadata", std::move(metadata)}};
  json::Array rules;
  if (!one_in(4)) rules.emplace_back(rule(of_cluster));
  if (one_in(4)) rules.emplace_back(rule(of_cluster));
  // No empty list: kube-apiserver records its owner, and Fairway does not (docs/server-side-apply.md).
  if (!rules.empty()) made["rules"] = std::move(rules);
  if (!of_cluster || !one_in(3)) return made;
  json::Array selectors;
  if (!one_in(3)) selectors.emplace_back(json::Object{{"matchLabels", json::Object{{"a", "true"}}}});
  made["aggregationRule"] = json::Object{{"clusterRoleSelectors", std::move(selectors)}};
  if (one_in(6)) made["aggregationRule"] = nullptr;
  return made;
}

json::Object WriteCases::binding(bool of_cluster, json::Object metadata) {
  constexpr std::array bound{"m-a", "m-b", "m-c", "view", "cluster-admin", "missing"};
  const char* kind = of_cluster || one_in(2) ? "ClusterRole" : "Role";
  if (one_in(20)) kind = "Foo";
  json::Object made{{"metadata", std::move(metadata)},
                    {"roleRef", json::Object{{"apiGroup", one_in(20) ? "example.com" : std::string(rbac)},
                                             {"kind", kind},
                                             {"name", any(bound)}}}};
  if (!one_in(5)) {
    made["subjects"] = json::Array{
        json::Object{{"apiGroup", std::string(rbac)}, {"kind", "User"}, {"name", one_in(2) ? "x" : "y"}}};
  }
  return made;
}

json::Object WriteCases::policy(bool validates, json::Object metadata) {
  json::Object spec{{"matchConstraints",
                     json::Object{{"resourceRules",
                                   json::Array{json::Object{{"apiGroups", json::Array{"nowhere.example.com"}},
                                                            {"apiVersions", json::Array{"v1"}},
                                                            {"operations", json::Array{"CREATE"}},
                                                            {"resources", json::Array{"things"}}}}}}}};
  if (validates) {
    spec["validations"] = json::Array{json::Object{{"expression", one_in(12) ? "tru" : "true"}}};
  } else {
    spec["reinvocationPolicy"] = "Never";
    spec["mutations"] =
        json::Array{json::Object{{"patchType", "ApplyConfiguration"},
                                 {"applyConfiguration", json::Object{{"expression", "Object{}"}}}}};
  }
  constexpr std::array params{
      std::pair{"v1", "Secret"},          std::pair{"v1", "ConfigMap"},         std::pair{"v1", "Nothing"},
      std::pair{"apps/v1", "Deployment"}, std::pair{"example.com/v1", "Thing"}, std::pair{"v1", "Node"}};
  if (!one_in(4)) {
    const auto& [version, kind] = any(params);
    spec["paramKind"] = json::Object{{"apiVersion", version}, {"kind", kind}};
  }
  return {{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

json::Object WriteCases::policy_binding(bool validates, json::Object metadata) {
  json::Object spec{{"policyName", one_in(6) ? "missing" : any(names)}};
  if (validates) spec["validationActions"] = json::Array{"Audit"};
  if (!one_in(4)) {
    json::Object reference{{"parameterNotFoundAction", one_in(2) ? "Deny" : "Allow"}};
    if (one_in(2)) {
      reference["name"] = any(names);
    } else {
      reference["selector"] = json::Object{};
    }
    if (one_in(2)) reference["namespace"] = one_in(2) ? std::string(space_of_cases) : "default";
    spec["paramRef"] = std::move(reference);
  }
  return {{"metadata", std::move(metadata)}, {"spec", std::move(spec)}};
}

json::Object WriteCases::signing_request(json::Object metadata) {
  return {{"metadata", std::move(metadata)},
          {"spec", json::Object{{"request", one_in(4) ? "@CSR-OF-MASTERS" : "@CSR"},
                                {"signerName", any(signers)},
                                {"usages", json::Array{"client auth"}}}}};
}

json::Object WriteCases::body_of(std::size_t index, const std::string& name) {
  const Kind& kind = kinds.at(index);
  json::Object made = metadata(name, kind.is_namespaced);
  json::Object body;
  switch (index) {
    case 0:
    case 1:
      body = role(index == 1, std::move(made));
      break;
    case 2:
    case 3:
      body = binding(index == 3, std::move(made));
      break;
    case 4:
    case 6:
      body = policy(index == 4, std::move(made));
      break;
    case 5:
    case 7:
      body = policy_binding(index == 5, std::move(made));
      break;
    default:
      body = signing_request(std::move(made));
  }
  body["apiVersion"] = std::string(kind.group) + "/v1";
  body["kind"] = kind.kind;
  return body;
}

WriteCase WriteCases::impersonation() {
  WriteCase made{
      .user = any(users_of_cases).first, .method = "GET", .path = "/api/v1/namespaces/default/configmaps/a"};
  constexpr std::array impersonated{"ann",
                                    "bob",
                                    "system:serviceaccount:matrix:m-a",
                                    "system:serviceaccount:default:x",
                                    "system:anonymous",
                                    "system:node:a"};
  if (!one_in(8)) made.headers.emplace_back("Impersonate-User", any(impersonated));
  if (one_in(3)) made.headers.emplace_back("Impersonate-Group", one_in(3) ? "system:masters" : "red");
  if (one_in(6)) made.headers.emplace_back("Impersonate-Uid", "1");
  if (one_in(6)) made.headers.emplace_back("Impersonate-Extra-Scopes", "x");
  return made;
}

WriteCase WriteCases::review() {
  WriteCase made{.user = any(users_of_cases).first, .method = "POST", .type = "application/json"};
  if (one_in(2)) {
    made.path =
        "/api/v1/namespaces/" + std::string(space_of_cases) + "/serviceaccounts/" + any(names) + "/token";
    json::Object spec;
    if (one_in(3)) spec["audiences"] = json::Array{"somebody"};
    if (one_in(4)) spec["expirationSeconds"] = one_in(2) ? 10 : 3600;
    made.body = json::Object{{"spec", std::move(spec)}};
    if (one_in(2)) made.path += "?dryRun=All";
    return made;
  }
  constexpr std::array reviews{"tokenreviews",
                               "subjectaccessreviews",
                               "selfsubjectaccessreviews",
                               "selfsubjectrulesreviews",
                               "localsubjectaccessreviews",
                               "selfsubjectreviews"};
  const std::string review = any(reviews);
  const bool authenticates = review == "tokenreviews" || review == "selfsubjectreviews";
  made.path = std::string("/apis/") + (authenticates ? "authentication" : "authorization") + ".k8s.io/v1/" +
              (review.starts_with("local") ? "namespaces/" + std::string(space_of_cases) + "/" : "") + review;
  json::Object spec;
  if (review == "tokenreviews") spec["token"] = "none";
  if (review.ends_with("accessreviews")) {
    spec["resourceAttributes"] =
        json::Object{{"namespace", std::string(space_of_cases)}, {"verb", "get"}, {"resource", "pods"}};
    if (!review.starts_with("self")) spec["user"] = "ann";
  }
  if (review == "selfsubjectrulesreviews") spec["namespace"] = std::string(space_of_cases);
  made.body = json::Object{{"spec", std::move(spec)}};
  if (review == "selfsubjectreviews") made.body = json::Object{};
  return made;
}

WriteCase WriteCases::next() {
  if (one_in(12)) return impersonation();
  if (one_in(12)) return review();
  const auto index = std::uniform_int_distribution<std::size_t>(0, kinds.size() - 1)(chance_);
  const Kind& kind = kinds.at(index);
  const std::string name = any(names);
  const std::string all = "/apis/" + std::string(kind.group) + "/v1/" +
                          (kind.is_namespaced ? "namespaces/" + std::string(space_of_cases) + "/" : "") +
                          std::string(kind.plural);
  WriteCase made{.user = one_in(12) ? "master" : any(users_of_cases).first,
                 .path = all + "/" + name,
                 .type = "application/json",
                 .body = body_of(index, name)};
  std::vector<std::string> query;
  // What is done for good has to be done by both.
  bool is_dry = !one_in(4);
  constexpr std::array ways{"create", "put",   "put",    "merge",     "strategic",
                            "json",   "apply", "delete", "collection"};
  const std::string way = any(ways);
  const bool is_request = kind.plural == "certificatesigningrequests";
  if (way == "create") {
    made.method = "POST";
    made.path = all;
    if (one_in(8)) {
      made.body.at("metadata").as_object().erase("name");
      made.body.at("metadata").as_object()["generateName"] = name + "-";
      is_dry = true;
    }
  } else if (way == "put") {
    made.method = "PUT";
    made.takes_version = !one_in(3);
  } else if (way == "merge" || way == "strategic") {
    made.method = "PATCH";
    made.type = "application/" + std::string(way == "merge" ? "merge" : "strategic-merge") + "-patch+json";
    // One thing alone, or all of it.
    if (one_in(2))
      made.body = json::Object{
          {"metadata", one_in(2) ? labels("a", one_in(2) ? "true" : "false")
                                 : labels("rbac.authorization.k8s.io/aggregate-to-view", "true")}};
    else if (one_in(3) && kind.plural == "clusterroles")
      made.body = json::Object{{"aggregationRule", nullptr}};
    else if (one_in(3))
      made.body = json::Object{{"metadata", json::Object{{"finalizers", json::Array{"example.com/f"}}}}};
  } else if (way == "json") {
    made.method = "PATCH";
    made.type = "application/json-patch+json";
    constexpr std::array members{"rules", "roleRef", "subjects", "spec", "aggregationRule"};
    const std::string member = any(members);
    const json::Value* value = json::find(made.body, member);
    made.body = json::Array{value != nullptr && !one_in(3)
                                ? json::Object{{"op", "add"}, {"path", "/" + member}, {"value", *value}}
                                : json::Object{{"op", "add"},
                                               {"path", "/metadata/labels"},
                                               {"value", json::Object{{"a", one_in(2) ? "true" : "false"}}}}};
  } else if (way == "apply") {
    made.method = "PATCH";
    made.type = "application/apply-patch+yaml";
    query.emplace_back("fieldManager=matrix");
    if (!one_in(4)) query.emplace_back("force=true");
  } else {
    made.method = "DELETE";
    made.body = nullptr;
    made.type.clear();
    if (way == "collection") {
      made.path = all;
      is_dry = true;
      query.emplace_back("labelSelector=a%3Dtrue");
    }
  }
  if (is_request && (made.method == "PUT" || made.method == "PATCH") && one_in(2)) {
    const bool is_approval = one_in(2);
    made.path += is_approval ? "/approval" : "/status";
    if (way == "put" || way == "merge") {
      made.body.as_object()["status"] = json::Object{
          {"conditions",
           json::Array{json::Object{{"type", is_approval ? "Approved" : "Failed"}, {"status", "True"}}}}};
    }
  }
  if (is_dry) query.insert(query.begin(), "dryRun=All");
  for (std::size_t i = 0; i < query.size(); ++i) made.path += (i == 0 ? "?" : "&") + query[i];
  return made;
}

}  // namespace fairway::conformance
