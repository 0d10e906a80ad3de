# What Fairway links: Debian 12's packages, named in scripts/packages.
# A project that has this one as a part links them too.
set(CMAKE_FIND_PACKAGE_TARGETS_GLOBAL TRUE)
find_package(Threads REQUIRED)
find_package(Boost 1.81 REQUIRED COMPONENTS json url)
find_package(OpenSSL 3 REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(CLI11 REQUIRED)
find_package(LibArchive REQUIRED)
find_package(prometheus-cpp REQUIRED)
find_package(SQLite3 3.40 REQUIRED)
find_package(PkgConfig REQUIRED)

# fairway_pkg(TARGET MODULE): an imported target for a library that ships pkg-config data only.
function(fairway_pkg target module)
  pkg_check_modules(${module}_pkg REQUIRED IMPORTED_TARGET GLOBAL ${module})
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_link_libraries(${target} INTERFACE PkgConfig::${module}_pkg)
endfunction()
fairway_pkg(re2::re2 re2)
fairway_pkg(libyaml yaml-0.1)
fairway_pkg(libdeflate libdeflate)
fairway_pkg(libgit2 libgit2)
fairway_pkg(rnp librnp)
fairway_pkg(libpsl libpsl)

set(fairway_base_links Boost::json re2::re2 libyaml spdlog::spdlog fmt::fmt prometheus-cpp::core OpenSSL::Crypto)
