# The Python module: python/src compiled into tamis/_tamis, beside the Python files, in the build tree
# (build/<preset>/python, which PYTHONPATH can point to) and, through scikit-build-core, in a wheel.

find_package(Python 3.9 REQUIRED COMPONENTS Interpreter Development.Module)
# pybind11 from PyPI (an isolated build) says where it is; Debian's is found by itself.
execute_process(
  COMMAND "${Python_EXECUTABLE}" -m pybind11 --cmakedir
  OUTPUT_VARIABLE pybind11_hint
  OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
find_package(pybind11 CONFIG QUIET HINTS "${pybind11_hint}")
if(NOT pybind11_FOUND)
  message(FATAL_ERROR "pybind11 was not found. On Debian and Ubuntu it is in the package pybind11-dev; "
                      "elsewhere, `pip install pybind11`.")
endif()

file(GLOB python_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/src/*.cpp")
pybind11_add_module(tamis_python MODULE NO_EXTRAS ${python_sources})
target_link_libraries(tamis_python PRIVATE tamis_objects)
tamis_set_flags(tamis_python)
set(python_package_dir "${PROJECT_BINARY_DIR}/python/tamis")
set_target_properties(
  tamis_python
  PROPERTIES OUTPUT_NAME _tamis
             CXX_VISIBILITY_PRESET hidden
             LIBRARY_OUTPUT_DIRECTORY "${python_package_dir}")

file(GLOB python_files CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/python/tamis/*.py"
     "${PROJECT_SOURCE_DIR}/python/tamis/*.pyi" "${PROJECT_SOURCE_DIR}/python/tamis/py.typed")
set(python_stamp "${PROJECT_BINARY_DIR}/python/files.stamp")
add_custom_command(
  OUTPUT "${python_stamp}"
  COMMAND "${CMAKE_COMMAND}" -E make_directory "${python_package_dir}"
  COMMAND "${CMAKE_COMMAND}" -E copy_if_different ${python_files} "${python_package_dir}"
  COMMAND "${CMAKE_COMMAND}" -E touch "${python_stamp}"
  DEPENDS ${python_files}
  VERBATIM)
add_custom_target(tamis_python_files DEPENDS "${python_stamp}")
add_dependencies(tamis_python tamis_python_files)

# In a wheel, scikit-build-core puts the Python files beside it.
if(SKBUILD)
  install(TARGETS tamis_python LIBRARY DESTINATION tamis COMPONENT python)
endif()

if(TAMIS_BUILD_TESTS)
  set(python_environment "PYTHONPATH=${PROJECT_BINARY_DIR}/python" PYTHONDONTWRITEBYTECODE=1)
  if(TAMIS_SANITIZE MATCHES "address")
    # The interpreter is not built with the sanitizer, so its runtime must come first; it never frees
    # all that it allocates, so leaks are not reported.
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libasan.so
                    OUTPUT_VARIABLE asan_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    execute_process(COMMAND "${CMAKE_CXX_COMPILER}" -print-file-name=libstdc++.so
                    OUTPUT_VARIABLE cxx_runtime OUTPUT_STRIP_TRAILING_WHITESPACE)
    list(APPEND python_environment "LD_PRELOAD=${asan_runtime} ${cxx_runtime}"
         "ASAN_OPTIONS=detect_leaks=0")
  endif()
  foreach(mode IN ITEMS deferred eager)
    add_test(NAME python.${mode} COMMAND "${Python_EXECUTABLE}" -m pytest
                                         "${PROJECT_SOURCE_DIR}/tests/python")
    set_tests_properties(python.${mode} PROPERTIES ENVIRONMENT "${python_environment}")
  endforeach()
  set_property(TEST python.eager APPEND PROPERTY ENVIRONMENT TAMIS_EAGER=1)
endif()
