# What the library needs in WebAssembly, as the targets that TamisDependencies finds elsewhere. Highway, {fmt} and
# nlohmann-json are this system's headers; zlib and the standard library are in the toolchain; there is neither oneTBB
# nor OpenBLAS (src/backend/cpu/wasm).

# Headers that live beside others in /usr/include, which must not be seen: a link to each of their folders, in a folder
# of their own.
set(web_headers "${PROJECT_BINARY_DIR}/headers")
function(tamis_add_headers target folder probe package)
  string(MAKE_C_IDENTIFIER "TAMIS_${folder}_DIR" found)
  find_path(${found} "${folder}/${probe}" NO_CMAKE_FIND_ROOT_PATH PATHS /usr/include /usr/local/include)
  mark_as_advanced(${found})
  if(NOT ${found})
    message(FATAL_ERROR "${folder}/${probe} was not found. On Debian and Ubuntu it is in the package ${package}: run "
                        "`make setup`, which installs all that is missing.")
  endif()
  file(MAKE_DIRECTORY "${web_headers}")
  file(CREATE_LINK "${${found}}/${folder}" "${web_headers}/${folder}" SYMBOLIC)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
  target_include_directories(${target} SYSTEM INTERFACE "${web_headers}")
endfunction()

tamis_add_headers(hwy::hwy hwy highway.h libhwy-dev)
tamis_add_headers(fmt::fmt fmt format.h libfmt-dev)
target_compile_definitions(fmt::fmt INTERFACE FMT_HEADER_ONLY=1)
tamis_add_headers(nlohmann_json::nlohmann_json nlohmann json.hpp nlohmann-json3-dev)
foreach(target IN ITEMS TBB::tbb TamisBlas::OpenBLAS ZLIB::ZLIB TamisZstd::zstd TamisBlosc::blosc)
  add_library(${target} INTERFACE IMPORTED GLOBAL)
endforeach()
