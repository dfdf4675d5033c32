// The kernels that use no Eigen: a second translation unit of the plugin.
#include "string_join_op.cc"
#include "unpack_op.cc"
