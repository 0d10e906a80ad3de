// SPDX-License-Identifier: Apache-2.0

#include "apiserver/internal/rest/api.h"

#include <algorithm>
#include <map>
#include <optional>

#include "apiserver/internal/access/authenticate.h"
#include "apiserver/internal/access/impersonation.h"
#include "apiserver/internal/flow/caller.h"
#include "apiserver/internal/flow/levels.h"
#include "apiserver/internal/resources/built_in.h"
#include "apiserver/internal/rest/accepted_answer.h"
#include "apiserver/internal/rest/health.h"
#include "apiserver/internal/rest/open_api.h"
#include "apiserver/internal/rest/pod_requests.h"
#include "apiserver/internal/rest/reply.h"
#include "apiserver/internal/rest/request_timeout.h"
#include "apiserver/internal/rest/reviews.h"
#include "apiserver/internal/rest/test_clock.h"
#include "apiserver/internal/rest/verbs.h"
#include "apiserver/internal/rest/warnings.h"
#include "apiserver/kubernetes_release.h"
#include "base/json.h"
#include "base/text.h"
#include "k8s/wire/discovery.h"
#include "k8s/wire/media_type.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver::rest {
namespace {

constexpr std::string_view major = "1", minor = kubernetes_minor_release.substr(2);

std::string git_version() {
  return "v" + std::string(kubernetes_release) + "+fairway";
}

std::string version_text() {
  return json::to_pretty_text(json::Object{{"major", major},
                                           {"minor", minor},
                                           {"gitVersion", git_version()},
                                           {"gitCommit", ""},
                                           {"gitTreeState", "clean"},
                                           {"buildDate", "1970-01-01T00:00:00Z"},
                                           {"goVersion", ""},
                                           {"compiler", ""},
                                           {"platform", "linux/amd64"}});
}

/// Returns whether everybody may read a path.
bool is_open(std::string_view path) {
  return path == "/version" || path == "/version/" || path == "/readyz" || path == "/livez" ||
         path == "/healthz";
}

bool is_allowed_here(const std::string& verb, const resources::ServedResource& resource,
                     const k8s::ResourcePath& path) {
  if (verb.empty()) return false;
  if (!path.subresource.empty()) {
    const resources::Subresource* subresource = resource.find_subresource(path.subresource);
    return std::ranges::find(subresource->verbs, verb) != subresource->verbs.end();
  }
  // Objects of a namespace are created and deleted there; a POST names no object.
  const bool everywhere = resource.is_namespaced() && path.namespace_name.empty();
  if (everywhere && (verb == "create" || verb == "deletecollection")) return false;
  if (path.name.empty() ? verb == "update" || verb == "patch" : verb == "create") return false;
  return resource.has_verb(verb);
}

bool fits_scope(const resources::ServedResource& resource, const k8s::ResourcePath& path,
                std::string_view verb) {
  if (!resource.is_namespaced()) return path.namespace_name.empty();
  if (!path.namespace_name.empty()) return true;
  // Paths of custom resources over all namespaces are there for what can be done over all of them.
  return path.name.empty() && (!resource.is_custom || verb == "list" || verb == "watch");
}

/// Returns the Status for a method that a real server has no route for. The built-in resource is not asked.
k8s::Status no_such_method() {
  return k8s::Status::of({.message = "the server does not allow this method on the requested resource",
                          .reason = std::string(k8s::reason::method_not_allowed),
                          .details = k8s::StatusDetails{},
                          .code = k8s::http_status(k8s::reason::method_not_allowed)});
}

VerbResult run_on_objects(const Services& services, Call& call, std::string_view verb) {
  if (verb == "get") return get(services, call);
  if (verb == "list" || verb == "watch") return list(services, call);
  if (verb == "create") return create(services, call);
  if (verb == "update") return update(services, call);
  if (verb == "patch") return patch(services, call);
  return verb == "delete" ? remove(services, call) : remove_collection(services, call);
}

VerbResult run(const Services& services, Call& call, std::string_view verb) {
  switch (call.handler()) {
    case resources::Handler::binding:
      return bind_pod(services, call);
    case resources::Handler::eviction:
      return evict_pod(services, call);
    case resources::Handler::review:
      return create_review(services, call);
    case resources::Handler::token:
      return create_token(services, call);
    case resources::Handler::scale:
      return scale(services, call, verb);
    case resources::Handler::log:
      return pod_log(services, call);
    case resources::Handler::stream:
      return pod_stream(services, call);
    case resources::Handler::objects:
      break;
  }
  return run_on_objects(services, call, verb);
}

access::Decision masters_only(const access::User& user, const access::Attributes&) {
  return {.allowed = user.is_in(access::masters_group), .reason = ""};
}

}  // namespace

Api::Api(objects::Objects& objects, watch::WatchHub& watches, Extensions extensions)
    : objects_(objects),
      extensions_(std::move(extensions)),
      services_{objects, watches, extensions_},
      discovery_(objects.registry()),
      open_api_(objects.registry(), git_version(), objects.clock()) {
  if (!extensions_.authorize) extensions_.authorize = &masters_only;
  if (extensions_.test_faults) faults_ = std::make_unique<TestFaults>(objects, watches);
}

void Api::set_flows(std::function<std::vector<http::FlowCounts>()> flows) {
  const std::scoped_lock lock(mutex_);
  flows_ = std::move(flows);
}

http::Response Api::refuse(int status, std::string_view why) {
  const std::string_view reason = k8s::reason_of(status);
  if (status == 413) {
    return reply_status(k8s::answer::request_entity_too_large(why));
  }
  return reply_status(k8s::Status::of(
      {.message = std::string(why), .reason = std::string(reason), .details = {}, .code = status}));
}

http::Response Api::handle(const http::Request& request) {
  if (auto open = answer_open(request)) return *std::move(open);
  const RequestMetrics::InFlight in_flight(metrics_, request.method);
  audit::AuditEvent event{.request = request, .received = objects_.clock().now()};
  auto answered = answer(request, event);
  http::Response response = answered ? std::move(*answered) : reply_status(answered.error());
  // The OpenAPI documents have media types of their own.
  if (!request.path.starts_with("/openapi/"))  // Of what is no error `reply_json` has done it.
    turn_to_accepted(request, response, response.status >= 400 ? ProtobufOf::objects : ProtobufOf::nothing);
  if (extensions_.audit == nullptr) return response;
  event.id = objects_.make_uid();
  event.code = response.status;
  event.is_stream = response.stream != nullptr;
  if (!answered) event.failure = &answered.error();
  event.completed = objects_.clock().now();
  extensions_.audit->add(event);
  response.headers.add("Audit-Id", event.id);
  return response;
}

std::optional<http::Response> Api::answer_open(const http::Request& request) {
  if (request.method != "GET" && request.method != "HEAD") return std::nullopt;
  // Whoever asks wrongly is told so by `answer`.
  if (!request.query.empty() && !check_timeout(*access::request_info(request))) return std::nullopt;
  if (request.path == "/version" || request.path == "/version/") {
    return http::Response::json(200, version_text());
  }
  // Single checks are for those who may see them.
  if (!is_open(request.path)) return std::nullopt;
  return answer_health(request, objects_.storage().health());
}

k8s::StatusResult<access::User> Api::user_of(const http::Request& request, audit::AuditEvent& event) const {
  auto user = access::authenticate(request, extensions_.tokens);
  if (!user) return user;
  event.user = *user;
  const auto wanted = access::impersonated_user(request.fields);
  if (!wanted) return std::unexpected(wanted.error());
  if (!*wanted) return user;
  auto impersonated = access::impersonate(*user, **wanted, event.attributes, extensions_.authorize);
  if (!impersonated) return std::unexpected(impersonated.error());
  event.impersonated = impersonated->user;
  event.constraint = std::move(impersonated->constraint);
  return std::move(impersonated->user);
}

VerbResult Api::answer(const http::Request& request, audit::AuditEvent& event) {
  const auto info = access::request_info(request);
  // Before anything else is said, so that who may do nothing learns nothing of what there is.
  event.attributes = info->attributes;
  if (auto checked = check_timeout(*info); !checked) return std::unexpected(checked.error());
  const auto user = user_of(request, event);
  if (!user) return std::unexpected(user.error());
  const auto& path = info->path;
  if (!path) return std::unexpected(path.error());
  if (auto allowed = authorize(*user, event); !allowed) return std::unexpected(allowed.error());
  using Kind = k8s::ApiPath::Kind;
  if (path->kind == Kind::resource) return answer_resource(request, *user, *info, event);
  if (path->kind == Kind::other && !is_open(request.path)) return answer_other(request);
  if (request.method != "GET" && request.method != "HEAD") {
    return std::unexpected(k8s::answer::method_not_allowed({}, request.method));
  }
  return answer_discovery(request, *path);
}

std::optional<VerbResult> Api::answer_for_tests(const http::Request& request) {
  if (faults_ != nullptr && request.path == "/fairway/faults") return faults_->answer(request);
  if (extensions_.test_clock != nullptr && request.path == "/fairway/clock") {
    return answer_test_clock(*extensions_.test_clock, request);
  }
  return std::nullopt;
}

VerbResult Api::answer_other(const http::Request& request) {
  if (auto answered = answer_for_tests(request)) return *std::move(answered);
  const bool is_read = request.method == "GET" || request.method == "HEAD";
  if (request.path == "/metrics" && is_read) return answer_metrics();
  if (request.path == "/" && is_read) return http::Response::json(200, index_text(objects_.registry()));
  if (is_read) {
    if (auto health = answer_health(request, objects_.storage().health())) return *std::move(health);
  }
  if (request.path.starts_with("/openapi/")) return answer_open_api(open_api_, request, objects_.clock());
  if (extensions_.tokens == nullptr || !is_read) return std::unexpected(k8s::answer::no_such_path());
  const auto document = extensions_.tokens->document(request.path);
  if (document.value.is_null()) return std::unexpected(k8s::answer::no_such_path());
  http::Response response =
      http::Response::text(200, json::to_text(document.value), std::string(document.media_type));
  response.headers.add("Cache-Control", "public, max-age=3600");
  return response;
}

k8s::StatusResult<void> Api::authorize(const access::User& user, audit::AuditEvent& event) const {
  const access::Attributes& attributes = event.attributes;
  const access::Decision& decision = event.decision.emplace(extensions_.authorize(user, attributes));
  if (decision.allowed) return {};
  return std::unexpected(k8s::answer::forbidden({attributes.group, attributes.resource}, attributes.name,
                                                attributes.refusal(user.name, decision.reason)));
}

VerbResult Api::answer_resource(const http::Request& request, const access::User& user,
                                const access::RequestInfo& info, audit::AuditEvent& event) {
  const access::Attributes& attributes = info.attributes;
  if (!info.query) return std::unexpected(info.query.error());
  const k8s::ResourcePath& path = info.path->resource;
  resources::ServedResourcePtr resource = resources::find_review(path.resource);
  if (resource == nullptr) resource = objects_.registry().find(path.resource);
  const std::string& verb = attributes.verb;
  if (resource == nullptr || !fits_scope(*resource, path, verb) || !path.rest.empty()) {
    return std::unexpected(k8s::answer::no_such_path());
  }
  if (!path.subresource.empty() && resource->find_subresource(path.subresource) == nullptr) {
    return std::unexpected(resource->is_custom ? k8s::answer::not_found(resource->group_resource(), path.name)
                                               : k8s::answer::no_such_path());
  }
  if (!is_allowed_here(verb, *resource, path)) {
    return std::unexpected(resource->is_custom
                               ? k8s::answer::method_not_allowed(resource->group_resource(), verb)
                               : no_such_method());
  }
  event.resource = resource;
  Call call{.http = request,
            .info = info,
            .query = *info.query,
            .path = path,
            .resource = std::move(resource),
            .user = user,
            .clock = objects_.clock(),
            .warnings = {}};
  const flow::Caller caller{.user = user.name,
                            .namespace_name = attributes.namespace_name,
                            .privilege = flow::privilege_of(info, user),
                            .cancelled = request.cancelled,
                            .deadline = request.deadline};
  const flow::CallerScope scope(caller);
  const SteadyTime begin = objects_.clock().steady();
  // Nothing is done whose result cannot be told. Lists and watches look themselves.
  const bool is_document =
      call.handler() != resources::Handler::log && call.handler() != resources::Handler::stream;
  if (is_document && verb != "list" && verb != "watch") {
    if (const auto form = negotiate_form(call); !form) return std::unexpected(form.error());
  }
  const auto met = faults_ != nullptr ? faults_->meet(call, verb) : k8s::StatusResult<void>();
  auto answered = met ? run(services_, call, verb) : VerbResult(std::unexpected(met.error()));
  metrics_.count(attributes, info.is_dry_run(), answered ? answered->status : answered.error().code(),
                 objects_.clock().steady() - begin);
  event.annotations = std::move(call.notes.annotations);
  if (answered) return answered;
  const std::vector<std::string> warnings = call.all_warnings();
  if (warnings.empty()) return answered;
  http::Response refused = reply_status(answered.error());
  add_warnings(refused, warnings);
  return refused;
}

http::Response Api::answer_metrics() {
  std::map<std::string, std::size_t> objects;
  for (const resources::ServedResourcePtr& resource : objects_.registry().all()) {
    // "deployments.apps", once for all versions.
    const std::string name = resource->group_resource().to_string();
    if (objects.contains(name)) continue;
    const auto list = objects_.storage().list({.resource = resource->storage, .limit = 1});
    if (list) objects[name] = list->records.size() + list->remaining;
  }
  std::vector<http::FlowCounts> flows;
  {
    const std::scoped_lock lock(mutex_);
    if (flows_) flows = flows_();
  }
  return http::Response::text(200,
                              metrics_.text({.open_watches = services_.watches.size(),
                                             .objects = objects,
                                             .storage = objects_.storage().counts(),
                                             .flows = flows,
                                             .waits = objects_.waits().counts()}),
                              "text/plain; version=0.0.4; charset=utf-8");
}

VerbResult Api::answer_discovery(const http::Request& request, const k8s::ApiPath& path) {
  const auto document = discovery_.current();
  using Kind = k8s::ApiPath::Kind;
  const auto json = [](std::string text) { return http::Response::json(200, std::move(text)); };
  const k8s::GroupVersionResource& asked = path.resource.resource;
  const bool is_index = path.kind == Kind::core_versions || path.kind == Kind::groups;
  const auto none = [](const k8s::GroupVersionKind&) { return false; };
  if (!is_index) {
    const auto form = k8s::negotiate(request.headers_joined("Accept"), none);
    if (!form) return std::unexpected(form.error());
  }
  if (is_index) {
    const bool is_core = path.kind == Kind::core_versions;
    const auto form = k8s::negotiate(request.headers_joined("Accept"), &k8s::is_aggregated_discovery);
    if (!form) return std::unexpected(form.error());
    if (!form->as.kind.empty()) {
      k8s::Discovery part;
      for (const k8s::DiscoveredGroup& group : document->groups) {
        if (group.name.empty() == is_core) part.groups.push_back(group);
      }
      http::Response response = json(k8s::write_aggregated(
          part, form->as.version == "v2" ? k8s::AggregatedVersion::v2 : k8s::AggregatedVersion::v2beta1));
      response.headers.set("Content-Type", "application/json;g=" + form->as.group + ";v=" + form->as.version +
                                               ";as=" + form->as.kind);
      response.headers.add("Vary", "Accept");
      return response;
    }
    if (!is_core) return json(k8s::write_group_list(*document));
    const std::string_view host = request.header("Host").value_or("");
    return json(k8s::write_api_versions(*document->find(""), {{.server_address = std::string(host)}}));
  }
  const k8s::DiscoveredGroup* group = document->find(asked.group);
  if (group == nullptr) return std::unexpected(k8s::answer::no_such_path());
  if (path.kind == Kind::group) return json(k8s::write_group(*group));
  const k8s::DiscoveredVersion* version = group->find(asked.version);
  if (version == nullptr) return std::unexpected(k8s::answer::no_such_path());
  return json(k8s::write_resource_list({asked.group, asked.version}, *version));
}

}  // namespace fairway::apiserver::rest
