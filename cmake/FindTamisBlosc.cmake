# Finds Blosc as the target TamisBlosc::blosc, by name: distributions differ in what else they ship. Installed with Tamis,
# for users of the static library.

if(NOT TARGET TamisBlosc::blosc)
  find_path(TAMIS_BLOSC_INCLUDE_DIR blosc.h)
  find_library(TAMIS_BLOSC_LIBRARY blosc)
  mark_as_advanced(TAMIS_BLOSC_INCLUDE_DIR TAMIS_BLOSC_LIBRARY)
  if(TAMIS_BLOSC_INCLUDE_DIR AND TAMIS_BLOSC_LIBRARY)
    add_library(TamisBlosc::blosc UNKNOWN IMPORTED)
    set_target_properties(
      TamisBlosc::blosc PROPERTIES IMPORTED_LOCATION "${TAMIS_BLOSC_LIBRARY}"
                                INTERFACE_INCLUDE_DIRECTORIES "${TAMIS_BLOSC_INCLUDE_DIR}")
  endif()
endif()

if(TARGET TamisBlosc::blosc)
  set(TamisBlosc_FOUND TRUE)
else()
  set(TamisBlosc_FOUND FALSE)
  set(TamisBlosc_NOT_FOUND_MESSAGE "Blosc was not found (Debian and Ubuntu: libblosc-dev)")
endif()
