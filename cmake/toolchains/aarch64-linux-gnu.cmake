# SPDX-License-Identifier: Apache-2.0

# Builds for arm64 on an amd64 Debian 12, with Debian's g++-aarch64-linux-gnu:
#
#   python3 scripts/package/verify_sysroot.py .cache/roots/arm64
#   cmake -S . -B build-arm64 -G Ninja -DCMAKE_TOOLCHAIN_FILE=cmake/toolchains/aarch64-linux-gnu.cmake \
#     -DFAIRWAY_SYSROOT=$PWD/.cache/roots/arm64
#
# FAIRWAY_SYSROOT is a root file system with arm64's libraries and headers, by default .cache/roots/arm64. Programs that a build makes
# and runs, such as fairway-crd-paths, and the tests run by qemu-aarch64 where it is installed.
set(CMAKE_SYSTEM_NAME Linux)
set(CMAKE_SYSTEM_PROCESSOR aarch64)
set(CMAKE_LIBRARY_ARCHITECTURE aarch64-linux-gnu)
set(CMAKE_C_COMPILER aarch64-linux-gnu-gcc-12)
set(CMAKE_CXX_COMPILER aarch64-linux-gnu-g++-12)

set(FAIRWAY_SYSROOT "${CMAKE_CURRENT_LIST_DIR}/../../.cache/roots/arm64" CACHE PATH "Root file system with the libraries of arm64")
# CMake reads this file for each check of the compiler, too, in a project of its own.
list(APPEND CMAKE_TRY_COMPILE_PLATFORM_VARIABLES FAIRWAY_SYSROOT)
get_filename_component(CMAKE_SYSROOT "${FAIRWAY_SYSROOT}" ABSOLUTE)

# Libraries and headers are the sysroot's alone, programs this machine's.
set(CMAKE_FIND_ROOT_PATH_MODE_PROGRAM NEVER)
set(CMAKE_FIND_ROOT_PATH_MODE_LIBRARY ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_INCLUDE ONLY)
set(CMAKE_FIND_ROOT_PATH_MODE_PACKAGE ONLY)
set(ENV{PKG_CONFIG_SYSROOT_DIR} "${CMAKE_SYSROOT}")
set(ENV{PKG_CONFIG_LIBDIR} "${CMAKE_SYSROOT}/usr/lib/aarch64-linux-gnu/pkgconfig:${CMAKE_SYSROOT}/usr/share/pkgconfig")
set(ENV{PKG_CONFIG_PATH} "")

find_program(FAIRWAY_QEMU_AARCH64 qemu-aarch64)
if(FAIRWAY_QEMU_AARCH64)
  set(CMAKE_CROSSCOMPILING_EMULATOR "${FAIRWAY_QEMU_AARCH64};-L;${CMAKE_SYSROOT}")
endif()
