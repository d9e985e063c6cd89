# `cmake --install build --prefix DIR`: the command, the library with its headers, and how other
# projects find it: find_package(Cartan) with the target Cartan::cartan, pkg-config with cartan.pc.
#
# Components, one per Debian package (tools/package, cmake/packages.cmake):
#   command      cartan: the command, examples, the viewer's page, manual page, completion of words in bash
#   library      libcartan0.1: the shared library
#   development  libcartan-dev: headers, how projects find the library
#   python       python3-cartan: the module (packages only; elsewhere the wheel)
# A build with CARTAN_HWCAPS gives one file to the component `library`: the library for one kind of processor, in a
# folder where the loader of the system looks for it first on such a processor (glibc-hwcaps, ld.so(8)).

include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

if(CARTAN_HWCAPS)
  install(TARGETS cartan_shared LIBRARY NAMELINK_SKIP COMPONENT library
    DESTINATION ${CMAKE_INSTALL_LIBDIR}/glibc-hwcaps/${CARTAN_HWCAPS})
  return()
endif()

# -- the library ------------------------------------------------------------------------------------

install(TARGETS cartan_shared EXPORT CartanTargets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT library NAMELINK_COMPONENT development
  INCLUDES DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
# Parts that it loads when they are first used (core/part_library.h), beside it.
install(TARGETS cartan_ceres cartan_server LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} NAMELINK_SKIP COMPONENT library)
install(DIRECTORY ${PROJECT_SOURCE_DIR}/include/cartan DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT development
  FILES_MATCHING PATTERN *.h)

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Cartan)
install(EXPORT CartanTargets NAMESPACE Cartan:: DESTINATION ${package_folder} COMPONENT development)
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
  DESTINATION ${package_folder} COMPONENT development)

file(RELATIVE_PATH up /${CMAKE_INSTALL_LIBDIR}/pkgconfig /)
configure_file(${PROJECT_SOURCE_DIR}/cmake/cartan.pc.in ${PROJECT_BINARY_DIR}/cartan.pc @ONLY)
install(FILES ${PROJECT_BINARY_DIR}/cartan.pc DESTINATION ${CMAKE_INSTALL_LIBDIR}/pkgconfig COMPONENT development)

# -- the command ------------------------------------------------------------------------------------

if(CARTAN_PACKAGE)
  install(TARGETS cartan-command RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
else()
  set_target_properties(cartan PROPERTIES INSTALL_RPATH "$ORIGIN/../${CMAKE_INSTALL_LIBDIR}")
  install(TARGETS cartan RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR} COMPONENT command)
endif()
install(DIRECTORY ${PROJECT_SOURCE_DIR}/examples DESTINATION ${CMAKE_INSTALL_DATADIR}/cartan COMPONENT command
  PATTERN CMakeLists.txt EXCLUDE)
# Made where npm is installed (./cartan view), and of the command's own help texts (tools/package).
install(DIRECTORY ${PROJECT_SOURCE_DIR}/octave/ DESTINATION ${CMAKE_INSTALL_DATADIR}/octave/site/m/cartan
  COMPONENT command FILES_MATCHING PATTERN "*.m")
install(FILES ${PROJECT_BINARY_DIR}/viewer.html DESTINATION ${CMAKE_INSTALL_DATADIR}/cartan COMPONENT command OPTIONAL)
install(FILES ${PROJECT_BINARY_DIR}/cartan.1.gz DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 COMPONENT command OPTIONAL)
install(FILES ${PROJECT_SOURCE_DIR}/tools/packaging/completion.bash RENAME cartan
  DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions COMPONENT command)

# -- packages only ----------------------------------------------------------------------------------

if(CARTAN_PACKAGE)
  # Licence notices of what each package contains, by tools/packaging/notices.py.
  foreach(pair IN ITEMS command=cartan library=libcartan${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR}
          development=libcartan-dev python=python3-cartan)
    string(REPLACE "=" ";" pair ${pair})
    list(POP_FRONT pair component)
    install(FILES ${PROJECT_BINARY_DIR}/notices/${component} RENAME copyright
      DESTINATION ${CMAKE_INSTALL_DATADIR}/doc/${pair} COMPONENT ${component})
  endforeach()
endif()
if(CARTAN_PACKAGE AND TARGET cartan_python_module)
  install(DIRECTORY ${PROJECT_BINARY_DIR}/python/cartan DESTINATION lib/python3/dist-packages COMPONENT python
    PATTERN __pycache__ EXCLUDE)
endif()

if(CARTAN_MARCH STREQUAL "native")
  install(CODE "message(STATUS \"Built for the processor of this machine; for others configure with \
-DCARTAN_MARCH=x86-64-v2 (docs/api.md).\")")
endif()
