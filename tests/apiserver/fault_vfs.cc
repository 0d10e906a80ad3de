// SPDX-License-Identifier: Apache-2.0

#include "fault_vfs.h"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <optional>
#include <set>

namespace fairway::apiserver::storage {

namespace {

constexpr std::size_t sector = 512;
constexpr int region_bytes = 32 * 1024;

}  // namespace

struct FaultVfs::File {
  struct Write {
    std::size_t offset;
    std::optional<std::string> bytes;  ///< none: the file is cut at `offset`
  };
  std::string data;     ///< content that programs see
  std::string durable;  ///< content that was synced
  bool exists_durably = false;
  std::vector<Write> pending;  ///< writes since the last sync
  std::set<Handle*> handles;
  std::vector<std::unique_ptr<char[]>> regions;  ///< the memory that connections share
  struct Lock {
    int shared = 0;
    Handle* exclusive = nullptr;
  };
  std::array<Lock, SQLITE_SHM_NLOCK> locks;

  static void apply(std::string& to, const Write& write) {
    if (!write.bytes) {
      if (to.size() > write.offset) to.resize(write.offset);
      return;
    }
    if (to.size() < write.offset + write.bytes->size()) to.resize(write.offset + write.bytes->size());
    to.replace(write.offset, write.bytes->size(), *write.bytes);
  }
};

struct FaultVfs::Handle {
  sqlite3_file base;  ///< first: SQLite knows this address only
  FaultVfs* vfs;
  std::shared_ptr<File>* file;
  int level;
  unsigned shared_mask, exclusive_mask;
  bool sync_folder;  ///< true to sync it with the first sync, as SQLite's own VFS does for a log that it
                     ///< creates
};

// NOLINTBEGIN(readability-identifier-naming)
struct FaultVfsMethods {
  using Handle = FaultVfs::Handle;
  using Operation = FaultVfs::Operation;

  static Handle& of(sqlite3_file* file) { return *reinterpret_cast<Handle*>(file); }
  static FaultVfs& of(sqlite3_vfs* vfs) { return *static_cast<FaultVfs*>(vfs->pAppData); }
  static sqlite3_vfs* standard() { return sqlite3_vfs_find("unix"); }

  static int open(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags, int* out) {
    auto& self = of(vfs);
    auto& handle = of(file);
    std::memset(&handle, 0, sizeof handle);
    std::lock_guard lock(self.mutex_);
    if (int code = self.check(Operation::open); code != SQLITE_OK) return SQLITE_CANTOPEN;
    std::string path = name == nullptr ? "" : name;
    std::shared_ptr<FaultVfs::File> found;
    if (!path.empty()) {
      if (auto known = self.files_.find(path); known != self.files_.end()) found = known->second;
      if (found == nullptr) {
        if ((flags & SQLITE_OPEN_CREATE) == 0) return SQLITE_CANTOPEN;
        found = self.files_[path] = std::make_shared<FaultVfs::File>();
        handle.sync_folder = (flags & (SQLITE_OPEN_WAL | SQLITE_OPEN_MAIN_JOURNAL)) != 0;
      }
    } else {
      found = std::make_shared<FaultVfs::File>();
    }
    static const sqlite3_io_methods methods = io_methods();
    handle.base.pMethods = &methods;
    handle.vfs = &self;
    handle.file = new std::shared_ptr<FaultVfs::File>(found);
    found->handles.insert(&handle);
    if (out != nullptr) *out = flags;
    return SQLITE_OK;
  }

  static int close(sqlite3_file* file) {
    auto& handle = of(file);
    std::lock_guard lock(handle.vfs->mutex_);
    (*handle.file)->handles.erase(&handle);
    delete handle.file;
    handle.file = nullptr;
    return SQLITE_OK;
  }

  static int read(sqlite3_file* file, void* to, int size, sqlite3_int64 offset) {
    auto& handle = of(file);
    std::lock_guard lock(handle.vfs->mutex_);
    if (handle.vfs->check(Operation::read) != SQLITE_OK) return SQLITE_IOERR_READ;
    const auto& data = (*handle.file)->data;
    auto at = std::min(static_cast<std::size_t>(offset), data.size());
    auto there = std::min(static_cast<std::size_t>(size), data.size() - at);
    std::memcpy(to, data.data() + at, there);
    std::memset(static_cast<char*>(to) + there, 0, static_cast<std::size_t>(size) - there);
    return there == static_cast<std::size_t>(size) ? SQLITE_OK : SQLITE_IOERR_SHORT_READ;
  }

  static int write(sqlite3_file* file, const void* from, int size, sqlite3_int64 offset) {
    auto& handle = of(file);
    std::lock_guard lock(handle.vfs->mutex_);
    if (int code = handle.vfs->check(Operation::write); code != SQLITE_OK) {
      return code == SQLITE_FULL ? SQLITE_FULL : SQLITE_IOERR_WRITE;
    }
    auto& content = **handle.file;
    std::size_t used = 0;
    for (const auto& [name, other] : handle.vfs->files_) used += other->data.size();
    auto end = static_cast<std::size_t>(offset + size);
    if (end > content.data.size() && used + end - content.data.size() > handle.vfs->capacity_)
      return SQLITE_FULL;
    FaultVfs::File::Write made{static_cast<std::size_t>(offset),
                               std::string(static_cast<const char*>(from), static_cast<std::size_t>(size))};
    FaultVfs::File::apply(content.data, made);
    content.pending.push_back(std::move(made));
    return SQLITE_OK;
  }

  static int truncate(sqlite3_file* file, sqlite3_int64 size) {
    auto& handle = of(file);
    std::lock_guard lock(handle.vfs->mutex_);
    if (handle.vfs->check(Operation::truncate) != SQLITE_OK) return SQLITE_IOERR_TRUNCATE;
    FaultVfs::File::Write made{static_cast<std::size_t>(size), std::nullopt};
    FaultVfs::File::apply((*handle.file)->data, made);
    (*handle.file)->pending.push_back(std::move(made));
    return SQLITE_OK;
  }

  static int sync(sqlite3_file* file, int) {
    auto& handle = of(file);
    std::lock_guard lock(handle.vfs->mutex_);
    if (handle.vfs->check(Operation::sync) != SQLITE_OK) return SQLITE_IOERR_FSYNC;
    auto& content = **handle.file;
    content.durable = content.data;
    content.exists_durably = true;
    content.pending.clear();
    if (handle.sync_folder) {
      handle.sync_folder = false;
      handle.vfs->removed_.clear();
      for (auto& [name, other] : handle.vfs->files_) other->exists_durably = true;
    }
    return SQLITE_OK;
  }

  static int file_size(sqlite3_file* file, sqlite3_int64* size) {
    auto& handle = of(file);
    std::lock_guard lock(handle.vfs->mutex_);
    *size = static_cast<sqlite3_int64>((*handle.file)->data.size());
    return SQLITE_OK;
  }

  static int lock(sqlite3_file* file, int level) {
    auto& handle = of(file);
    std::lock_guard guard(handle.vfs->mutex_);
    if (level <= handle.level) return SQLITE_OK;
    int highest = SQLITE_LOCK_NONE;
    for (auto* other : (*handle.file)->handles) {
      if (other != &handle) highest = std::max(highest, other->level);
    }
    bool free = level == SQLITE_LOCK_SHARED      ? highest < SQLITE_LOCK_PENDING
                : level == SQLITE_LOCK_EXCLUSIVE ? highest == SQLITE_LOCK_NONE
                                                 : highest < SQLITE_LOCK_RESERVED;
    if (!free) return SQLITE_BUSY;
    handle.level = level;
    return SQLITE_OK;
  }

  static int unlock(sqlite3_file* file, int level) {
    auto& handle = of(file);
    std::lock_guard guard(handle.vfs->mutex_);
    handle.level = std::min(handle.level, level);
    return SQLITE_OK;
  }

  static int check_reserved(sqlite3_file* file, int* result) {
    auto& handle = of(file);
    std::lock_guard guard(handle.vfs->mutex_);
    *result = 0;
    for (auto* other : (*handle.file)->handles)
      *result |= static_cast<int>(other->level >= SQLITE_LOCK_RESERVED);
    return SQLITE_OK;
  }

  static int control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
  static int sector_size(sqlite3_file*) { return 4096; }
  static int characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

  static int shm_map(sqlite3_file* file, int region, int size, int extend, void volatile** result) {
    auto& handle = of(file);
    std::lock_guard guard(handle.vfs->mutex_);
    *result = nullptr;
    if (size != region_bytes) return SQLITE_IOERR_SHMMAP;
    auto& regions = (*handle.file)->regions;
    if (regions.size() <= static_cast<std::size_t>(region)) {
      if (extend == 0) return SQLITE_OK;
      if (handle.vfs->check(Operation::share) != SQLITE_OK) return SQLITE_IOERR_SHMSIZE;
      while (regions.size() <= static_cast<std::size_t>(region))
        regions.push_back(std::make_unique<char[]>(region_bytes));
    }
    *result = regions[static_cast<std::size_t>(region)].get();
    return SQLITE_OK;
  }

  static int shm_lock(sqlite3_file* file, int offset, int count, int flags) {
    auto& handle = of(file);
    std::lock_guard guard(handle.vfs->mutex_);
    auto& locks = (*handle.file)->locks;
    bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
    if ((flags & SQLITE_SHM_UNLOCK) != 0) {
      release(handle, offset, count);
      return SQLITE_OK;
    }
    for (int i = offset; i < offset + count; ++i) {
      auto& one = locks[static_cast<std::size_t>(i)];
      bool mine = (handle.shared_mask >> i & 1U) != 0;
      if (one.exclusive != nullptr && one.exclusive != &handle) return SQLITE_BUSY;
      if (exclusive && one.shared - (mine ? 1 : 0) > 0) return SQLITE_BUSY;
    }
    for (int i = offset; i < offset + count; ++i) {
      auto& one = locks[static_cast<std::size_t>(i)];
      if (exclusive) {
        one.exclusive = &handle;
        handle.exclusive_mask |= 1U << i;
      } else if ((handle.shared_mask >> i & 1U) == 0) {
        ++one.shared;
        handle.shared_mask |= 1U << i;
      }
    }
    return SQLITE_OK;
  }

  static void release(Handle& handle, int offset, int count) {
    for (int i = offset; i < offset + count; ++i) {
      auto& one = (*handle.file)->locks[static_cast<std::size_t>(i)];
      if ((handle.shared_mask >> i & 1U) != 0) --one.shared;
      if (one.exclusive == &handle) one.exclusive = nullptr;
      handle.shared_mask &= ~(1U << i);
      handle.exclusive_mask &= ~(1U << i);
    }
  }

  static void shm_barrier(sqlite3_file* file) { std::lock_guard guard(of(file).vfs->mutex_); }

  static int shm_unmap(sqlite3_file* file, int remove) {
    auto& handle = of(file);
    std::lock_guard guard(handle.vfs->mutex_);
    release(handle, 0, SQLITE_SHM_NLOCK);
    if (remove != 0 && (*handle.file)->handles.size() == 1) (*handle.file)->regions.clear();
    return SQLITE_OK;
  }

  static int remove(sqlite3_vfs* vfs, const char* name, int sync_folder) {
    auto& self = of(vfs);
    std::lock_guard lock(self.mutex_);
    if (self.check(Operation::remove) != SQLITE_OK) return SQLITE_IOERR_DELETE;
    auto found = self.files_.find(name);
    if (found == self.files_.end()) return SQLITE_IOERR_DELETE_NOENT;
    if (sync_folder == 0 && found->second->exists_durably) self.removed_[name] = found->second->durable;
    if (sync_folder != 0) self.removed_.clear();
    self.files_.erase(found);
    return SQLITE_OK;
  }

  static int access(sqlite3_vfs* vfs, const char* name, int, int* result) {
    auto& self = of(vfs);
    std::lock_guard lock(self.mutex_);
    auto found = self.files_.find(name);
    *result = static_cast<int>(found != self.files_.end() && !found->second->data.empty());
    return SQLITE_OK;
  }

  static int full_path(sqlite3_vfs*, const char* name, int size, char* to) {
    sqlite3_snprintf(size, to, "%s", name);
    return SQLITE_OK;
  }
  static int randomness(sqlite3_vfs*, int size, char* to) {
    // The same in each run, so that a seed replays it.
    std::memset(to, 42, static_cast<std::size_t>(size));
    return size;
  }
  static int sleep(sqlite3_vfs*, int microseconds) { return standard()->xSleep(standard(), microseconds); }
  static int current_time(sqlite3_vfs*, double* time) { return standard()->xCurrentTime(standard(), time); }
  static int last_error(sqlite3_vfs*, int, char*) { return 0; }

  static sqlite3_io_methods io_methods() {
    return {.iVersion = 2,
            .xClose = close,
            .xRead = read,
            .xWrite = write,
            .xTruncate = truncate,
            .xSync = sync,
            .xFileSize = file_size,
            .xLock = lock,
            .xUnlock = unlock,
            .xCheckReservedLock = check_reserved,
            .xFileControl = control,
            .xSectorSize = sector_size,
            .xDeviceCharacteristics = characteristics,
            .xShmMap = shm_map,
            .xShmLock = shm_lock,
            .xShmBarrier = shm_barrier,
            .xShmUnmap = shm_unmap};
  }
};
// NOLINTEND(readability-identifier-naming)

FaultVfs::FaultVfs() {
  static std::atomic<int> made{0};
  name_ = "fault-" + std::to_string(++made);
  sqlite3_initialize();
  vfs_.iVersion = 1;
  vfs_.szOsFile = sizeof(Handle);
  vfs_.mxPathname = 512;
  vfs_.zName = name_.c_str();
  vfs_.pAppData = this;
  vfs_.xOpen = FaultVfsMethods::open;
  vfs_.xDelete = FaultVfsMethods::remove;
  vfs_.xAccess = FaultVfsMethods::access;
  vfs_.xFullPathname = FaultVfsMethods::full_path;
  vfs_.xRandomness = FaultVfsMethods::randomness;
  vfs_.xSleep = FaultVfsMethods::sleep;
  vfs_.xCurrentTime = FaultVfsMethods::current_time;
  vfs_.xGetLastError = FaultVfsMethods::last_error;
  sqlite3_vfs_register(&vfs_, 0);
}

FaultVfs::~FaultVfs() {
  sqlite3_vfs_unregister(&vfs_);
}

int FaultVfs::check(Operation operation) {
  auto number = ++operations_;
  return hook_ ? hook_(operation, number) : SQLITE_OK;
}

void FaultVfs::on_operation(std::function<int(Operation, std::uint64_t)> hook) {
  std::lock_guard lock(mutex_);
  hook_ = std::move(hook);
}

std::uint64_t FaultVfs::operations() const {
  std::lock_guard lock(mutex_);
  return operations_;
}

void FaultVfs::set_capacity(std::size_t bytes) {
  std::lock_guard lock(mutex_);
  capacity_ = bytes;
}

FaultVfs::Disk FaultVfs::power_loss(std::mt19937_64& random) const {
  auto chance = [&](unsigned of) { return random() % of == 0; };
  Disk disk;
  for (const auto& [name, bytes] : removed_) {
    if (chance(2)) disk[name] = bytes;
  }
  for (const auto& [name, file] : files_) {
    if (!file->exists_durably && chance(2)) continue;
    std::string data = file->durable;
    // Often all or nothing of what was not synced, which is what mostly happens.
    auto kind = random() % 3;
    for (const auto& write : file->pending) {
      if (kind == 0 || (kind == 1 && chance(2))) continue;
      auto left = write;
      if (kind == 1 && left.bytes && left.bytes->size() > sector && chance(2)) {
        auto sectors = left.bytes->size() / sector;
        auto cut = (random() % sectors) * sector;
        if (chance(2)) {
          left.bytes->resize(cut);
        } else {
          left.offset += cut;
          left.bytes->erase(0, cut);
        }
      }
      File::apply(data, left);
    }
    disk[name] = std::move(data);
  }
  return disk;
}

FaultVfs::Disk FaultVfs::power_loss_now(std::mt19937_64& random) const {
  std::lock_guard lock(mutex_);
  return power_loss(random);
}

void FaultVfs::replace(Disk disk) {
  std::lock_guard lock(mutex_);
  files_.clear();
  removed_.clear();
  for (auto& [name, bytes] : disk) {
    auto file = std::make_shared<File>();
    file->data = file->durable = std::move(bytes);
    file->exists_durably = true;
    files_[name] = std::move(file);
  }
}

}  // namespace fairway::apiserver::storage
