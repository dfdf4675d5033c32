// What gathering and scattering kernels share: where indices may point, and what happens when one
// points elsewhere.
#ifndef TENON_PLUGINS_CPU_INDICES_H_
#define TENON_PLUGINS_CPU_INDICES_H_

#include "cpu/gather.h"
#include "moving.h"

// The attribute bad_indices_policy: bad indices are an error, or passed over.
bool attr_ignores_bad_indices(attrs* attrs);
// Fails the run because of tuple `bad` of `indices`, an input called `name`; -1 is no failure.
void check_no_bad_index(run* run, const char* name, const tn_cpu_indices* indices, int64_t bad);

// GatherV2 and GatherNd of rows that `params` has, as output 0.
void gather_axis(run* run, const array* params, const array* indices, int axis, int64_t batch_dims);
void gather_tuples(run* run, const array* params, const array* indices, bool ignore);
// ScatterNd into what `target` has.
void scatter_tuples(run* run, tn_cpu_scatter_op op, const array* indices, const array* updates,
                    const array* target, bool ignore);

#endif  // TENON_PLUGINS_CPU_INDICES_H_
