// SPDX-License-Identifier: Apache-2.0

#include "http/internal/server/worker.h"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <ctime>
#include <system_error>
#include <utility>

#include "base/log.h"
#include "http/internal/server/io_thread.h"
#include "http/internal/wire.h"

namespace fairway::http {
namespace {

using namespace std::chrono_literals;

/// Connections accepted in a row before open connections have their turn.
constexpr int accepts_at_once = 64;
/// Events of the listening socket: one thread wakes for a new connection, not all that accept from the
/// socket.
constexpr std::uint32_t accept_events = EPOLLIN | EPOLLEXCLUSIVE;
/// Time without accepting after the process ran out of descriptors or memory.
constexpr auto accept_pause = 100ms;
constexpr auto accept_warning_every = 10s;
/// Time that a closing connection has to read our last reply.
constexpr auto linger_limit = 2s;
/// A head that takes longer than this may be given up for another connection.
constexpr auto slow_head = 1s;
/// Bodies and replies that are slow for longer than this may be given up for another connection.
constexpr auto slow_body = 1s, slow_reply = 5s;
/// Time after which a connection that is closed to make room has had its chance to read its last reply.
constexpr auto time_to_read = 1s;
/// Number of connections that are examined to find the one to close.
constexpr int looked_at = 64;
/// Read buffers kept for reuse by each worker.
constexpr std::size_t kept_intakes = 64;

std::string address_text(const sockaddr_storage& address) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (address.ss_family == AF_INET6) {
    const auto& v6 = reinterpret_cast<const sockaddr_in6&>(address);
    ::inet_ntop(AF_INET6, &v6.sin6_addr, text.data(), text.size());
    return "[" + std::string(text.data()) + "]:" + std::to_string(ntohs(v6.sin6_port));
  }
  const auto& v4 = reinterpret_cast<const sockaddr_in&>(address);
  ::inet_ntop(AF_INET, &v4.sin_addr, text.data(), text.size());
  return std::string(text.data()) + ":" + std::to_string(ntohs(v4.sin_port));
}

}  // namespace

ServerState::ServerState(const ServerOptions& given) : options(given), bodies(given.max_bodies_bytes) {}
ServerState::~ServerState() = default;

Worker::Worker(ServerState& state, std::unique_ptr<EventLoop> loop, FileDescriptor listener)
    : state_(state), loop_(std::move(loop)), listener_(std::move(listener)) {
  const ServerOptions& options = state.options;
  const auto within = [&options](double rate, std::chrono::milliseconds whole) {
    return rate > 0 ? std::min(options.rate_window, whole) : whole;
  };
  limits_ = {options.idle_timeout, options.header_timeout,
             within(options.min_body_rate, options.body_timeout),
             within(options.min_reply_rate, options.write_timeout), linger_limit};
}

Worker::~Worker() {
  stop();
  closed_connections_.clear();
  all_.clear_and_dispose([](Connection* connection) { delete connection; });
}

Result<void> Worker::start() {
  if (!loop_->add(listener_.get(), accept_events, *this)) {
    return fail(ErrorCode::internal,
                "watching the listening socket: " + std::generic_category().message(errno));
  }
  accepting_ = true;
  thread_ = std::jthread([this] {
    prepare_io_thread();
    loop_->run([this] { return after_batch(); });
  });
  return {};
}

void Worker::stop() {
  loop_->stop();
  if (thread_.joinable()) thread_.join();
}

void Worker::close_listener() {
  if (!listener_) return;
  accept_all();
  if (accepting_) loop_->remove(listener_.get());
  accepting_ = false;
  resume_accepting_ = SteadyTime::max();
  listener_.reset();
}

void Worker::drain() {
  loop_->post([this] {
    close_listener();
    for (Connection* each : all_now()) each->drain();
  });
}

void Worker::cut() {
  loop_->post([this] {
    if (accepting_) loop_->remove(listener_.get());
    accepting_ = false;
    resume_accepting_ = SteadyTime::max();
    listener_.reset();
    for (Connection* each : all_now()) each->cut();
  });
}

std::vector<Connection*> Worker::all_now() {
  std::vector<Connection*> all;
  for (Connection& each : all_) all.push_back(&each);
  return all;
}

void Worker::wait(Holder& holder, Wait what) {
  holder.deadline_hook.unlink();
  holder.waits_for = what;
  if (holder.unfinished > 0 && what != Wait::head && what != Wait::body) finish_unfinished(holder);
  if (holder.unread > 0 && what != Wait::write) finish_unread(holder);
  if (what == Wait::none) return;
  const auto kind = static_cast<std::size_t>(what);
  holder.deadline = loop_->now() + limits_[kind];
  deadlines_[kind].push_back(holder);
}

Worker::Admission Worker::admit(Holder& holder) {
  ServerState& state = state_;
  if (holder.unfinished > 0) {
    const bool further = holder.stage() != holder.begun_stage;
    if (further) {
      state.begun.leave(holder.address(), holder.begun);
      begin_stage(holder);
    }
    if (!count_body(holder)) return Admission::admitted;
  } else {
    const std::size_t cost = holder.cost();
    state.addresses.begin(holder.address(), cost);
    holder.unfinished = cost;
    begin_stage(holder);
    unfinished_[holder.address()].push_back(holder);
    state.unfinished.fetch_add(1);
    state.unfinished_bytes.fetch_add(cost);
    count_body(holder);
  }
  const std::size_t most = state.options.max_unfinished_bytes;
  if (most == 0 || state.held_bytes() <= state.usual_part(most)) return Admission::admitted;
  // It may be slow itself.
  parsing_ = &holder;
  const bool has_room = make_room_for(holder);
  parsing_ = nullptr;
  if (has_room) return Admission::admitted;
  finish_unfinished(holder);
  count_shed(Shed::memory);
  return Admission::memory;
}

void Worker::begin_stage(Holder& holder) {
  holder.begun_stage = holder.stage();
  holder.begun = state_.begun.enter(holder.address(), holder.begun_stage, this, loop_->now());
  shed_begun(holder.address(), state_.max_unfinished_per_address, holder.begun, Shed::address);
}

bool Worker::shed_begun(const AddressKey& address, std::size_t most, std::uint64_t spared, Shed why) {
  const auto victim = state_.begun.give_way(address, most, loop_->now() - slow_head, spared);
  if (!victim) return false;
  if (victim->worker == this) {
    shed_number(address, victim->number, why);
  } else {
    Worker& other = *victim->worker;
    other.loop_->post(
        [&other, address, number = victim->number, why] { other.shed_number(address, number, why); });
  }
  return true;
}

void Worker::shed_number(const AddressKey& address, std::uint64_t number, Shed why) {
  const auto found = unfinished_.find(address);
  if (found == unfinished_.end()) return;
  for (Holder& each : found->second) {
    if (each.begun != number) continue;
    return shed(each, why);
  }
}

bool Worker::make_room_for(const Holder& holder) {
  ServerState& state = state_;
  const std::size_t most = state.options.max_unfinished_bytes;
  const auto heaviest = state.addresses.heavier_than(holder.address());
  if (heaviest && shed_oldest_of(*heaviest)) return true;
  // Its own address holds most: one that is older gives way, here or on another worker.
  const bool within = state.held_bytes() <= most + most / 8;
  if (!heaviest && within && shed_begun(holder.address(), 1, holder.begun, Shed::memory)) return true;
  if (!heaviest && (shed_oldest_of(holder.address()) || shed_slow_request() || shed_oldest_request()))
    return true;
  ask_others(0, state.addresses.held_by(holder.address()));
  // Requests of the address that holds most are on other workers. What these give up comes a moment later:
  // until then those that hold little may be a little too many.
  if (state.held_bytes() <= (heaviest ? most + most / 8 : most)) return true;
  return heaviest && shed_slow_request();
}

bool Worker::count_body(Holder& holder) {
  // Bodies that have a limit of their own are counted there.
  if (state_.options.max_bodies_bytes > 0 || holder.held() <= holder.unfinished_body) return false;
  const std::size_t more = holder.held() - holder.unfinished_body;
  holder.unfinished_body += more;
  state_.addresses.grow(holder.address(), more);
  return true;
}

void Worker::finish_unfinished(Holder& holder) {
  const std::size_t cost = std::exchange(holder.unfinished, 0);
  const std::size_t body = std::exchange(holder.unfinished_body, 0);
  holder.unfinished_hook.unlink();
  state_.begun.leave(holder.address(), std::exchange(holder.begun, 0));
  if (const auto found = unfinished_.find(holder.address());
      found != unfinished_.end() && found->second.empty()) {
    unfinished_.erase(found);
  }
  state_.addresses.end(holder.address(), cost + body);
  state_.unfinished.fetch_sub(1);
  state_.unfinished_bytes.fetch_sub(cost);
}

void Worker::requeue(Connection& connection) {
  ready_.push_back(&connection);
}

void Worker::release(Holder& holder) {
  holder.deadline_hook.unlink();
  if (holder.unfinished > 0) finish_unfinished(holder);
  if (holder.unread > 0) finish_unread(holder);
}

void Worker::forget(Connection& connection) {
  release(connection);
  connection.all_hook.unlink();
  std::erase(ready_, &connection);
  state_.leave_place(connection.address());
  closed_connections_.emplace_back(&connection);
  connections_.fetch_sub(1, std::memory_order_relaxed);
  if (state_.open_connections.fetch_sub(1) == 1 && state_.retiring) {
    const std::scoped_lock lock(state_.mutex);
    state_.all_closed.notify_all();
  }
}

std::unique_ptr<Intake> Worker::take_intake() {
  if (intakes_.empty()) {
    const ServerOptions& options = state_.options;
    const BodyRoom room = body_room();
    return std::make_unique<Intake>(RequestParser::Limits{.head_bytes = options.max_header_bytes,
                                                          .body_bytes = options.max_body_bytes,
                                                          .all_bodies = room.all_bodies,
                                                          .make_room = room.make_room,
                                                          .ask_others = room.ask_others});
  }
  auto intake = std::move(intakes_.back());
  intakes_.pop_back();
  return intake;
}

BodyRoom Worker::body_room() {
  BodyRoom room{.all_bodies = &state_.bodies, .make_room = [this] { return shed_slow_request(); }};
  if (state_.workers.size() > 1) room.ask_others = [this](std::size_t bytes) { ask_others(bytes, SIZE_MAX); };
  return room;
}

void Worker::give_back(std::unique_ptr<Intake> intake) {
  if (intakes_.size() == kept_intakes) return;
  intake->clear();
  intakes_.push_back(std::move(intake));
}

std::string_view Worker::common_fields() {
  timespec now{};
  ::clock_gettime(CLOCK_REALTIME_COARSE, &now);
  if (now.tv_sec != common_fields_second_) {
    common_fields_second_ = now.tv_sec;
    common_fields_.clear();
    if (!state_.options.server_name.empty()) {
      append_field(common_fields_, "Server", state_.options.server_name);
    }
    append_field(common_fields_, "Date", format_http_date(WallTime(std::chrono::seconds(now.tv_sec))));
  }
  return common_fields_;
}

void Worker::on_ready(std::uint32_t) {
  accept_all();
}

void Worker::accept_all() {
  for (int i = 0; i < accepts_at_once && listener_; ++i) {
    sockaddr_storage address{};
    socklen_t size = sizeof address;
    FileDescriptor socket(::accept4(listener_.get(), reinterpret_cast<sockaddr*>(&address), &size,
                                    SOCK_NONBLOCK | SOCK_CLOEXEC));
    if (socket) {
      Worker& target = least_loaded();
      connections_.fetch_add(1, std::memory_order_relaxed);
      // The thread that is woken takes all that wait.
      if (target.connections() + 1 < connections()) {
        hand_to(target, std::move(socket), address, 0);
      } else {
        adopt(std::move(socket), address, 0);
      }
      continue;
    }
    if (errno == EAGAIN || errno == EWOULDBLOCK) return;
    if (errno == EMFILE || errno == ENFILE || errno == ENOBUFS || errno == ENOMEM) {
      const std::string why = std::generic_category().message(errno);
      if (shed_one()) continue;
      if (loop_->now() >= next_accept_warning_) {
        log::warning("no connections can be accepted for now", {{"why", why}});
        next_accept_warning_ = loop_->now() + accept_warning_every;
      }
      return pause_accepting();
    }
    // Else the connection was gone before it was taken (accept(2)): the next one may be well.
  }
}

Worker& Worker::least_loaded() {
  Worker* least = this;
  for (const auto& worker : state_.workers) {
    if (worker->connections() < least->connections()) least = worker.get();
  }
  return *least;
}

void Worker::hand_to(Worker& other, FileDescriptor socket, const sockaddr_storage& address,
                     std::size_t refused_by) {
  connections_.fetch_sub(1, std::memory_order_relaxed);
  other.connections_.fetch_add(1, std::memory_order_relaxed);
  other.loop_->post([&other, socket = std::move(socket), address, refused_by]() mutable {
    other.adopt(std::move(socket), address, refused_by);
  });
}

void Worker::adopt(FileDescriptor socket, const sockaddr_storage& address, std::size_t refused_by) {
  const AddressKey key = AddressKey::of(reinterpret_cast<const sockaddr&>(address));
  if (refused_by == 0 && state_.workers.size() > 1 &&
      state_.addresses.is_full(key, state_.max_connections_per_address)) {
    // Every worker's oldest have their turn: one that always sheds its own would stay the least loaded one.
    Worker& turn = *state_.workers[state_.next_to_shed.fetch_add(1) % state_.workers.size()];
    if (&turn != this) return hand_to(turn, std::move(socket), address, 1);
  }
  if (const auto no_room = take_place(key)) {
    if (refused_by < state_.workers.size()) {
      const auto self =
          std::ranges::find_if(state_.workers, [this](const auto& w) { return w.get() == this; });
      const auto next = std::next(self) == state_.workers.end() ? state_.workers.begin() : std::next(self);
      hand_to(**next, std::move(socket), address, refused_by + 1);
    } else {
      connections_.fetch_sub(1, std::memory_order_relaxed);
      count_shed(*no_room);
    }
    return;
  }
  state_.open_connections.fetch_add(1);
  state_.total_connections.fetch_add(1, std::memory_order_relaxed);
  std::unique_ptr<TlsSession> tls;
  const std::uint32_t tls_generation = state_.tls_generation.load();  // before the context: rather too old
  if (state_.options.tls) tls = std::make_unique<TlsSession>(state_.tls_context(), socket.get());
  Peer peer;
  peer.address = address_text(address);
  peer.tls = tls != nullptr;
  const int fd = socket.release();
  auto* connection = new Connection(*this, fd, std::move(peer), key, std::move(tls), tls_generation);
  all_.push_back(*connection);
  const bool handshakes = state_.options.tls.has_value();
  const bool admitted = !handshakes || admit(*connection) == Admission::admitted;
  wait(*connection, handshakes ? Wait::head : Wait::request);
  if (!loop_->add(fd, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET, *connection) || !admitted) connection->cut();
}

std::optional<Shed> Worker::take_place(const AddressKey& address) {
  const std::size_t share = state_.max_connections_per_address;
  const auto has_share = [&] { return state_.addresses.open(address, share); };
  if (!has_share() && !((shed_idle_of(address) || shed_oldest_of(address)) && has_share()))
    return Shed::address;
  if (state_.places.fetch_add(1) < state_.max_connections || shed_one()) return std::nullopt;
  state_.leave_place(address);
  return Shed::full;
}

bool Worker::shed_one() {
  auto& idle = deadlines_[static_cast<std::size_t>(Wait::request)];
  if (!idle.empty()) {
    shed(idle.front(), Shed::idle);
    return true;
  }
  return shed_slow_request() || shed_slow_reader();
}

/// Closes the request that holds most, among the slow ones that have waited longest.
bool Worker::shed_slow_request() {
  Holder* most = nullptr;
  const auto look = [&](Wait what, std::chrono::milliseconds least_wait) {
    DeadlineList& list = deadlines_[static_cast<std::size_t>(what)];
    const SteadyTime begun_before = loop_->now() - least_wait + limits_[static_cast<std::size_t>(what)];
    int left = looked_at;
    for (Holder& each : list) {
      if (each.deadline > begun_before || left-- == 0) return;
      if (&each == parsing_) continue;
      if (most == nullptr || each.held() > most->held()) most = &each;
    }
  };
  look(Wait::body, slow_body);
  look(Wait::head, slow_head);
  if (most == nullptr) return false;
  shed(*most, Shed::slow);
  return true;
}

bool Worker::shed_oldest_request() {
  Holder* oldest = nullptr;
  for (const Wait what : {Wait::head, Wait::body}) {
    for (Holder& each : deadlines_[static_cast<std::size_t>(what)]) {
      if (&each == parsing_) continue;
      const auto since = [this](const Holder& one) { return one.deadline - limit_of(one.waits_for); };
      if (oldest == nullptr || since(each) < since(*oldest)) oldest = &each;
      break;
    }
  }
  if (oldest == nullptr) return false;
  shed(*oldest, Shed::memory);
  return true;
}

bool Worker::shed_oldest_of(const AddressKey& address) {
  const auto found = unfinished_.find(address);
  if (found == unfinished_.end()) return false;
  for (Holder& oldest : found->second) {
    if (&oldest == parsing_) continue;
    shed(oldest, Shed::memory);
    return true;
  }
  return false;
}

void Worker::ask_others(std::size_t body_bytes, std::size_t above) {
  for (const auto& each : state_.workers) {
    Worker& other = *each;
    if (&other == this) continue;
    std::size_t before = other.shed_above_.load();
    while (above < before && !other.shed_above_.compare_exchange_weak(before, above)) {
    }
    if (other.asked_to_shed_.exchange(true)) continue;
    other.loop_->post([&other, body_bytes] { other.shed_for_others(body_bytes); });
  }
}

void Worker::shed_for_others(std::size_t body_bytes) {
  asked_to_shed_ = false;
  const std::size_t above = shed_above_.exchange(SIZE_MAX);
  while (state_.is_short_of(body_bytes)) {
    const auto heaviest = state_.addresses.heaviest(above);
    if (!(heaviest && shed_oldest_of(*heaviest)) && !shed_slow_request()) return;
  }
}

bool Worker::shed_slow_reader() {
  DeadlineList& list = deadlines_[static_cast<std::size_t>(Wait::write)];
  const SteadyTime begun_before = loop_->now() - slow_reply + limits_[static_cast<std::size_t>(Wait::write)];
  if (list.empty() || list.front().deadline > begun_before) return false;
  list.front().give_up();
  return true;
}

void Worker::count_unread(Holder& holder) {
  const std::size_t most = state_.options.max_unread_bytes;
  if (most == 0) return;
  // A large reply of its own counts for a quarter: else the limit would be one on the size of replies.
  const std::size_t cost = std::min(holder.unread_cost(), std::max<std::size_t>(most / 4, 1));
  const std::size_t before = std::exchange(holder.unread, cost);
  if (before == 0) {
    state_.readers.begin(holder.address(), cost);
    readers_[holder.address()].push_back(holder);
  } else if (cost > before) {
    state_.readers.grow(holder.address(), cost - before);
  } else {
    state_.readers.shrink(holder.address(), before - cost);
  }
  if (cost > before) {
    state_.unread_bytes.fetch_add(cost - before);
  } else {
    state_.unread_bytes.fetch_sub(before - cost);
  }
  while (state_.unread_bytes.load() > most && shed_reader_for(holder)) {
  }
}

void Worker::finish_unread(Holder& holder) {
  const std::size_t cost = std::exchange(holder.unread, 0);
  holder.unread_hook.unlink();
  if (const auto found = readers_.find(holder.address()); found != readers_.end() && found->second.empty()) {
    readers_.erase(found);
  }
  state_.readers.end(holder.address(), cost);
  state_.unread_bytes.fetch_sub(cost);
}

bool Worker::shed_reader_for(Holder& holder) {
  const auto heavier = state_.readers.heavier_than(holder.address());
  if (const auto found = readers_.find(heavier.value_or(holder.address())); found != readers_.end()) {
    const auto oldest =
        std::ranges::find_if(found->second, [&](const Holder& each) { return &each != &holder; });
    if (oldest != found->second.end()) {
      oldest->give_up();
      return true;
    }
  }
  // They are on other workers, which close them in a moment: until then there may be a little too much.
  ask_for_readers();
  const std::size_t most = state_.options.max_unread_bytes;
  if (state_.workers.size() > 1 && state_.unread_bytes.load() <= most + most / 8) return false;
  Holder& late = heaviest_of_old_readers(holder);
  late.give_up();
  return &late != &holder;
}

void Worker::ask_for_readers() {
  for (const auto& each : state_.workers) {
    Worker& other = *each;
    if (&other == this || other.asked_for_readers_.exchange(true)) continue;
    other.loop_->post([&other] { other.shed_heaviest_readers(); });
  }
}

void Worker::shed_heaviest_readers() {
  asked_for_readers_ = false;
  while (state_.unread_bytes.load() > state_.options.max_unread_bytes) {
    const auto heaviest = state_.readers.heaviest(0);
    if (!heaviest) return;
    const auto found = readers_.find(*heaviest);
    if (found == readers_.end()) return;
    found->second.front().give_up();
  }
}

Holder& Worker::heaviest_of_old_readers(Holder& holder) {
  Holder* heaviest = &holder;
  std::size_t most = state_.readers.held_by(holder.address());
  int left = looked_at;
  for (Holder& each : deadlines_[static_cast<std::size_t>(Wait::write)]) {
    if (left-- == 0) break;
    if (each.unread == 0) continue;
    const std::size_t held = state_.readers.held_by(each.address());
    if (held < most || (held == most && heaviest != &holder)) continue;
    heaviest = &each;
    most = held;
  }
  return *heaviest;
}

bool Worker::shed_idle_of(const AddressKey& address) {
  int left = looked_at;
  for (Holder& each : deadlines_[static_cast<std::size_t>(Wait::request)]) {
    if (left-- == 0) return false;
    if (!(each.address() == address)) continue;
    shed(each, Shed::idle);
    return true;
  }
  return false;
}

void Worker::shed(Holder& holder, Shed why) {
  count_shed(why);
  const SteadyTime waits_since = holder.deadline - limit_of(holder.waits_for);
  holder.give_way(loop_->now() - waits_since >= time_to_read);
}

void Worker::pause_accepting() {
  loop_->remove(listener_.get());
  accepting_ = false;
  resume_accepting_ = loop_->now() + accept_pause;
}

SteadyTime Worker::after_batch() {
  std::vector<Connection*> turn;
  turn.swap(ready_);
  for (Connection* connection : turn) connection->go_on();
  const SteadyTime now = loop_->now();
  SteadyTime wake = SteadyTime::max();
  for (DeadlineList& list : deadlines_) {
    while (!list.empty() && list.front().deadline <= now) {
      Holder& late = list.front();
      late.deadline_hook.unlink();
      late.on_deadline();
    }
    if (!list.empty()) wake = std::min(wake, list.front().deadline);
  }
  if (resume_accepting_ <= now) {
    resume_accepting_ = SteadyTime::max();
    accepting_ = loop_->add(listener_.get(), accept_events, *this);
    if (!accepting_) resume_accepting_ = now + accept_pause;
  }
  wake = std::min(wake, resume_accepting_);
  closed_connections_.clear();
  return ready_.empty() ? wake : now;
}

}  // namespace fairway::http
