# Build type, compiler cache, warnings, sanitizers and the arithmetic flags of the library.

if(PROJECT_IS_TOP_LEVEL)
  get_property(multi_config GLOBAL PROPERTY GENERATOR_IS_MULTI_CONFIG)
  if(NOT CMAKE_BUILD_TYPE AND NOT multi_config)
    set(CMAKE_BUILD_TYPE Release CACHE STRING "Build type" FORCE)
  endif()
  set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

  # Not where headers are precompiled: g++ refuses one that ccache kept from a time when its headers had other dates. Paths
  # are taken relative to the source, so that another clone finds what this one has compiled.
  find_program(CCACHE_PROGRAM ccache)
  mark_as_advanced(CCACHE_PROGRAM)
  if(CCACHE_PROGRAM AND NOT TAMIS_PRECOMPILE AND NOT DEFINED CMAKE_CXX_COMPILER_LAUNCHER)
    set(CMAKE_CXX_COMPILER_LAUNCHER env "CCACHE_BASEDIR=${PROJECT_SOURCE_DIR}" CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
                                    "${CCACHE_PROGRAM}")
  endif()
endif()

set(CMAKE_CXX_EXTENSIONS OFF)
include(CheckCXXSymbolExists)
check_cxx_symbol_exists(__GLIBC__ features.h TAMIS_HAVE_GLIBC)

if(TAMIS_SANITIZE)
  add_compile_options("-fsanitize=${TAMIS_SANITIZE}" -fno-sanitize-recover=all
                      -fno-omit-frame-pointer)
  add_link_options("-fsanitize=${TAMIS_SANITIZE}")
endif()

# What every target of ours is compiled with.
function(tamis_set_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wshadow)
  if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
    # GCC 12 finds overlaps in std::string's operator+ where there are none (GCC bug 105651).
    target_compile_options(${target} PRIVATE -Wno-restrict)
  endif()
  if(TAMIS_WERROR)
    target_compile_options(${target} PRIVATE -Werror)
    if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      # GCC guesses these from the flow after inlining and is wrong too often (in std::string, by the
      # length of a literal) to stop a build.
      target_compile_options(
        ${target} PRIVATE -Wno-error=array-bounds -Wno-error=stringop-overflow
                          -Wno-error=stringop-overread -Wno-error=maybe-uninitialized
                          -Wno-error=free-nonheap-object)
    endif()
  endif()
endfunction()

# Each operation rounds by itself, so that fused and unfused evaluation give the same bits; nobody
# reads errno or floating-point exception flags, and keeping them right would forbid vector code.
function(tamis_set_library_flags target)
  target_compile_options(${target} PRIVATE -ffp-contract=off -fno-math-errno -fno-trapping-math)
  if(NOT TAMIS_WASM)
    target_compile_options(${target} PRIVATE -fno-semantic-interposition)
  endif()
  if(TAMIS_HAVE_GLIBC)
    # One instruction to a thread's variables, of which there are less than 300 bytes, instead of a
    # call. glibc keeps 1.6 KB for libraries that are loaded late and need it; musl keeps none.
    target_compile_options(${target} PRIVATE -ftls-model=initial-exec)
  endif()
endfunction()

# A shared library that calls its own functions directly.
function(tamis_set_shared_flags target)
  if(NOT APPLE)
    target_link_options(${target} PRIVATE -Wl,-Bsymbolic-functions)
  endif()
endfunction()

# Reading headers is most of what compiling takes, so each target reads those that its files share once.
# A build without this, in which every file of the library must include what it uses, is part of .ci/run.
function(tamis_precompile target)
  if(TAMIS_PRECOMPILE)
    target_precompile_headers(${target} PRIVATE ${ARGN})
  endif()
endfunction()

# Highway's functions are only as good as their inlining: unoptimised kernels would make a sanitizer
# run take hours. A plain debug build keeps them steppable.
function(tamis_set_kernel_flags)
  if(ARGN AND (TAMIS_SANITIZE OR NOT CMAKE_BUILD_TYPE STREQUAL "Debug"))
    set_source_files_properties(${ARGN} PROPERTIES COMPILE_OPTIONS -O3)
    if(NOT CMAKE_BUILD_TYPE STREQUAL "Release")
      # A precompiled header serves one level of optimisation only.
      set_source_files_properties(${ARGN} PROPERTIES SKIP_PRECOMPILE_HEADERS ON)
    endif()
  endif()
endfunction()

# Of the sources named, those for this system: a file wasm/<name> stands in for the <name> beside its folder in
# WebAssembly, and is left out elsewhere. What WebGPU is in a browser is in web/src.
function(tamis_choose_sources variable)
  set(chosen ${${variable}})
  if(TAMIS_WASM)
    foreach(source IN LISTS ${variable})
      if(source MATCHES "/wasm/")
        string(REPLACE "/wasm/" "/" replaced "${source}")
        list(REMOVE_ITEM chosen "${replaced}")
      endif()
    endforeach()
    list(FILTER chosen EXCLUDE REGEX "/webgpu/native_")
    list(FILTER chosen EXCLUDE REGEX "/io/zarr_")
  else()
    list(FILTER chosen EXCLUDE REGEX "/wasm/")
  endif()
  set(${variable} ${chosen} PARENT_SCOPE)
endfunction()
