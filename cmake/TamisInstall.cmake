# `cmake --install`: headers, both libraries, the CMake package and the pkg-config file.
include(CMakePackageConfigHelpers)

set(package_dir "${CMAKE_INSTALL_LIBDIR}/cmake/tamis")

install(DIRECTORY "${PROJECT_SOURCE_DIR}/include/tamis" DESTINATION "${CMAKE_INSTALL_INCLUDEDIR}"
        FILES_MATCHING PATTERN "*.h")

# Two export sets: only the static library makes its users find what it is built on.
install(TARGETS tamis EXPORT tamisSharedTargets)
install(TARGETS tamis_static EXPORT tamisStaticTargets)
foreach(kind IN ITEMS Shared Static)
  install(EXPORT tamis${kind}Targets NAMESPACE tamis:: DESTINATION "${package_dir}")
endforeach()

configure_package_config_file(
  "${PROJECT_SOURCE_DIR}/cmake/tamisConfig.cmake.in" "${PROJECT_BINARY_DIR}/tamisConfig.cmake"
  INSTALL_DESTINATION "${package_dir}")
write_basic_package_version_file(
  "${PROJECT_BINARY_DIR}/tamisConfigVersion.cmake" COMPATIBILITY SameMinorVersion)
install(
  FILES "${PROJECT_BINARY_DIR}/tamisConfig.cmake" "${PROJECT_BINARY_DIR}/tamisConfigVersion.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindTamisHwy.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindTamisBlas.cmake"
        "${PROJECT_SOURCE_DIR}/cmake/FindTamisZstd.cmake" "${PROJECT_SOURCE_DIR}/cmake/FindTamisBlosc.cmake"
  DESTINATION "${package_dir}")

# Relative to the file's own place, so that an installed tree can be moved.
file(RELATIVE_PATH TAMIS_PC_PREFIX "/${CMAKE_INSTALL_LIBDIR}/pkgconfig" "/")
configure_file("${PROJECT_SOURCE_DIR}/cmake/tamis.pc.in" "${PROJECT_BINARY_DIR}/tamis.pc" @ONLY)
install(FILES "${PROJECT_BINARY_DIR}/tamis.pc" DESTINATION "${CMAKE_INSTALL_LIBDIR}/pkgconfig")
