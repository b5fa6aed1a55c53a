# Finds Zstandard as the target TamisZstd::zstd, by name: distributions differ in what else they ship. Installed with Tamis,
# for users of the static library.

if(NOT TARGET TamisZstd::zstd)
  find_path(TAMIS_ZSTD_INCLUDE_DIR zstd.h)
  find_library(TAMIS_ZSTD_LIBRARY zstd)
  mark_as_advanced(TAMIS_ZSTD_INCLUDE_DIR TAMIS_ZSTD_LIBRARY)
  if(TAMIS_ZSTD_INCLUDE_DIR AND TAMIS_ZSTD_LIBRARY)
    add_library(TamisZstd::zstd UNKNOWN IMPORTED)
    set_target_properties(
      TamisZstd::zstd PROPERTIES IMPORTED_LOCATION "${TAMIS_ZSTD_LIBRARY}"
                                INTERFACE_INCLUDE_DIRECTORIES "${TAMIS_ZSTD_INCLUDE_DIR}")
  endif()
endif()

if(TARGET TamisZstd::zstd)
  set(TamisZstd_FOUND TRUE)
else()
  set(TamisZstd_FOUND FALSE)
  set(TamisZstd_NOT_FOUND_MESSAGE "Zstandard was not found (Debian and Ubuntu: libzstd-dev)")
endif()
