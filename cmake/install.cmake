# `cmake --install build --prefix DIR`: the command, the library with its headers, and how other
# projects find it: find_package(Cartan) with the target Cartan::cartan, pkg-config with cartan.pc.

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set_target_properties(cartan PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
install(TARGETS cartan RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
install(TARGETS cartan_shared cartan_ceres EXPORT CartanTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cartan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN *.h)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Cartan)
install(EXPORT CartanTargets NAMESPACE Cartan:: DESTINATION ${package_folder})
configure_package_config_file(${PROJECT_SOURCE_DIR}/cmake/CartanConfig.cmake.in
  ${PROJECT_BINARY_DIR}/CartanConfig.cmake INSTALL_DESTINATION ${package_folder})
# 0.x: a program built for 0.1 needs 0.1 (docs/api.md).
set(compatible SameMinorVersion)
if(PROJECT_VERSION_MAJOR GREATER 0)
  set(compatible SameMajorVersion)
endif()
write_basic_package_version_file(${PROJECT_BINARY_DIR}/CartanConfigVersion.cmake
  COMPATIBILITY ${compatible})
install(FILES ${PROJECT_BINARY_DIR}/CartanConfig.cmake ${PROJECT_BINARY_DIR}/CartanConfigVersion.cmake
  DESTINATION ${package_folder})

file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cartan.pc.in ${PROJECT_BINARY_DIR}/cartan.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cartan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig)

if(CARTAN_MARCH STREQUAL "native")
  install(CODE "message(STATUS \"Built for the processor of this machine; for others configure with \
-DCARTAN_MARCH=x86-64-v2 (docs/api.md).\")")
endif()
