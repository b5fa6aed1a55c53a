# Finds the libraries that Tamis needs; when one is missing, says which package has it.

macro(tamis_find_package name package target)
  if(NOT TARGET ${target})
    find_package(${name} QUIET ${ARGN})
  endif()
  if(NOT TARGET ${target})
    string(REPLACE TamisHwy Highway display_name ${name})
    string(REPLACE TamisBlas OpenBLAS display_name ${display_name})
    string(REPLACE TamisZstd Zstandard display_name ${display_name})
    string(REPLACE TamisBlosc Blosc display_name ${display_name})
    message(
      FATAL_ERROR
        "${display_name} was not found. On Debian and Ubuntu it is in the package ${package}: run `make setup`, "
        "which installs all that is missing, or `apt-get install ${package}`. Elsewhere, point "
        "CMAKE_PREFIX_PATH to it.")
  endif()
endmacro()

# Macros, not functions: variables that a package sets must reach the caller.
macro(tamis_find_library_dependencies)
  tamis_find_package(TamisHwy libhwy-dev hwy::hwy)
  tamis_find_package(TBB libtbb-dev TBB::tbb CONFIG)
  tamis_find_package(fmt libfmt-dev fmt::fmt CONFIG)
  tamis_find_package(TamisBlas libopenblas-dev TamisBlas::OpenBLAS)
  tamis_find_package(ZLIB zlib1g-dev ZLIB::ZLIB)
  tamis_find_package(TamisZstd libzstd-dev TamisZstd::zstd)
  tamis_find_package(TamisBlosc libblosc-dev TamisBlosc::blosc)
  tamis_find_package(nlohmann_json nlohmann-json3-dev nlohmann_json::nlohmann_json CONFIG)
endmacro()

macro(tamis_find_cli_dependencies)
  tamis_find_package(CLI11 libcli11-dev CLI11::CLI11 CONFIG)
  tamis_find_package(PNG libpng-dev PNG::PNG)
endmacro()

macro(tamis_find_test_dependencies)
  tamis_find_package(GTest libgtest-dev GTest::gtest)
  tamis_find_package(rapidcheck librapidcheck-dev rapidcheck_gtest CONFIG)
  tamis_find_package(Python3 python3 Python3::Interpreter COMPONENTS Interpreter)
endmacro()
