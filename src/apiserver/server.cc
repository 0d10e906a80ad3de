// SPDX-License-Identifier: Apache-2.0

#include "apiserver/server.h"

#include <array>

#include "apiserver/internal/access/certificate_signers.h"
#include "apiserver/internal/access/claim_rights.h"
#include "apiserver/internal/access/grants.h"
#include "apiserver/internal/access/live_policy.h"
#include "apiserver/internal/access/tokens.h"
#include "apiserver/internal/admission/admission.h"
#include "apiserver/internal/admission/admission_strategy.h"
#include "apiserver/internal/admission/param_access.h"
#include "apiserver/internal/admission/unchecked_policies.h"
#include "apiserver/internal/audit/audit_log.h"
#include "apiserver/internal/controllers/controllers.h"
#include "apiserver/internal/definitions/definition_strategy.h"
#include "apiserver/internal/definitions/definitions.h"
#include "apiserver/internal/flow/default_configuration.h"
#include "apiserver/internal/flow/levels.h"
#include "apiserver/internal/objects/objects.h"
#include "apiserver/internal/resources/built_in.h"
#include "apiserver/internal/resources/disabled_apis.h"
#include "apiserver/internal/resources/pod_classes.h"
#include "apiserver/internal/resources/pod_strategy.h"
#include "apiserver/internal/resources/registry.h"
#include "apiserver/internal/resources/stored_object.h"
#include "apiserver/internal/rest/api.h"
#include "apiserver/internal/rest/field_owners.h"
#include "apiserver/internal/rest/typed_body.h"
#include "apiserver/internal/server/admin_key.h"
#include "apiserver/internal/server/authentication_info.h"
#include "apiserver/internal/server/authority.h"
#include "apiserver/internal/server/certificate_renewal.h"
#include "apiserver/internal/server/given_credentials.h"
#include "apiserver/internal/server/kubernetes_service.h"
#include "apiserver/internal/storage/storage.h"
#include "apiserver/internal/watch/watch_hub.h"
#include "base/base64.h"
#include "base/ipv4.h"
#include "base/log.h"
#include "base/text.h"
#include "http/server.h"
#include "k8s/documents.h"
#include "k8s/patch/merge_patch.h"
#include "k8s/patch/strategic_patch.h"
#include "k8s/wire/status_errors.h"

namespace fairway::apiserver {
namespace {

constexpr std::string_view database_name = "apiserver.db";
constexpr std::size_t most_body_bytes = std::size_t{3} << 20;
constexpr std::array<std::string_view, 4> first_namespaces{"default", "kube-system", "kube-public",
                                                           "kube-node-lease"};

/// Returns the host of an address: "[::1]" of "[::1]:6443"; empty for ":6443".
std::string host_of(const std::string& listen) {
  return listen.substr(0, std::min(listen.rfind(':'), listen.size()));
}

bool is_any_address(const std::string& host) {
  return host.empty() || host == "0.0.0.0" || host == "[::]";
}

/// Checks that only a test's server has faults and a clock that can be advanced.
Result<void> check_test_options(const ServerOptions& options) {
  if (!options.test_faults && options.test_clock == nullptr) return {};
  if (!options.data.empty()) {
    return fail(ErrorCode::invalid,
                "faults and a clock of tests are for servers in memory, and this one has the data folder " +
                    options.data.string() + ": take --memory, or leave out --test-faults and --test-clock");
  }
  const std::string host = host_of(options.listen);
  const auto address = parse_ipv4(host);
  const bool is_loopback = host == "localhost" || host == "[::1]" || (address && *address >> 24 == 127);
  if (!is_loopback) {
    return fail(ErrorCode::invalid,
                "faults and a clock of tests are for servers on loopback, and this one listens on " +
                    options.listen + ": take --listen 127.0.0.1:0");
  }
  return {};
}

std::vector<std::string> names_of(const ServerOptions& options, const resources::ServiceNetwork& network) {
  std::vector<std::string> names{"localhost",
                                 "kubernetes",
                                 "kubernetes.default",
                                 "kubernetes.default.svc",
                                 "kubernetes.default.svc.cluster.local",
                                 "127.0.0.1",
                                 "::1",
                                 ipv4_text(network.first())};
  names.insert(names.end(), options.names.begin(), options.names.end());
  std::string host = host_of(options.listen);
  if (is_any_address(host)) return names;
  if (host.starts_with('[')) host = host.substr(1, host.size() - 2);
  if (std::ranges::find(names, host) == names.end()) names.push_back(std::move(host));
  return names;
}

/// Field manager of the objects that are applied at the start.
constexpr std::string_view apply_manager = "fairway-apply";

/// Creates an object of a file, or merges it into the existing one. It is read like one that a client sends,
/// and unknown fields are errors.
k8s::StatusResult<void> apply_object(objects::Objects& objects, const resources::ServedResource& resource,
                                     const k8s::Dynamic& sent) {
  const objects::WriteContext context{
      .user = {.name = "kubernetes-admin", .groups = {std::string(access::masters_group)}},
      .field_manager = std::string(apply_manager)};
  const auto read = [&](k8s::Dynamic object, const k8s::Dynamic* live) -> k8s::StatusResult<k8s::Dynamic> {
    const auto errors = rest::read_fields(resource, object, json::to_text(object.json()));
    if (!errors) return std::unexpected(k8s::answer::bad_request(errors.error().message));
    if (!errors->empty()) {
      return std::unexpected(k8s::answer::bad_request("strict decoding error: " + join(*errors, ", ")));
    }
    rest::record_owners(resource, {}, live, object, apply_manager, objects.clock().now());
    return object;
  };
  const auto there = objects.find(resource, sent.key());
  if (!there) return std::unexpected(there.error());
  k8s::StatusResult<objects::Outcome> done;
  bool exists = *there != nullptr;
  if (!exists) {
    auto object = read(sent, nullptr);
    if (!object) return std::unexpected(object.error());
    done = objects.create(resource, *std::move(object), context);
    exists = !done && done.error().is_failure(k8s::reason::already_exists);
  }
  if (exists) {
    const json::Value patch(sent.json());
    // Its creation has added to its lists, which may not change: the volume of a token, resources by
    // LimitRanges.
    const bool is_merged_by_keys = resource.patch_schema != nullptr && resource.storage == "pods";
    const objects::Objects::UpdateRequest request{
        .key = sent.key(), .transform = [&](const k8s::Dynamic* live) -> k8s::StatusResult<k8s::Dynamic> {
          auto merged = is_merged_by_keys ? k8s::apply_strategic_patch(json::Value(live->json()), patch,
                                                                       *resource.patch_schema)
                                          : k8s::apply_merge_patch(json::Value(live->json()), patch);
          if (!merged) {
            return std::unexpected(k8s::Status::failure(k8s::reason::invalid, merged.error().message));
          }
          return read(k8s::Dynamic(std::move(merged->get_object())), live);
        }};
    done = objects.update(resource, request, context);
  }
  if (!done) return std::unexpected(done.error());
  return {};
}

}  // namespace

struct EmbeddedServer::Implementation {
  Implementation(std::unique_ptr<storage::Storage> opened, std::unique_ptr<access::Tokens> opened_tokens,
                 std::unique_ptr<audit::AuditLog> opened_audit, ServerOptions& options)
      : test_faults(options.test_faults),
        test_clock(options.test_clock),
        storage(std::move(opened)),
        tokens(std::move(opened_tokens)),
        audit(std::move(opened_audit)),
        objects(*storage, registry, *options.clock,
                options.random ? std::move(options.random) : system_random()),
        watches(*options.clock),
        policy(*storage),
        admission(admission_options()),
        api(objects, watches, extensions()) {
    objects.waits().set_limits(options.waits);
    set_write_checks();
  }

  void set_write_checks() {
    objects.set_write_check("rbac.authorization.k8s.io", objects::WriteStage::sent,
                            [this](const objects::CheckedWrite& write) {
                              return access::check_grant(*policy.current(), write.context.user,
                                                         {.resource = write.resource.group_resource(),
                                                          .object = write.object,
                                                          .old = write.old,
                                                          .request_name = write.request_name});
                            });
    objects.set_write_check("scheduling.k8s.io", objects::WriteStage::completed,
                            [this](const objects::CheckedWrite& write) {
                              return resources::check_default_priority(*storage, write.object, write.old);
                            });
    objects.set_write_check("certificates.k8s.io", objects::WriteStage::valid,
                            [this](const objects::CheckedWrite& write) -> k8s::StatusResult<void> {
                              if (auto signed_by = check_pod_certificate(write); !signed_by) return signed_by;
                              const std::string error = certificate_error(write);
                              if (error.empty()) return {};
                              return std::unexpected(k8s::answer::forbidden(write.resource.group_resource(),
                                                                            write.object.name(), error));
                            });
    objects.set_write_check("resource.k8s.io", objects::WriteStage::valid,
                            [this](const objects::CheckedWrite& write) { return check_claim(write); });
    objects.set_write_check("admissionregistration.k8s.io", objects::WriteStage::valid,
                            [this](const objects::CheckedWrite& write) -> k8s::StatusResult<void> {
                              if (write.part != resources::Part::object) return {};
                              const auto error =
                                  admission::check_param_access({*storage, registry, authorizer()},
                                                                write.context.user, write.object, write.old);
                              if (!error) return {};
                              return std::unexpected(k8s::answer::invalid(
                                  write.resource.storage_kind.group_kind(), write.object.name(), {*error}));
                            });
  }

  /// Checks the rights to what a ResourceClaim asks for, and to the parts of its status.
  k8s::StatusResult<void> check_claim(const objects::CheckedWrite& write) {
    const bool is_status = write.part == resources::Part::status;
    const k8s::GroupKind kind = write.resource.storage_kind.group_kind();
    const bool is_template = kind.kind == "ResourceClaimTemplate";
    if ((kind.kind != "ResourceClaim" && !is_template) || (write.old != nullptr && !is_status)) return {};
    std::vector<k8s::FieldError> errors;
    if (const std::string path = access::admin_access_path(write.object, write.old); !path.empty()) {
      const auto stored = storage->get({"namespaces", "", std::string(write.object.namespace_name())});
      const bool is_allowed =
          stored && *stored != nullptr &&
          resources::parse(**stored).map("metadata.labels").find(access::admin_access_label) == "true";
      if (!is_allowed) {
        errors.push_back(k8s::FieldError::forbidden(path, "admin access to devices requires the `" +
                                                              std::string(access::admin_access_label) +
                                                              ": true` label on the containing namespace"));
      }
    }
    if (is_status && write.old != nullptr) {
      const access::ClaimStatusWrite status{
          .user = write.context.user, .verb = write.context.verb, .object = write.object, .old = *write.old};
      for (k8s::FieldError& error : access::claim_status_errors(authorizer(), status))
        errors.push_back(std::move(error));
    }
    if (errors.empty()) return {};
    return std::unexpected(k8s::answer::invalid(kind, write.object.name(), errors));
  }

  /// Checks that a user who writes the status of a PodCertificateRequest may sign it.
  k8s::StatusResult<void> check_pod_certificate(const objects::CheckedWrite& write) {
    const bool is_request = write.resource.kind.kind == "PodCertificateRequest";
    if (!is_request || write.old == nullptr || write.part != resources::Part::status) return {};
    const std::string error =
        access::request_signer_error(authorizer(), write.context.user, write.object, *write.old);
    if (error.empty()) return {};
    return std::unexpected(k8s::answer::invalid(write.resource.storage_kind.group_kind(), write.object.name(),
                                                {k8s::FieldError::forbidden("spec.signerName", error)}));
  }

  /// Returns the reason why a user may not create, decide or sign a certificate request, or attest for a
  /// signer; empty: they may.
  std::string certificate_error(const objects::CheckedWrite& write) {
    const std::string& kind = write.resource.kind.kind;
    if (kind == "ClusterTrustBundle") {
      return access::attest_error(authorizer(), write.context.user, write.object, write.old);
    }
    if (kind != "CertificateSigningRequest") return {};
    if (write.old == nullptr) return access::subject_error(write.object);
    if (write.part == resources::Part::object) return {};
    return access::signer_error(authorizer(), write.context.user, write.object, *write.old,
                                write.part == resources::Part::approval);
  }

  access::Authorizer authorizer() {
    return [this](const access::User& user, const access::Attributes& attributes) {
      return policy.current()->decide(user, attributes);
    };
  }

  admission::AdmissionOptions admission_options() {
    return {.sources = {*storage, registry},
            .authorize = authorizer(),
            .read = [](const resources::ServedResource& resource, const k8s::GroupVersionKind& kind,
                       k8s::Dynamic& object) -> Result<void> {
              if (auto read = rest::read_fields(resource, kind, object, {}); !read) return fail(read.error());
              return {};
            },
            .make_uid = [this] { return objects.make_uid(); },
            .waits = objects.waits()};
  }

  rest::Extensions extensions() {
    rest::Extensions made;
    made.authorize = authorizer();
    made.rules_of = [this](const access::User& user, std::string_view namespace_name) {
      return policy.current()->held_by(user, namespace_name);
    };
    made.admission = &admission;
    made.tokens = tokens.get();
    made.audit = audit.get();
    made.test_faults = test_faults;
    made.test_clock = test_clock;
    return made;
  }

  Result<void> make_first_objects();
  Result<void> write_flow_configuration();
  /// Begins to renew the certificate that the server's own CA has issued for these names.
  Result<void> renew_certificate(const std::vector<std::string>& names);
  Result<void> warn_of_unchecked_policies();

  bool test_faults;
  FakeClock* test_clock;
  std::unique_ptr<storage::Storage> storage;
  std::unique_ptr<access::Tokens> tokens;
  /// The audit log; null: none is written.
  std::unique_ptr<audit::AuditLog> audit;
  resources::ResourceRegistry registry;
  objects::Objects objects;
  watch::WatchHub watches;
  access::LivePolicy policy;
  admission::Admission admission;
  rest::Api api;
  std::unique_ptr<definitions::Definitions> definitions;
  server::Certificates certificates;
  /// Certificates by which clients trust the server (PEM).
  std::string trusted;
  std::string host;
  std::unique_ptr<controllers::Controllers> controllers;
  std::unique_ptr<http::Server> http;
  std::unique_ptr<server::CertificateRenewal> renewal;
};

EmbeddedServer::EmbeddedServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

EmbeddedServer::~EmbeddedServer() {
  // Requests first, then what they use. Those that wait for a webhook would wait for long.
  implementation_->admission.stop();
  implementation_->renewal.reset();
  implementation_->http.reset();
  implementation_->controllers.reset();
}

Result<void> EmbeddedServer::Implementation::make_first_objects() {
  const resources::ServedResourcePtr namespaces = registry.find({"", "v1", "namespaces"});
  for (const std::string_view name : first_namespaces) {
    k8s::Dynamic object;
    object.set("kind", "Namespace");
    object.set("apiVersion", "v1");
    object.set_name(name);
    const auto made = objects.create(*namespaces, std::move(object), {.room = storage::Room::server});
    if (!made && !made.error().is_failure(k8s::reason::already_exists)) {
      return fail(made.error().to_error().within("creating the namespace " + std::string(name)));
    }
  }
  // A folder may be of a server without controllers.
  const auto all = storage->list({.resource = namespaces->storage});
  if (!all) return fail(all.error().error.within("reading the namespaces"));
  for (const storage::RecordPtr& one : all->records) objects.give_account(std::string(one->name()));
  return {};
}

Result<void> EmbeddedServer::Implementation::write_flow_configuration() {
  // The group may be turned off.
  if (registry.find({"flowcontrol.apiserver.k8s.io", "v1", "flowschemas"}) == nullptr) return {};
  auto wanted = flow::default_configuration(objects.clock().now());
  const auto written = storage::write_defaults(*storage, std::move(wanted), &flow::revised, objects.clock(),
                                               [&] { return objects.make_uid(); });
  if (!written) return fail(written.error().within("writing the default flow control"));
  return {};
}

Result<void> EmbeddedServer::Implementation::renew_certificate(const std::vector<std::string>& names) {
  const auto ends = server::end_of(certificates.server);
  if (!ends) return fail(ends.error());
  renewal = std::make_unique<server::CertificateRenewal>(server::RenewalOptions{
      .ends = *ends,
      .renew = [authority = certificates.authority, names, server = http.get()]() -> Result<WallTime> {
        auto renewed = server::issue_for_server(authority, names);
        if (!renewed) return fail(renewed.error());
        const auto until = server::end_of(*renewed);
        if (!until) return until;
        if (auto used = server->use_certificate(renewed->certificate, renewed->key); !used)
          return fail(used.error());
        return until;
      }});
  return {};
}

Result<void> EmbeddedServer::Implementation::warn_of_unchecked_policies() {
  const auto found = admission::unchecked_policies(*storage, registry);
  if (!found) return fail(found.error());
  for (const std::string& policy : *found) {
    log::warning(
        "a policy with parameters was stored before its writer's right to read them was checked: review it, "
        "and write it again",
        {{"policy", policy}});
  }
  return {};
}

Result<std::unique_ptr<EmbeddedServer>> EmbeddedServer::start(ServerOptions options) {
  constexpr std::string_view doing = "starting the API server";
  if (auto checked = check_test_options(options); !checked) return fail(checked.error().within(doing));
  const auto network = resources::ServiceNetwork::of(options.service_cluster_ip_range);
  if (!network) return fail(network.error().within(doing));
  const auto disabled = resources::DisabledApis::of(options.disabled_apis);
  if (!disabled) return fail(disabled.error().within(doing));
  const auto given = server::read_given_credentials(options.client_ca_file, options.tls_cert_file,
                                                    options.tls_private_key_file);
  if (!given) return fail(given.error().within(doing));
  auto token_settings = server::read_token_settings(options.service_account_signing_key_file,
                                                    options.service_account_key_files);
  if (!token_settings) return fail(token_settings.error().within(doing));
  token_settings->issuers = options.service_account_issuers;
  token_settings->audiences = options.api_audiences;
  const storage::StorageOptions storage_options{.clock = options.clock,
                                                .history_bytes = options.history_bytes,
                                                .disk_quota = options.data.empty() ? 0 : options.disk_quota,
                                                .durable = options.durable};
  auto opened = options.data.empty() ? storage::open_memory_storage(storage_options)
                                     : storage::open_storage(options.data / database_name, storage_options);
  if (!opened) return fail(opened.error().within(doing));
  auto admin_key = server::AdminKey::begin(**opened, options.admin_key);
  if (!admin_key) return fail(admin_key.error().within(doing));
  const std::vector<std::string> names = names_of(options, *network);
  const std::string listen = options.listen;
  const std::filesystem::path certificate_file = options.tls_cert_file,
                              key_file = options.tls_private_key_file;
  const RequestLimits requests = options.requests;
  const controllers::ControllerOptions controllers{.garbage_collector = options.garbage_collector,
                                                   .namespaces = options.namespace_controller,
                                                   .namespace_defaults = options.namespace_defaults,
                                                   .role_aggregation = options.role_aggregation,
                                                   .token_secrets = options.token_secrets,
                                                   .quota_status = options.quota_status};
  auto tokens = access::Tokens::open(**opened, *options.clock, *std::move(token_settings));
  if (!tokens) return fail(tokens.error().within(doing));
  std::unique_ptr<audit::AuditLog> audit;
  if (!options.audit_log.empty()) {
    auto log = audit::AuditLog::open(options.audit_log, options.audit_level);
    if (!log) return fail(log.error().within(doing));
    audit = *std::move(log);
  }
  auto made =
      std::make_unique<Implementation>(*std::move(opened), *std::move(tokens), std::move(audit), options);
  made->objects.set_service_network(*network);
  made->objects.set_resource_quotas(options.resource_quotas);
  made->objects.set_limit_ranges(options.limit_ranger);
  made->objects.set_namespace_accounts(options.namespace_defaults);
  for (resources::ServedResource& resource : resources::stored_built_in_resources()) {
    if (resource.kind.kind == "CustomResourceDefinition") {
      resource.strategy = std::make_shared<definitions::DefinitionStrategy>();
    }
    if (resource.kind.kind == "Pod") {
      const resources::PodAccounts accounts = !options.pod_service_accounts ? resources::PodAccounts::ignored
                                              : options.namespace_defaults
                                                  ? resources::PodAccounts::required
                                                  : resources::PodAccounts::looked_up;
      resource.strategy =
          resources::pod_strategy({.accounts = accounts, .limit_ranger = options.limit_ranger});
    }
    if (disabled->has(resource.group_version_resource())) continue;
    if (auto strategy = admission::admission_strategy(resource.kind.group_kind())) {
      resource.strategy = std::move(strategy);
    }
    made->registry.put(std::move(resource));
  }
  if (auto warned = made->warn_of_unchecked_policies(); !warned) return fail(warned.error().within(doing));
  made->definitions = std::make_unique<definitions::Definitions>(made->objects, made->registry);
  if (auto followed = made->definitions->start(); !followed) return fail(followed.error().within(doing));
  if (auto written = made->policy.write_defaults(
          *options.clock, [&] { return made->objects.make_uid(); }, options.role_aggregation);
      !written) {
    return fail(written.error().within(doing));
  }
  if (auto written = made->write_flow_configuration(); !written) return fail(written.error().within(doing));
  auto certificates = server::load_certificates(*made->storage, names);
  if (!certificates) return fail(certificates.error().within(doing));
  made->certificates = *std::move(certificates);
  if (auto done = made->make_first_objects(); !done) return fail(done.error().within(doing));
  const std::string& authority = made->certificates.authority.certificate;
  made->trusted = given->certificate.empty() ? authority : given->certificate;
  const std::string client_authorities = given->client_authorities + authority;
  if (auto published = server::publish_authentication_info(made->objects, client_authorities); !published) {
    return fail(published.error().within(doing));
  }

  http::ServerOptions http = options.limits;
  http.listen = listen;
  http.tls = http::TlsServerOptions{};
  if (given->certificate.empty()) {
    http.tls->certificate = made->certificates.server.certificate;
    http.tls->key = made->certificates.server.key;
  } else {
    http.tls->certificate_file = certificate_file;
    http.tls->key_file = key_file;
  }
  http.tls->client_ca = client_authorities;
  http.blocking_threads = requests.in_flight;
  http.levels = flow::levels_of(requests);
  http.queue_timeout = requests.queue_timeout;
  http.max_body_bytes = most_body_bytes;
  http::Router router;
  router.blocking("/", "GET HEAD POST PUT PATCH DELETE",
                  [&api = made->api](const http::Request& request) { return api.handle(request); });
  router.flow(
      [tokens = made->tokens.get()](const http::Request& request) { return flow::flow_of(request, tokens); });
  router.refusal(&rest::Api::refuse);
  auto started = http::Server::start(http, router);
  if (!started) return fail(started.error().within(doing));
  made->http = *std::move(started);
  made->api.set_flows([server = made->http.get()] { return server->flows(); });
  // A given certificate is its owner's to renew.
  if (given->certificate.empty()) {
    if (auto renewed = made->renew_certificate(names); !renewed) return fail(renewed.error().within(doing));
  }
  if (auto published = server::publish_kubernetes_service(made->objects, made->http->port()); !published) {
    return fail(published.error().within(doing));
  }
  made->controllers = std::make_unique<controllers::Controllers>(made->objects, controllers, made->trusted,
                                                                 made->tokens.get());
  // Last: its key may have been in the making until now.
  auto admin = admin_key->certificate(made->certificates.authority);
  if (!admin) return fail(admin.error().within(doing));
  made->certificates.admin = *std::move(admin);
  const std::string host = host_of(listen);
  made->host = is_any_address(host) ? "127.0.0.1" : host;
  std::unique_ptr<EmbeddedServer> server(new EmbeddedServer(std::move(made)));
  server->implementation_->tokens->set_url(server->url());
  return server;
}

std::string EmbeddedServer::url() const {
  return "https://" + implementation_->host + ":" + std::to_string(implementation_->http->port());
}

const std::string& EmbeddedServer::authority() const {
  return implementation_->trusted;
}

const http::KeyedCertificate& EmbeddedServer::admin() const {
  return implementation_->certificates.admin;
}

Result<http::KeyedCertificate> EmbeddedServer::client_certificate(
    const std::string& user, const std::vector<std::string>& groups) const {
  return server::issue_for_client(implementation_->certificates.authority, user, groups);
}

std::string EmbeddedServer::kubeconfig() const {
  return "apiVersion: v1\nkind: Config\ncurrent-context: fairway\nclusters:\n- name: fairway\n  cluster:\n"
         "    server: " +
         url() + "\n    certificate-authority-data: " + base64_encode(authority()) +
         "\nusers:\n- name: kubernetes-admin\n  user:\n    client-certificate-data: " +
         base64_encode(admin().certificate) + "\n    client-key-data: " + base64_encode(admin().key) +
         "\ncontexts:\n- name: fairway\n  context:\n    cluster: fairway\n    user: kubernetes-admin\n";
}

std::uint64_t EmbeddedServer::unaudited_requests() const {
  audit::AuditLog* audit = implementation_->audit.get();
  if (audit == nullptr) return 0;
  audit->wait_until_written();
  return audit->lost();
}

void EmbeddedServer::drain(std::chrono::milliseconds limit) {
  implementation_->http->drain(limit);
}

void EmbeddedServer::wait_until_current() {
  implementation_->definitions->wait_until_current({});
}

Result<void> EmbeddedServer::apply(std::string_view documents, const std::string& origin) {
  auto read = k8s::read_documents(documents);
  if (!read) return fail(read.error().within(origin));
  for (k8s::Document& document : *read) {
    const std::string where = origin + ":" + std::to_string(document.line);
    if (auto applied = apply_document(std::move(document.value), where); !applied) return applied;
  }
  return {};
}

Result<void> EmbeddedServer::apply_document(json::Value document, const std::string& where) {
  auto object = k8s::Dynamic::from(std::move(document));
  if (!object) return fail(object.error().within(where));
  json::Value* items = object->json().if_contains("items");
  if (object->kind().ends_with("List") && items != nullptr && items->is_array()) {
    for (json::Value& item : items->get_array()) {
      const std::string which = where + ": item " + std::to_string(&item - items->get_array().data());
      if (auto applied = apply_document(std::move(item), which); !applied) return applied;
    }
    return {};
  }
  const resources::ServedResourcePtr resource =
      implementation_->registry.find_kind(object->group_version_kind());
  if (resource == nullptr) {
    return fail(ErrorCode::not_found,
                where + ": no resource of kind " + object->group_version_kind().to_string() + " is served");
  }
  if (resource->is_namespaced() && object->namespace_name().empty()) object->set_namespace_name("default");
  const auto done = apply_object(implementation_->objects, *resource, *object);
  if (!done) return fail(done.error().to_error().within(where + ": " + object->key().to_string()));
  // The next objects may be of the kind that this one defines.
  if (object->kind() == "CustomResourceDefinition") wait_until_current();
  return {};
}

Result<void> backup(const std::filesystem::path& data, const std::filesystem::path& to) {
  return storage::backup_storage(data / database_name, to);
}

Result<std::filesystem::path> restore(const std::filesystem::path& backup, const std::filesystem::path& data,
                                      bool replace) {
  const std::filesystem::path file = data / database_name;
  std::error_code error;
  const bool is_there = std::filesystem::exists(file, error);
  if (is_there && !replace) {
    return fail(ErrorCode::conflict, "restoring " + file.string() +
                                         ": there is a database; name another folder, or have it replaced "
                                         "(--replace)");
  }
  if (auto done = storage::restore_storage(backup, file); !done) return fail(done.error());
  return is_there ? std::filesystem::path(file.string() + ".before-restore") : std::filesystem::path();
}

}  // namespace fairway::apiserver
