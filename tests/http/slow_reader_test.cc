// Clients that ask for much and do not read it: what each of them holds of the server's and the kernel's
// memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <vector>

#include "http/hello_server.h"
#include "http/raw_client.h"
#include "http/server.h"

namespace fairway::http {
namespace {

constexpr int small_buffer = 4096;

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__) && !defined(__clang__)
std::size_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::size_t pages = 0, resident = 0;
  file >> pages >> resident;
  return resident * static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

TEST(SlowReader, HoldsNothingOfItsRequest) {
  constexpr std::size_t readers = 60, body = 900'000;
  Router router = hello_routes();
  // Its bytes are shared by all: what a reader holds beyond them is its own.
  const auto large = Prepared::make(200, {}, make_bytes(std::string(16 << 20, 'x')));
  router.immediate("/take", "POST", [large](const Request&) { return Response::of(large); });
  const auto server = start_hello_server({}, std::move(router));
  const std::string request = "POST /take HTTP/1.1\r\nHost: a\r\nContent-Length: " + std::to_string(body) +
                              "\r\n\r\n" + std::string(body, 'x');
  std::vector<RawClient> clients;
  const auto add = [&] {
    clients.emplace_back(server->port(), small_buffer);
    clients.back().send(request);
    ASSERT_TRUE(clients.back().read_some());
  };
  add();
  const std::size_t before = resident_bytes();
  while (clients.size() < readers && !HasFatalFailure()) add();
  EXPECT_LT(resident_bytes(), before + readers * body / 2);
}
#endif

TEST(SlowReader, HoldsLittleOfTheKernelsMemory) {
  for (const bool from_file : {true, false}) {
    SCOPED_TRACE(from_file ? "sendfile" : "send");
    Router router = hello_routes();
    router.immediate("/text", "GET",
                     [](const Request&) { return Response::text(200, std::string(8 << 20, 'x')); });
    auto server = start_hello_server({}, std::move(router));
    RawClient client(server->port(), small_buffer);
    client.send(std::string("GET ") + (from_file ? "/large" : "/text") + " HTTP/1.1\r\nHost: a\r\n\r\n");
    ASSERT_TRUE(client.read_some());
    // What the kernel has taken it still delivers.
    server.reset();
    EXPECT_LT(client.read_to_end().size(), 300'000U);
  }
}

}  // namespace
}  // namespace fairway::http
