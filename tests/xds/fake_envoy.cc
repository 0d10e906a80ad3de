// SPDX-License-Identifier: Apache-2.0

#include "xds/fake_envoy.h"

#include <grpcpp/create_channel.h>
#include <grpcpp/generic/generic_stub.h>
#include <grpcpp/security/credentials.h>
#include <grpcpp/support/byte_buffer.h>
#include <grpcpp/support/client_callback.h>

#include <condition_variable>
#include <deque>
#include <mutex>
#include <stdexcept>
#include <utility>

#include "base/file.h"
#include "support/generous.h"

namespace fairway::xds {

namespace {

constexpr const char* request_type = "envoy.service.discovery.v3.DeltaDiscoveryRequest";
constexpr const char* response_type = "envoy.service.discovery.v3.DeltaDiscoveryResponse";

std::shared_ptr<grpc::ChannelCredentials> credentials_of(const std::filesystem::path& certificates) {
  if (certificates.empty()) return grpc::InsecureChannelCredentials();
  const std::string own = read_file(certificates / "envoy.pem").value();
  return grpc::SslCredentials({.pem_root_certs = read_file(certificates / "ca.pem").value(),
                               .pem_private_key = own,
                               .pem_cert_chain = own});
}

}  // namespace

struct FakeEnvoy::Implementation final : grpc::ClientBidiReactor<grpc::ByteBuffer, grpc::ByteBuffer> {
  Implementation(std::shared_ptr<const EnvoyApi> of, const std::string& address, const std::string& method,
                 const std::filesystem::path& certificates)
      : api(std::move(of)), stub(grpc::CreateChannel(address, credentials_of(certificates))) {
    stub.PrepareBidiStreamingCall(&context, method, {}, this);
    StartRead(&read);
    // Writes come from outside of reactions.
    AddHold();
    StartCall();
  }

  void OnReadDone(bool is_ok) override {
    if (!is_ok) return;
    std::vector<grpc::Slice> slices;
    read.Dump(&slices);
    std::string bytes;
    for (const grpc::Slice& slice : slices)
      bytes.append(reinterpret_cast<const char*>(slice.begin()), slice.size());
    {
      const std::scoped_lock lock(mutex);
      responses.push_back(std::move(bytes));
    }
    changed.notify_all();
    StartRead(&read);
  }
  void OnWriteDone(bool /*is_ok*/) override {
    const std::scoped_lock lock(mutex);
    is_writing = false;
    write_next();
  }
  void OnDone(const grpc::Status& how) override {
    const std::scoped_lock lock(mutex);
    status = how;
    changed.notify_all();
  }

  /// Ends writes from outside of the call's own functions, so that the call can end.
  void release() {
    {
      const std::scoped_lock lock(mutex);
      if (std::exchange(is_released, true)) return;
    }
    RemoveHold();
  }

  void write_next() {
    if (is_writing || requests.empty()) return;
    is_writing = true;
    const grpc::Slice slice(requests.front());
    requests.pop_front();
    written = grpc::ByteBuffer(&slice, 1);
    StartWrite(&written);
  }

  template <class Condition>
  bool wait(std::unique_lock<std::mutex>& lock, const Condition& condition) {
    return changed.wait_for(lock, testing::generous(std::chrono::seconds(5)), condition);
  }

  std::shared_ptr<const EnvoyApi> api;
  grpc::GenericStub stub;
  grpc::ClientContext context;
  grpc::ByteBuffer read, written;
  std::mutex mutex;
  std::condition_variable changed;
  std::deque<std::string> responses, requests;
  bool is_writing = false, is_released = false;
  std::optional<grpc::Status> status;
};

FakeEnvoy::FakeEnvoy(std::shared_ptr<const EnvoyApi> api, const std::string& address,
                     const std::string& method, const std::filesystem::path& certificates)
    : implementation_(std::make_unique<Implementation>(std::move(api), address, method, certificates)) {}

FakeEnvoy::~FakeEnvoy() {
  cancel();
  end();
}

void FakeEnvoy::cancel() {
  implementation_->context.TryCancel();
  implementation_->release();
}

void FakeEnvoy::send_bytes(const std::string& bytes) {
  const std::scoped_lock lock(implementation_->mutex);
  implementation_->requests.push_back(bytes);
  implementation_->write_next();
}

void FakeEnvoy::send(const json::Object& request) {
  const auto bytes = implementation_->api->encode(request_type, request);
  if (!bytes) throw std::logic_error(bytes.error().message);
  send_bytes(*bytes);
}

std::optional<json::Object> FakeEnvoy::receive() {
  std::string bytes;
  {
    std::unique_lock lock(implementation_->mutex);
    implementation_->wait(
        lock, [&] { return !implementation_->responses.empty() || implementation_->status.has_value(); });
    if (implementation_->responses.empty()) return std::nullopt;
    bytes = std::move(implementation_->responses.front());
    implementation_->responses.pop_front();
  }
  const auto response = implementation_->api->decode(response_type, bytes);
  if (!response) throw std::logic_error(response.error().message);
  return response->get_object();
}

std::pair<int, std::string> FakeEnvoy::end() {
  implementation_->release();
  std::unique_lock lock(implementation_->mutex);
  // Its memory is gRPC's until then.
  implementation_->changed.wait(lock, [&] { return implementation_->status.has_value(); });
  return {static_cast<int>(implementation_->status->error_code()), implementation_->status->error_message()};
}

}  // namespace fairway::xds
