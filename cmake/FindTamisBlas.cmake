# Finds OpenBLAS as the target TamisBlas::OpenBLAS, by the names that distributions give it. Not the build
# without threads if there is another: only one thread at a time can call that. Installed with Tamis, for
# users of the static library.

if(NOT TARGET TamisBlas::OpenBLAS)
  find_path(TAMIS_BLAS_INCLUDE_DIR openblas_config.h PATH_SUFFIXES openblas-pthread openblas openblas-openmp openblas-serial)
  find_library(TAMIS_BLAS_LIBRARY openblas PATH_SUFFIXES openblas-pthread openblas-openmp openblas-serial)
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
  set(TamisBlas_NOT_FOUND_MESSAGE "OpenBLAS was not found (Debian and Ubuntu: libopenblas-dev)")
endif()
