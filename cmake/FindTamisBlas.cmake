# Finds OpenBLAS as the target TamisBlas::OpenBLAS, by the names that distributions give it. The build without
# threads comes first: Tamis has its own. Installed with Tamis, for users of the static library.

if(NOT TARGET TamisBlas::OpenBLAS)
  find_path(TAMIS_BLAS_INCLUDE_DIR openblas_config.h PATH_SUFFIXES openblas-serial openblas openblas-pthread)
  find_library(TAMIS_BLAS_LIBRARY openblas PATH_SUFFIXES openblas-serial openblas-pthread)
  mark_as_advanced(TAMIS_BLAS_INCLUDE_DIR TAMIS_BLAS_LIBRARY)
  if(TAMIS_BLAS_INCLUDE_DIR AND TAMIS_BLAS_LIBRARY)
    add_library(TamisBlas::OpenBLAS UNKNOWN IMPORTED)
    set_target_properties(
      TamisBlas::OpenBLAS PROPERTIES IMPORTED_LOCATION "${TAMIS_BLAS_LIBRARY}"
                                     INTERFACE_INCLUDE_DIRECTORIES "${TAMIS_BLAS_INCLUDE_DIR}")
  endif()
endif()

if(TARGET TamisBlas::OpenBLAS)
  set(TamisBlas_FOUND TRUE)
else()
  set(TamisBlas_FOUND FALSE)
  set(TamisBlas_NOT_FOUND_MESSAGE "OpenBLAS was not found (Debian and Ubuntu: libopenblas-serial-dev)")
endif()
