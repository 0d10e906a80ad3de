// SPDX-License-Identifier: Apache-2.0

// A connection of the client that speaks HTTP/2: many calls at once, each of which blocks its own thread,
// while a thread of the connection reads and writes.
#pragma once

#include <nghttp2/nghttp2.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "base/file_descriptor.h"
#include "http/client.h"
#include "http/dial.h"
#include "http/internal/http2/client_exchange.h"
#include "http/internal/http2/peer_silence.h"
#include "http/internal/tls/tls.h"

namespace fairway::http {

class Http2Connection {
 public:
  /// Takes over a socket whose handshake has chosen HTTP/2. Null if the system has no thread or descriptor
  /// for it. `options` says when a silent server is given up.
  static std::shared_ptr<Http2Connection> start(FileDescriptor fd, std::unique_ptr<TlsSession> tls,
                                                const ClientOptions& options);
  ~Http2Connection();
  Http2Connection(const Http2Connection&) = delete;
  Http2Connection& operator=(const Http2Connection&) = delete;

  /// Reserves room for a call, which `exchange` uses and gives back. False: the connection has ended or will,
  /// has as many calls as the server takes, or has left one without a word.
  bool reserve();
  /// Returns whether it takes calls, now or later, and has not been without any for longer than `most_idle`.
  bool is_kept(std::chrono::steady_clock::duration most_idle);
  /// Returns the number of calls that the server takes at once, as soon as it has said so.
  std::optional<std::size_t> known_limit();
  /// Sets the limit that counts until the server has said its own.
  void expect_limit(std::size_t most);

  /// Sends a call and reads its reply, as `ClientConnection::exchange` does. `head` is that of HTTP/1.1.
  /// After a failure `unseen` says whether the server has done nothing of the call, and `nothing_read`
  /// whether nothing of a reply has come.
  Result<Reply> exchange(std::string_view head, const Call& call, const SocketWait& sockets,
                         bool& nothing_read, bool& unseen);

 private:
  friend struct Http2ClientCallbacks;
  struct FreeSession {
    void operator()(nghttp2_session* session) const { nghttp2_session_del(session); }
  };

  Http2Connection(FileDescriptor fd, FileDescriptor wakeup, std::unique_ptr<TlsSession> tls,
                  const ClientOptions& options);
  /// Reads and writes until the connection ends. Runs on its thread.
  void run();
  /// Writes what the session has. False: the connection has ended; `blocked`: the socket is full.
  bool write(bool& blocked);
  /// Reads what has come. False: the connection has ended.
  bool read();
  /// Waits until there is something to do. False: the connection has ended.
  bool wait(bool blocked);
  /// Asks a silent server for a sign of life. False: it has given none.
  bool check_silence();
  /// Returns the time until `check_silence` has to be called, in milliseconds; -1: not before a call is made.
  int until_check();
  /// Ends all calls with an error.
  void fail_all(const std::string& why);
  void wake() const;
  // With the mutex.
  Result<void> submit(const std::shared_ptr<Http2Exchange>& exchange, std::string_view head,
                      const Call& call);
  /// Waits for the reply and hands over its body. The lock is held but while the caller's function runs.
  Result<Reply> receive(Http2Exchange& exchange, const Call& call, const SocketWait& sockets,
                        std::unique_lock<std::mutex>& lock);
  /// Ends a call of which no more is wanted.
  void abandon(Http2Exchange& exchange);
  /// Returns the number of calls at once.
  std::size_t limit() const;
  Http2Exchange* exchange_of(std::int32_t stream);
  /// Gives up calls that would wait for others to end, because the server takes fewer at once than were made
  /// before that was known: they go over another connection.
  void give_up_unsent();

  FileDescriptor fd_, wakeup_;
  std::unique_ptr<TlsSession> tls_;  ///< used by the thread alone
  std::string output_;               ///< frames that wait for the socket; used by the thread alone
  std::mutex mutex_;
  std::unique_ptr<nghttp2_session, FreeSession> session_;
  std::map<std::int32_t, std::shared_ptr<Http2Exchange>> exchanges_;
  std::size_t calls_ = 0;  ///< reserved calls
  SteadyTime idle_since_{};
  PeerSilence silence_;
  bool settled_ = false;  ///< the server's settings are known
  std::size_t expected_limit_;
  bool closing_ = false;  ///< the server takes no more calls, or the connection has ended
  bool stopping_ = false;
  std::jthread thread_;
};

}  // namespace fairway::http
