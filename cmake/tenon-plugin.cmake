# tenon_add_plugin(NAME source... [PORT])
#
# A plugin: a module that finds Tenon's headers, lets others see its entry points only, and takes TF_* from the
# host that loads it. PORT puts TensorFlow's include names for the C++ API on its path, which need Eigen.
set(TENON_PLUGIN_MAP ${CMAKE_CURRENT_LIST_DIR}/tenon-plugin.map)

function(tenon_add_plugin name)
  cmake_parse_arguments(PARSE_ARGV 1 plugin "PORT" "" "")
  add_library(${name} MODULE ${plugin_UNPARSED_ARGUMENTS})
  find_package(Threads REQUIRED)
  target_link_libraries(${name} PRIVATE Threads::Threads)
  get_target_property(folder tenon::tenon INTERFACE_INCLUDE_DIRECTORIES)
  if(plugin_PORT)
    find_path(TENON_EIGEN unsupported/Eigen/CXX11/Tensor PATH_SUFFIXES eigen3 REQUIRED)
    target_include_directories(${name} PRIVATE ${folder}/tenon_port)
    target_include_directories(${name} SYSTEM PRIVATE ${TENON_EIGEN})
  endif()
  target_include_directories(${name} PRIVATE ${folder})
  target_compile_features(${name} PRIVATE cxx_std_17)
  target_link_options(${name} PRIVATE -Wl,--version-script=${TENON_PLUGIN_MAP})
  set_target_properties(${name} PROPERTIES CXX_VISIBILITY_PRESET hidden POSITION_INDEPENDENT_CODE ON)
endfunction()
