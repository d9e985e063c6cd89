# What CPack makes of the builds for packages; tools/packaging/pack calls it with this in the environment:
#   CARTAN_BUILDS     a folder with a build folder x86-64-v2 of everything (CARTAN_PACKAGE) and one per variant with the
#                     library for that kind of processor (CARTAN_HWCAPS)
#   CARTAN_VARIANTS   x86-64-v3;x86-64-v4
#   CARTAN_VERSION
#   CARTAN_COMPRESSION   of the packages (xz); gzip packs quicker, for trials
foreach(name IN ITEMS CARTAN_BUILDS CARTAN_VARIANTS CARTAN_VERSION)
  set(${name} "$ENV{${name}}")
endforeach()

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME cartan)
set(CPACK_PACKAGE_VENDOR "The Cartan project")
set(CPACK_PACKAGE_VERSION "${CARTAN_VERSION}")
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_MAINTAINER "The Cartan project <nobody@localhost>")
set(CPACK_DEBIAN_PACKAGE_SECTION science)
set(CPACK_DEBIAN_COMPRESSION_TYPE xz)
if(DEFINED ENV{CARTAN_COMPRESSION})
  set(CPACK_DEBIAN_COMPRESSION_TYPE $ENV{CARTAN_COMPRESSION})
endif()
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_PACKAGE_DESCRIPTION "How machines move, computed on Lie groups")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "${CPACK_PACKAGE_DESCRIPTION}")
set(CPACK_PACKAGE_FILE_NAME cartan-${CARTAN_VERSION})
set(CPACK_STRIP_FILES ON)
set(CPACK_INSTALL_DEFAULT_DIRECTORY_PERMISSIONS OWNER_READ OWNER_WRITE OWNER_EXECUTE GROUP_READ GROUP_EXECUTE WORLD_READ
    WORLD_EXECUTE)
set(CPACK_CMAKE_GENERATOR Ninja)
set(CPACK_VERBATIM_VARIABLES ON)

string(REGEX MATCH "^[0-9]+\\.[0-9]+" abi "${CARTAN_VERSION}")
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL command library development python)
set(CPACK_COMPONENTS_GROUPING IGNORE)
set(base ${CARTAN_BUILDS}/x86-64-v2)
set(CPACK_INSTALL_CMAKE_PROJECTS ${base} cartan ALL /)
foreach(variant IN LISTS CARTAN_VARIANTS)
  list(APPEND CPACK_INSTALL_CMAKE_PROJECTS ${CARTAN_BUILDS}/${variant} cartan ALL /)
endforeach()

# What a package needs of other packages follows from what its programs and libraries load.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${base} ${base}/src)
set(exactly "(= ${CARTAN_VERSION}-1)")

set(CPACK_DEBIAN_COMMAND_PACKAGE_NAME cartan)
set(CPACK_COMPONENT_COMMAND_DESCRIPTION
    "The command cartan: simulates machines described in a text file (bodies,
joints, forces, closed loops, contacts), finds steady motions and periodic
orbits, fits parameters, derives equations and code. With examples and the
page on which cartan view shows motions in a browser.")
set(CPACK_DEBIAN_COMMAND_PACKAGE_DEPENDS "libcartan${abi} ${exactly}")
set(CPACK_DEBIAN_COMMAND_PACKAGE_RECOMMENDS "gcc | clang | c-compiler")
set(CPACK_DEBIAN_COMMAND_PACKAGE_SUGGESTS
    "python3-cartan, chromium, ffmpeg, libnetcdf19, coinor-libipopt1v5, bash-completion")

set(CPACK_DEBIAN_LIBRARY_PACKAGE_NAME libcartan${abi})
set(CPACK_DEBIAN_LIBRARY_PACKAGE_SECTION libs)
set(CPACK_COMPONENT_LIBRARY_DESCRIPTION
    "All of Cartan, for the command, for Python and for programs in C++. The
loader of the system takes the library that was built for its processor.")

set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_NAME libcartan-dev)
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_SECTION libdevel)
set(CPACK_COMPONENT_DEVELOPMENT_DESCRIPTION
    "What a program in C++20 needs to use Cartan: headers, a package for CMake
(find_package(Cartan)) and one for pkg-config.")
set(CPACK_DEBIAN_DEVELOPMENT_PACKAGE_DEPENDS "libcartan${abi} ${exactly}")

set(CPACK_DEBIAN_PYTHON_PACKAGE_NAME python3-cartan)
set(CPACK_DEBIAN_PYTHON_PACKAGE_SECTION python)
set(CPACK_DEBIAN_PYTHON_PACKAGE_CONTROL_EXTRA ${CMAKE_CURRENT_LIST_DIR}/../tools/packaging/python/prerm)
set(CPACK_COMPONENT_PYTHON_DESCRIPTION
    "Everything the command cartan does, as functions that return arrays and
records; systems for solvers of others; symbolic mechanics.")
set(CPACK_DEBIAN_PYTHON_PACKAGE_DEPENDS "libcartan${abi} ${exactly}, python3 (>= 3.11), python3 (<< 3.12), python3-numpy")
set(CPACK_DEBIAN_PYTHON_PACKAGE_RECOMMENDS "cartan, python3-pandas, python3-matplotlib")
