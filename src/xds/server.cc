// SPDX-License-Identifier: Apache-2.0

#include "xds/server.h"

#include <grpcpp/generic/async_generic_service.h>
#include <grpcpp/security/server_credentials.h>
#include <grpcpp/security/tls_certificate_provider.h>
#include <grpcpp/security/tls_credentials_options.h>
#include <grpcpp/server.h>
#include <grpcpp/server_builder.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/slice.h>

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "base/file.h"
#include "base/text.h"
#include "xds/internal/hub.h"
#include "xds/internal/unix_socket.h"

namespace fairway::xds {

namespace {

/// Largest request: it names resources and the Envoy that asks, while the resources themselves are in
/// responses.
constexpr int most_request_bytes = 16 << 20;
/// Time that streams may take to end when the server does.
constexpr std::chrono::seconds end_of_streams{2};

std::string bytes_of(const grpc::ByteBuffer& buffer) {
  std::vector<grpc::Slice> slices;
  std::string bytes;
  if (!buffer.Dump(&slices).ok()) return bytes;
  bytes.reserve(buffer.Length());
  for (const grpc::Slice& slice : slices)
    bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
  return bytes;
}

/// Interval at which files of certificates are checked for changes.
constexpr unsigned reload_seconds = 30;

Result<std::shared_ptr<grpc::ServerCredentials>> credentials_of(const ServerTls& tls) {
  // gRPC would only log it.
  for (const std::string& file : {tls.certificate_file, tls.key_file, tls.authority_file}) {
    if (const auto text = read_file(file); !text) return fail(text.error());
  }
  const auto files = std::make_shared<grpc::experimental::FileWatcherCertificateProvider>(
      tls.key_file, tls.certificate_file, tls.authority_file, reload_seconds);
  grpc::experimental::TlsServerCredentialsOptions options(files);
  options.watch_root_certs();
  options.watch_identity_key_cert_pairs();
  options.set_cert_request_type(GRPC_SSL_REQUEST_AND_REQUIRE_CLIENT_CERTIFICATE_AND_VERIFY);
  return grpc::experimental::TlsServerCredentials(options);
}

std::string with_port(const std::string& listen, int port) {
  return listen.substr(0, listen.rfind(':')) + ":" + std::to_string(port);
}

/// Refuses a call of another method.
class Refusal final : public grpc::ServerGenericBidiReactor {
 public:
  explicit Refusal(const std::string& method) {
    Finish({grpc::StatusCode::UNIMPLEMENTED, "no " + printable(method) + " here; use DELTA_GRPC and ADS"});
  }
  void OnDone() override { delete this; }
};

/// Counts the streams that have to end before the server does.
class Open {
 public:
  void add() {
    const std::scoped_lock lock(mutex_);
    ++count_;
  }
  void remove() {
    const std::scoped_lock lock(mutex_);
    if (--count_ == 0) none_.notify_all();
  }
  void wait_for_none() {
    std::unique_lock lock(mutex_);
    none_.wait(lock, [&] { return count_ == 0; });
  }

 private:
  std::mutex mutex_;
  std::condition_variable none_;
  int count_ = 0;
};

/// The stream of one Envoy. gRPC calls at most one of its functions at a time for each direction; members
/// that both use are guarded by the hub's lock.
class Stream final : public grpc::ServerGenericBidiReactor, public Client {
 public:
  Stream(Hub& hub, Open& open) : Client(hub.new_stream()), hub_(hub), open_(open) {
    open_.add();
    hub_.joined(*this);
    StartRead(&request_);
  }

  void pump(const Snapshot& snapshot) override {
    if (is_writing_ || end_) return;
    const auto response = discovery.next(snapshot);
    if (!response) return;
    const grpc::Slice slice(write_response(hub_.api(), *response));
    response_ = grpc::ByteBuffer(&slice, 1);
    is_writing_ = true;
    StartWrite(&response_);
  }

  void close() override {
    if (!end_) end_ = grpc::Status(grpc::StatusCode::UNAVAILABLE, "the server ends");
    finish_if_ended();
  }

  void OnReadDone(bool is_ok) override {
    if (!is_ok) {
      end(grpc::Status::OK);
      return;
    }
    const auto taken = hub_.received(*this, bytes_of(request_));
    if (!taken) {
      end({grpc::StatusCode::INVALID_ARGUMENT, taken.error().message});
      return;
    }
    StartRead(&request_);
  }

  void OnWriteDone(bool is_ok) override {
    hub_.ready(*this, [&] {
      is_writing_ = false;
      if (!is_ok && !end_) end_ = grpc::Status::OK;
      finish_if_ended();
    });
  }

  void OnCancel() override { end(grpc::Status::CANCELLED); }

  void OnDone() override {
    Open& open = open_;
    hub_.left(*this);
    delete this;
    open.remove();
  }

 private:
  void end(const grpc::Status& status) {
    hub_.left(*this);
    const std::scoped_lock lock(hub_.mutex());
    if (!end_) end_ = status;
    finish_if_ended();
  }

  /// Finishes the call once it has ended and no message is being written.
  void finish_if_ended() {
    if (!end_ || is_writing_ || is_finished_) return;
    is_finished_ = true;
    Finish(*end_);
  }

  Hub& hub_;
  Open& open_;
  grpc::ByteBuffer request_, response_;
  bool is_writing_ = false, is_finished_ = false;
  std::optional<grpc::Status> end_;
};

class Service final : public grpc::CallbackGenericService {
 public:
  Service(Hub& hub, Open& open) : hub_(hub), open_(open) {}

  grpc::ServerGenericBidiReactor* CreateReactor(grpc::GenericCallbackServerContext* context) override {
    if (context->method() !=
        "/envoy.service.discovery.v3.AggregatedDiscoveryService/DeltaAggregatedResources")
      return new Refusal(context->method());
    return new Stream(hub_, open_);
  }

 private:
  Hub& hub_;
  Open& open_;
};

}  // namespace

struct DiscoveryServer::Implementation {
  Implementation(std::shared_ptr<const EnvoyApi> api, ServerOptions options)
      : hub(std::move(api), std::move(options)) {}

  FileDescriptor socket_lock;  ///< until the server has ended
  Hub hub;
  Open open;
  Service service{hub, open};
  std::unique_ptr<grpc::Server> server;
  std::string address;
};

DiscoveryServer::DiscoveryServer(std::unique_ptr<Implementation> implementation)
    : implementation_(std::move(implementation)) {}

DiscoveryServer::~DiscoveryServer() {
  implementation_->hub.close();
  // gRPC goes by the machine's clock, whatever clock the hub has.
  implementation_->server->Shutdown(Clock::system().now() + end_of_streams);
  implementation_->open.wait_for_none();
}

Result<std::unique_ptr<DiscoveryServer>> DiscoveryServer::start(std::shared_ptr<const EnvoyApi> api,
                                                                ServerOptions options) {
  const std::string listen = options.listen;
  const std::filesystem::path path = options.socket;
  if (listen.empty() && path.empty())
    return fail(ErrorCode::invalid, "serving Envoys needs a Unix socket, or an address and certificates");
  std::shared_ptr<grpc::ServerCredentials> credentials;
  if (!listen.empty()) {
    if (!options.tls)
      return fail(ErrorCode::invalid,
                  "listening for Envoys on " + printable(listen) +
                      " needs TLS, for they are given private keys: name a CA, a certificate and its key");
    auto read = credentials_of(*options.tls);
    if (!read) return fail(read.error());
    credentials = *std::move(read);
  }
  OwnSocket own;
  if (!path.empty()) {
    auto prepared = prepare_socket(path);
    if (!prepared) return fail(prepared.error());
    own = *std::move(prepared);
  }
  const std::string socket = own.address;
  auto made = std::make_unique<Implementation>(std::move(api), std::move(options));
  made->socket_lock = std::move(own.lock);
  grpc::ServerBuilder builder;
  builder.SetMaxReceiveMessageSize(most_request_bytes);
  // Two servers on one port would each get some of the Envoys.
  builder.AddChannelArgument(GRPC_ARG_ALLOW_REUSEPORT, 0);
  // Envoys ask every few seconds whether the connection lives, also where nothing is sent for long; by
  // default gRPC ends a connection for that, and its Envoy would count as gone for a moment.
  builder.AddChannelArgument(GRPC_ARG_HTTP2_MAX_PING_STRIKES, 0);
  int port = 0, socket_is_bound = 0;
  if (!listen.empty()) builder.AddListeningPort(listen, credentials, &port);
  if (!socket.empty()) builder.AddListeningPort(socket, grpc::InsecureServerCredentials(), &socket_is_bound);
  builder.RegisterCallbackGenericService(&made->service);
  made->server = builder.BuildAndStart();
  if (!made->server || (!listen.empty() && port == 0))
    return fail(ErrorCode::unavailable,
                "listening for Envoys on " +
                    (listen.empty()
                         ? printable(path.string())
                         : printable(listen) + " failed; choose an address of this machine and a free port"));
  if (!socket.empty()) {
    if (socket_is_bound == 0)
      return fail(ErrorCode::unavailable, "listening for Envoys on " + printable(path.string()) + " failed");
    if (auto closed = close_for_others(path); !closed) return fail(closed.error());
  }
  if (!listen.empty()) made->address = with_port(listen, port);
  return std::unique_ptr<DiscoveryServer>(new DiscoveryServer(std::move(made)));
}

void DiscoveryServer::set(const Resources& resources) {
  implementation_->hub.set(resources);
}
Acknowledgement DiscoveryServer::acknowledgement(const ResourceName& name) const {
  return implementation_->hub.acknowledgement(name);
}
Report DiscoveryServer::report() const {
  return implementation_->hub.report();
}
void DiscoveryServer::set_peers(std::set<std::string> servers) {
  implementation_->hub.set_peers(std::move(servers));
}
void DiscoveryServer::update_peer_report(const std::string& server, std::optional<Report> report) {
  implementation_->hub.update_peer_report(server, std::move(report));
}
std::uint64_t DiscoveryServer::session() const {
  return implementation_->hub.session();
}
std::size_t DiscoveryServer::connected() const {
  return implementation_->hub.connected();
}
std::size_t DiscoveryServer::served(Type type) const {
  return implementation_->hub.served(type);
}
std::set<std::string> DiscoveryServer::asked_for(Type type) const {
  return implementation_->hub.asked_for(type);
}
std::optional<std::chrono::nanoseconds> DiscoveryServer::next_lease_end() const {
  return implementation_->hub.next_lease_end();
}
const std::string& DiscoveryServer::address() const {
  return implementation_->address;
}

}  // namespace fairway::xds
