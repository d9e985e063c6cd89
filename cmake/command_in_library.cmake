# CARTAN_PACKAGE: the shared library holds the commands, `reproduce` among them, and the command is a few lines that
# call it. So whatever runs long comes from the library, which a package has once per kind of processor
# (cmake/install.cmake).
target_sources(cartan_shared PRIVATE ${PROJECT_SOURCE_DIR}/src/cli/main.cpp)
target_compile_definitions(cartan_shared PRIVATE CARTAN_PACKAGE)
cartan_see_public_headers(cartan_shared PRIVATE)
target_compile_options(cartan_shared PRIVATE -O1)
target_link_libraries(cartan_shared PRIVATE cartan_reproduction cartan_cli)
# The same bytes wherever the tree and the build folder stand.
set_target_properties(cartan_shared cartan_ceres cartan_server PROPERTIES
  SOVERSION ${PROJECT_VERSION_MAJOR}.${PROJECT_VERSION_MINOR} VERSION ${PROJECT_VERSION} BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "")

add_executable(cartan-command ${PROJECT_SOURCE_DIR}/src/cli/package/start.cpp)
target_link_libraries(cartan-command PRIVATE cartan_options cartan_shared)
set_target_properties(cartan-command PROPERTIES OUTPUT_NAME cartan RUNTIME_OUTPUT_DIRECTORY ${PROJECT_BINARY_DIR}/package
  BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "")
if(TARGET cartan_python_module)
  set_target_properties(cartan_python_module PROPERTIES BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "" BUILD_RPATH "")
endif()
