# Compiles and runs the C++ snippets of README.md and docs/*.md and compares what they print with what
# they say; see tests/docs_test.py. Included by tests/CMakeLists.txt.

file(GLOB documents CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/README.md"
     "${PROJECT_SOURCE_DIR}/docs/*.md")
foreach(document IN LISTS documents)
  file(STRINGS "${document}" marks LIMIT_COUNT 1 REGEX "^ *// (prints|throws): ")
  file(STRINGS "${document}" snippets LIMIT_COUNT 1 REGEX "^```cpp$")
  if(NOT marks OR NOT snippets)
    continue()
  endif()
  cmake_path(GET document STEM stem)
  string(TOLOWER "${stem}" stem)
  set(target docs_${stem})
  set(source "${CMAKE_CURRENT_BINARY_DIR}/${target}.cpp")
  set(expected "${CMAKE_CURRENT_BINARY_DIR}/${target}.expected")
  add_custom_command(
    OUTPUT "${source}" "${expected}"
    COMMAND Python3::Interpreter "${PROJECT_SOURCE_DIR}/tests/docs_test.py" "${document}" "${source}"
            "${expected}"
    DEPENDS "${document}" "${PROJECT_SOURCE_DIR}/tests/docs_test.py"
    VERBATIM)
  add_executable(${target} "${source}")
  target_link_libraries(${target} PRIVATE tamis::tamis)
  tamis_set_flags(${target})
  foreach(mode IN ITEMS deferred eager)
    add_test(
      NAME docs.${stem}.${mode}
      COMMAND "${CMAKE_COMMAND}" "-DPROGRAM=$<TARGET_FILE:${target}>" "-DEXPECTED=${expected}"
              "-DACTUAL=${CMAKE_CURRENT_BINARY_DIR}/${target}.${mode}.txt" -P
              "${PROJECT_SOURCE_DIR}/tests/output_test.cmake")
  endforeach()
  set(environment)
  if(stem STREQUAL "devices")
    set(environment "${webgpu_run}")
  endif()
  set_tests_properties(docs.${stem}.deferred PROPERTIES ENVIRONMENT "${environment}")
  set_tests_properties(docs.${stem}.eager PROPERTIES ENVIRONMENT "${environment};TAMIS_EAGER=1")
endforeach()
