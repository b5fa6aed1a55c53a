# Finds Highway as the target hwy::hwy: by its own package config, else by pkg-config, else by name.
# Distributions differ in which of these they ship. Installed with Tamis, for users of the static library.

if(NOT TARGET hwy::hwy)
  find_package(hwy CONFIG QUIET)
endif()

if(NOT TARGET hwy::hwy)
  find_package(PkgConfig QUIET)
  if(PkgConfig_FOUND)
    pkg_check_modules(PC_HWY QUIET libhwy)
  endif()
  find_path(HWY_INCLUDE_DIR hwy/highway.h HINTS ${PC_HWY_INCLUDE_DIRS})
  find_library(HWY_LIBRARY hwy HINTS ${PC_HWY_LIBRARY_DIRS})
  mark_as_advanced(HWY_INCLUDE_DIR HWY_LIBRARY)
  if(HWY_INCLUDE_DIR AND HWY_LIBRARY)
    add_library(hwy::hwy UNKNOWN IMPORTED)
    set_target_properties(
      hwy::hwy
      PROPERTIES IMPORTED_LOCATION "${HWY_LIBRARY}"
                 INTERFACE_INCLUDE_DIRECTORIES "${HWY_INCLUDE_DIR}"
                 INTERFACE_COMPILE_OPTIONS "${PC_HWY_CFLAGS_OTHER}")
  endif()
endif()

if(TARGET hwy::hwy)
  set(TamisHwy_FOUND TRUE)
else()
  set(TamisHwy_FOUND FALSE)
  set(TamisHwy_NOT_FOUND_MESSAGE "Highway was not found (Debian and Ubuntu: libhwy-dev)")
endif()
