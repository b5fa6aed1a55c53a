# The unit tests of tests/ in WebAssembly, run by Node. What is left out, and why, is in test/left_out.txt.
set(tests_dir "${PROJECT_SOURCE_DIR}/tests")
set(left_out "${CMAKE_CURRENT_SOURCE_DIR}/test/left_out.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${left_out}")

find_path(TAMIS_GTEST_SOURCE src/gtest-all.cc PATHS /usr/src/googletest/googletest NO_CMAKE_FIND_ROOT_PATH)
find_program(TAMIS_NODE node REQUIRED NO_CMAKE_FIND_ROOT_PATH)
mark_as_advanced(TAMIS_GTEST_SOURCE TAMIS_NODE)
if(NOT TAMIS_GTEST_SOURCE)
  message(FATAL_ERROR "The sources of GoogleTest were not found. On Debian and Ubuntu they are in the package "
                      "googletest: run `make setup`, which installs all that is missing.")
endif()
add_library(tamis_gtest STATIC "${TAMIS_GTEST_SOURCE}/src/gtest-all.cc" "${TAMIS_GTEST_SOURCE}/src/gtest_main.cc")
target_include_directories(tamis_gtest SYSTEM PUBLIC "${TAMIS_GTEST_SOURCE}/include" PRIVATE "${TAMIS_GTEST_SOURCE}")
target_compile_features(tamis_gtest PUBLIC cxx_std_20)
target_compile_definitions(tamis_gtest PUBLIC GTEST_HAS_STREAM_REDIRECTION=0 GTEST_HAS_PTHREAD=0)
target_compile_options(tamis_gtest PRIVATE -w)

file(GLOB_RECURSE unit_sources CONFIGURE_DEPENDS "${tests_dir}/*_test.cpp")
file(GLOB support_sources CONFIGURE_DEPENDS "${tests_dir}/support/*.cpp")
file(STRINGS "${left_out}" left_out_files REGEX "^file ")
foreach(line IN LISTS left_out_files)
  string(REGEX REPLACE "^file ([^:]*):.*" "\\1" pattern "${line}")
  string(REPLACE "*" ".*" pattern "${pattern}")
  list(FILTER unit_sources EXCLUDE REGEX "^${tests_dir}/${pattern}$")
endforeach()
list(REMOVE_ITEM support_sources "${tests_dir}/support/webgpu.cpp")  # adapters of native libraries

add_executable(tamis_web_tests EXCLUDE_FROM_ALL ${unit_sources} ${support_sources} src/browser_gpu.cpp)
set_target_properties(tamis_web_tests PROPERTIES SUFFIX .wasm)
target_include_directories(tamis_web_tests PRIVATE "${tests_dir}")
target_link_libraries(tamis_web_tests PRIVATE tamis_conditions tamis_objects tamis_gtest)
tamis_precompile(tamis_web_tests <gtest/gtest.h> <tamis/tamis.h>)
tamis_set_flags(tamis_web_tests)
set_source_files_properties(
  "${tests_dir}/support/source_tree.cpp" PROPERTIES COMPILE_DEFINITIONS "TAMIS_SOURCE_DIR=\"${PROJECT_SOURCE_DIR}\"")
# As for tests elsewhere: rounding is the library's, and optimising them would only take time.
target_compile_options(tamis_web_tests PRIVATE -ffp-contract=off -O1)

foreach(mode IN ITEMS deferred eager)
  add_test(NAME web.unit.${mode} COMMAND "${TAMIS_NODE}" --no-warnings "${CMAKE_CURRENT_SOURCE_DIR}/test/run_unit.mjs"
                                         "$<TARGET_FILE:tamis_web_tests>" --gtest_brief=1)
  set_tests_properties(web.unit.${mode} PROPERTIES TIMEOUT 900)
endforeach()
set_tests_properties(web.unit.eager PROPERTIES ENVIRONMENT TAMIS_EAGER=1)
