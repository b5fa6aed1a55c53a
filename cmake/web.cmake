# CMake toolchain file: WebAssembly with WASI, by the compiler that scripts/web-toolchain has put into build/toolchain.
set(CMAKE_SYSTEM_NAME Generic)
set(CMAKE_SYSTEM_PROCESSOR wasm32)
set(TAMIS_WASM ON)

set(TAMIS_TOOLCHAIN "${CMAKE_CURRENT_LIST_DIR}/../build/toolchain")
cmake_path(NORMAL_PATH TAMIS_TOOLCHAIN)
if(NOT EXISTS "${TAMIS_TOOLCHAIN}/made")
  message(FATAL_ERROR "There is no toolchain for WebAssembly in build/toolchain: run scripts/web-toolchain, or `make web`.")
endif()
set(CMAKE_CXX_COMPILER "${TAMIS_TOOLCHAIN}/bin/c++")
set(CMAKE_AR "${TAMIS_TOOLCHAIN}/bin/ar")
set(CMAKE_RANLIB :)
set(CMAKE_TRY_COMPILE_TARGET_TYPE STATIC_LIBRARY)
# The compiler only compiles; the linker brings the libraries.
set(CMAKE_CXX_LINK_EXECUTABLE
    "${TAMIS_TOOLCHAIN}/bin/link <CMAKE_CXX_LINK_FLAGS> <LINK_FLAGS> <OBJECTS> -o <TARGET> <LINK_LIBRARIES>")
