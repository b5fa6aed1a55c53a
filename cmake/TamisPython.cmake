# The Python module: python/src compiled into tamis/_tamis, beside the Python files, in a folder that
# PYTHONPATH can point to and, through scikit-build-core, in a wheel; and its tests.

set(TAMIS_PYTHON_DIR "${PROJECT_BINARY_DIR}/python" CACHE PATH "Where the Python package is put")

# Outside of a wheel, the module is for the system's Python, which has the distribution's NumPy, pytest
# and torch.
if(NOT SKBUILD AND NOT DEFINED Python_EXECUTABLE AND EXISTS /usr/bin/python3)
  set(Python_EXECUTABLE /usr/bin/python3)
endif()
find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
# pybind11 from PyPI (an isolated build) says where it is; Debian's is found by itself.
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m pybind11 --cmakedir
  OUTPUT_VARIABLE pybind11_hint
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(pybind11 CONFIG QUIET HINTS "${pybind11_hint}")
if(NOT pybind11_FOUND)
  message(FATAL_ERROR "pybind11 was not found. On Debian and Ubuntu it is in the package pybind11-dev; "
                      "elsewhere, `pip install pybind11`. -DTAMIS_BUILD_PYTHON=OFF builds without "
                      "the Python module.")
endif()

file(GLOB python_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/src/*.cpp")
pybind11_add_module(tamis_python MODULE NO_EXTRAS ${python_sources})
# Conditions of the command line, for tamis.dask.
set(cli_dir "${PROJECT_SOURCE_DIR}/cli")
file(GLOB language_sources CONFIGURE_DEPENDS "${cli_dir}/language/*.cpp")
add_library(tamis_language OBJECT ${language_sources} "${cli_dir}/nearest.cpp" "${cli_dir}/windows.cpp")
target_include_directories(tamis_language PUBLIC "${cli_dir}")
set_target_properties(tamis_language PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden)
target_link_libraries(tamis_language PUBLIC tamis_objects)
tamis_set_flags(tamis_language)
tamis_precompile(tamis_language <algorithm> <functional> <string> <vector> <fmt/format.h> <tamis/tensor.h>)
target_link_libraries(tamis_python PRIVATE tamis_language tamis_objects)
tamis_set_flags(tamis_python)
tamis_precompile(tamis_python <pybind11/numpy.h> <pybind11/stl.h> <tamis/tamis.h>)
tamis_set_shared_flags(tamis_python)
set(python_package_dir "${TAMIS_PYTHON_DIR}/tamis")
set_target_properties(
  tamis_python
  PROPERTIES OUTPUT_NAME _tamis
             CXX_VISIBILITY_PRESET hidden
             LIBRARY_OUTPUT_DIRECTORY "${python_package_dir}")

# The folder holds what the source has and nothing else, so that a module that was removed there
# cannot be imported here.
set(python_source_dir "${PROJECT_SOURCE_DIR}/python/tamis")
file(GLOB python_files CONFIGURE_DEPENDS "${python_source_dir}/*.py" "${python_source_dir}/*.pyi"
     "${python_source_dir}/py.typed")
file(GLOB python_nn_files CONFIGURE_DEPENDS "${python_source_dir}/nn/*.py")
file(GLOB python_api_files CONFIGURE_DEPENDS "${python_source_dir}/array_api/*.py")
file(GLOB python_dask_files CONFIGURE_DEPENDS "${python_source_dir}/dask/*.py")
file(GLOB_RECURSE copied_files RELATIVE "${python_package_dir}" "${python_package_dir}/*.py"
     "${python_package_dir}/*.pyi")
foreach(copied IN LISTS copied_files)
  if(NOT EXISTS "${python_source_dir}/${copied}")
    file(REMOVE "${python_package_dir}/${copied}")
  endif()
endforeach()
set(python_stamp "${PROJECT_BINARY_DIR}/python_files.stamp")
add_custom_command(
  OUTPUT "${python_stamp}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${python_package_dir}/nn" "${python_package_dir}/array_api"
          "${python_package_dir}/dask"
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different ${python_files} "${python_package_dir}"
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different ${python_nn_files} "${python_package_dir}/nn"
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different ${python_api_files} "${python_package_dir}/array_api"
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different ${python_dask_files} "${python_package_dir}/dask"
  COMMAND "${CMAKE_COMMAND}" -E touch "${python_stamp}"
  DEPENDS ${python_files} ${python_nn_files} ${python_api_files} ${python_dask_files}
  VERBATIM)
add_custom_target(tamis_python_files DEPENDS "${python_stamp}")
add_dependencies(tamis_python tamis_python_files)

# In a wheel, scikit-build-core puts the Python files beside it.
if(SKBUILD)
  install(TARGETS tamis_python LIBRARY DESTINATION tamis COMPONENT python)
endif()

# --- Tests --------------------------------------------------------------------------------------

if(NOT TAMIS_BUILD_TESTS)
  return()
endif()
enable_testing()
set(python_environment "PYTHONPATH=${TAMIS_PYTHON_DIR}" PYTHONDONTWRITEBYTECODE=1
                       ${webgpu_environment})

# Runs pytest as a test of that name: tamis_add_pytest(name [PYTHON path] [ENVIRONMENT VAR=value...] ARGS ...)
function(tamis_add_pytest name)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "PYTHON" "ENVIRONMENT;ARGS")
  if(NOT arg_PYTHON)
    set(arg_PYTHON "${Python_EXECUTABLE}")
  endif()
  add_test(NAME ${name} COMMAND "${arg_PYTHON}" -m pytest ${arg_ARGS}
           WORKING_DIRECTORY "${PROJECT_SOURCE_DIR}")
  # 77: a test folder lacks what it is about, and has said so.
  set_tests_properties(
    ${name} PROPERTIES ENVIRONMENT "${python_environment};${arg_ENVIRONMENT}" TIMEOUT 1500
                       SKIP_RETURN_CODE 77)
endfunction()

if(TAMIS_SANITIZE MATCHES "address")
  # The interpreter is not built with the sanitizer, so its runtime must come first. The interpreter
  # does not free all that it allocates, so leaks are looked for by counting in the tests themselves.
  # -s: what the sanitizer reports at the end of the process is not captured.
  set(asan_name libasan.so)
  if(CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    set(asan_name libclang_rt.asan-${CMAKE_SYSTEM_PROCESSOR}.so)
  endif()
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=${asan_name}
                  OUTPUT_VARIABLE asan_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libstdc++.so
                  OUTPUT_VARIABLE cxx_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
  tamis_add_pytest(
    python.lifetimes
    ENVIRONMENT "LD_PRELOAD=${asan_runtime} ${cxx_runtime}" "ASAN_OPTIONS=detect_leaks=0"
    ARGS -s tests/python/test_lifetimes.py tests/python/test_interop.py tests/python/test_indexing.py
         tests/python/test_functions.py tests/python/test_threads.py)
  return()
endif()

# Data frames and the reference of the array API standard in an environment that has them (scripts/setup makes it), else
# skipped with a reason.
set(python_tests tests/python)
set(peers_tests tests/python/test_dataframes.py tests/python/test_docs.py tests/python/test_masked_tensor.py
                tests/python/test_porting_page.py)
set(dask_tests tests/python/test_dask.py tests/python/test_dask_command.py tests/python/test_dask_workers.py)
foreach(family IN ITEMS standard elementwise shapes reductions)
  list(APPEND peers_tests tests/python/test_array_api_${family}.py)
endforeach()
set(peers_python "${PROJECT_SOURCE_DIR}/build/venv/bin/python")
file(GLOB peers CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/build/venv/lib/python3*/site-packages/polars")
if(peers)
  set(elsewhere ${peers_tests} ${dask_tests} tests/python/test_zarr.py)
  list(TRANSFORM elsewhere PREPEND --ignore=)
  list(APPEND python_tests ${elsewhere})
  foreach(mode IN ITEMS deferred eager)
    tamis_add_pytest(
      python.dataframes.${mode} PYTHON "${peers_python}" ENVIRONMENT TAMIS_REQUIRE_PEERS=1
      ARGS ${peers_tests})
  endforeach()
  # Files are the same in both modes.
  tamis_add_pytest(python.zarr PYTHON "${peers_python}" ENVIRONMENT TAMIS_REQUIRE_PEERS=1
                   ARGS tests/python/test_zarr.py)
  # Both graph modes of Dask, then worker processes, which are short of a core if anything else runs.
  tamis_add_pytest(python.dask PYTHON "${peers_python}" ENVIRONMENT TAMIS_REQUIRE_PEERS=1
                   ARGS tests/python/test_dask.py)
  tamis_add_pytest(
    python.dask.expressions PYTHON "${peers_python}"
    ENVIRONMENT TAMIS_REQUIRE_PEERS=1 DASK_ARRAY__QUERY_PLANNING=True ARGS tests/python/test_dask.py)
  set(workers_environment TAMIS_REQUIRE_PEERS=1)
  if(TAMIS_BUILD_CLI)
    list(APPEND workers_environment "TAMIS=$<TARGET_FILE:tamis_cli>")
  endif()
  tamis_add_pytest(python.dask.workers PYTHON "${peers_python}" ENVIRONMENT ${workers_environment}
                   ARGS tests/python/test_dask_workers.py tests/python/test_dask_command.py)
  set_property(TEST python.dataframes.deferred APPEND PROPERTY ENVIRONMENT TAMIS_DEFER=all)
  set_property(TEST python.dataframes.eager APPEND PROPERTY ENVIRONMENT TAMIS_EAGER=1)
endif()
tamis_add_pytest(python.deferred ENVIRONMENT TAMIS_DEFER=all ARGS ${python_tests})
tamis_add_pytest(python.eager ENVIRONMENT TAMIS_EAGER=1 ARGS ${python_tests})
# In both modes by itself. It takes longest, so it begins first.
tamis_add_pytest(torch ARGS tests/torch)
set_tests_properties(torch PROPERTIES COST 1000)
