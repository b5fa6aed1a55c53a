# Installs the built tree under a fresh prefix, moves it, and builds and runs the project in consumer/
# against it: shared and static by find_package, and shared by pkg-config where that is present.

set(work "${BUILD_DIR}/consumer")
set(prefix "${work}/prefix")
file(REMOVE_RECURSE "${work}")
file(MAKE_DIRECTORY "${work}")

function(run)
  execute_process(COMMAND ${ARGN} RESULT_VARIABLE result OUTPUT_VARIABLE out ERROR_VARIABLE out)
  if(NOT result EQUAL 0)
    list(JOIN ARGN " " command)
    message(FATAL_ERROR "${command}\nended with ${result}:\n${out}")
  endif()
  set(output "${out}" PARENT_SCOPE)
endfunction()

function(check_output program)
  run("${program}")
  if(NOT output STREQUAL "tensor([3, 4])\n")
    message(FATAL_ERROR "${program} printed\n${output}")
  endif()
  message(STATUS "${program}: ok")
endfunction()

# The package must work from another place than it was installed to.
run("${CMAKE_COMMAND}" --install "${BUILD_DIR}" --prefix "${work}/installed" --config "${CONFIG}")
file(RENAME "${work}/installed" "${prefix}")

run("${CMAKE_COMMAND}" -S "${CMAKE_CURRENT_LIST_DIR}/consumer" -B "${work}/build" -G "${GENERATOR}"
    "-DCMAKE_CXX_COMPILER=${CXX}" "-DCMAKE_PREFIX_PATH=${prefix}" "-DTAMIS_VERSION=${VERSION}"
    -DCMAKE_FIND_USE_PACKAGE_REGISTRY=OFF)
run("${CMAKE_COMMAND}" --build "${work}/build")
check_output("${work}/build/shared_consumer")
check_output("${work}/build/static_consumer")

# Another standard is refused in a sentence, not by what the headers cannot compile.
execute_process(
  COMMAND "${CXX}" -std=c++17 -fsyntax-only "-I${prefix}/include"
          "${CMAKE_CURRENT_LIST_DIR}/consumer/main.cpp"
  OUTPUT_QUIET ERROR_VARIABLE told)
if(NOT told MATCHES "Tamis needs C[+][+]20")
  message(FATAL_ERROR "C++17 is not refused:\n${told}")
endif()

if(EXISTS "${prefix}/bin/tamis")
  run("${prefix}/bin/tamis" --version)
  message(STATUS "${prefix}/bin/tamis: ok")
endif()

find_program(PKG_CONFIG pkg-config)
if(PKG_CONFIG)
  set(ENV{PKG_CONFIG_PATH} "${prefix}/${LIBDIR}/pkgconfig")
  run("${PKG_CONFIG}" --modversion tamis)
  if(NOT output STREQUAL "${VERSION}\n")
    message(FATAL_ERROR "tamis.pc says version ${output}")
  endif()
  run("${PKG_CONFIG}" --cflags --libs tamis)
  separate_arguments(flags UNIX_COMMAND "${output}")
  set(program "${work}/pkg_config_consumer")
  run("${CXX}" -std=c++20 "${CMAKE_CURRENT_LIST_DIR}/consumer/main.cpp" -o "${program}" ${flags}
      "-Wl,-rpath,${prefix}/${LIBDIR}")
  check_output("${program}")
endif()
