# What is built into build/bin, build/lib and build/libexec is installed in the same place below the
# prefix, so that the host finds its own files alike in both.

set(TENON_LIBDIR ${CMAKE_INSTALL_LIBDIR})
function(tenon_targets_of out folder)
  get_property(found DIRECTORY ${folder} PROPERTY BUILDSYSTEM_TARGETS)
  get_property(below DIRECTORY ${folder} PROPERTY SUBDIRECTORIES)
  foreach(subfolder ${below})
    tenon_targets_of(more ${subfolder})
    list(APPEND found ${more})
  endforeach()
  set(${out} ${found} PARENT_SCOPE)
endfunction()

set(installed)
foreach(folder src cli tools plugins)
  tenon_targets_of(found ${folder})
  list(APPEND installed ${found})
endforeach()

foreach(target ${installed})
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    get_target_property(folder ${target} RUNTIME_OUTPUT_DIRECTORY)
  elseif(type MATCHES "^(SHARED|MODULE)_LIBRARY$")
    get_target_property(folder ${target} LIBRARY_OUTPUT_DIRECTORY)
  else()
    continue()
  endif()
  file(RELATIVE_PATH place ${CMAKE_BINARY_DIR} ${folder})
  if(NOT place MATCHES "^(bin|lib|libexec)(/|$)")
    continue()
  endif()
  string(REGEX REPLACE "^lib(/|$)" "${TENON_LIBDIR}\\1" place ${place})
  file(RELATIVE_PATH up /${place} /${TENON_LIBDIR})
  set_target_properties(${target} PROPERTIES INSTALL_RPATH "\$ORIGIN/${up}")
  if(target MATCHES "^tenon(_tf)?$")
    install(TARGETS ${target} EXPORT tenon LIBRARY DESTINATION ${place})
  else()
    install(TARGETS ${target} LIBRARY DESTINATION ${place} RUNTIME DESTINATION ${place})
  endif()
endforeach()

install(DIRECTORY include/ DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(DIRECTORY man/ DESTINATION ${CMAKE_INSTALL_MANDIR}/man1 FILES_MATCHING PATTERN "*.1")
install(FILES completion/tenon.bash RENAME tenon
        DESTINATION ${CMAKE_INSTALL_DATADIR}/bash-completion/completions)
install(FILES completion/_tenon DESTINATION ${CMAKE_INSTALL_DATADIR}/zsh/site-functions)
install(FILES completion/tenon.fish DESTINATION ${CMAKE_INSTALL_DATADIR}/fish/vendor_completions.d)

# pkg-config: the prefix is where the file lies, so that an installed tree can be moved.
file(RELATIVE_PATH TENON_PC_PREFIX /${TENON_LIBDIR}/pkgconfig /)
configure_file(cmake/tenon.pc.in tenon.pc @ONLY)
configure_file(cmake/tenon_tf.pc.in tenon_tf.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/tenon.pc ${CMAKE_BINARY_DIR}/tenon_tf.pc
        DESTINATION ${TENON_LIBDIR}/pkgconfig)

# find_package(Tenon) gives tenon::tenon, tenon::tenon_tf, tenon_abi_test and tenon_add_plugin: below the
# prefix, and in the build tree, where CMAKE_PREFIX_PATH may name the build folder as if it were one.
include(CMakePackageConfigHelpers)
set(package_folder ${TENON_LIBDIR}/cmake/tenon)
set(package_build ${CMAKE_BINARY_DIR}/${package_folder})
set(TENON_BINDIR ${CMAKE_INSTALL_BINDIR})
# CMake looks in the folder itself first, where a config would take its own folder for three levels deeper.
file(REMOVE ${CMAKE_BINARY_DIR}/tenon-config.cmake ${CMAKE_BINARY_DIR}/tenon-config-version.cmake)
configure_package_config_file(cmake/tenon-config.cmake.in ${package_build}/tenon-config.cmake
                              INSTALL_DESTINATION ${package_folder} PATH_VARS TENON_BINDIR)
write_basic_package_version_file(${package_build}/tenon-config-version.cmake COMPATIBILITY SameMajorVersion)
foreach(file tenon-abi.cmake tenon-plugin.cmake tenon-plugin.map)
  configure_file(cmake/${file} ${package_build}/${file} COPYONLY)
endforeach()
export(EXPORT tenon NAMESPACE tenon:: FILE ${package_build}/tenon-targets.cmake)
install(EXPORT tenon NAMESPACE tenon:: DESTINATION ${package_folder} FILE tenon-targets.cmake)
install(FILES ${package_build}/tenon-config.cmake ${package_build}/tenon-config-version.cmake
              cmake/tenon-abi.cmake cmake/tenon-plugin.cmake cmake/tenon-plugin.map
        DESTINATION ${package_folder})
