// CropAndResize.

#include "cpu/crop.h"

#include <stdlib.h>

#include "sliding.h"

typedef struct cropping {
  bool nearest;
  float outside;
} cropping;

static void* create(TF_OpKernelConstruction* construction) {
  attrs attrs;
  attrs_begin(&attrs, construction, "CropAndResize");
  const cropping state = {
      attr_choice(&attrs, "method", (const char* const[]){"bilinear", "nearest", NULL}) == 1,
      attr_float(&attrs, "extrapolation_value")};
  return attrs_end(&attrs, &state, sizeof state);
}

static bool check_boxes(run* run, const array* boxes, const array* owners, int64_t images) {
  const int64_t count = boxes->rank == 2 ? boxes->dims[0] : 0;
  if (!check_rank(run, "boxes", boxes, 2) ||
      !check_dims(run, "boxes", boxes, 2, (const int64_t[]){count, 4}) ||
      !check_dims(run, "box_ind", owners, 1, &count))
    return false;
  for (int64_t i = 0; i < count; ++i) {
    const int64_t owner = index_at(owners, i);
    if (owner >= 0 && owner < images) continue;
    run_fail(run, TF_OUT_OF_RANGE, "box_ind[%lld] is %lld, and must be in [0, %lld)", (long long)i,
             (long long)owner, (long long)images);
    return false;
  }
  return true;
}

static bool check_sizes(run* run, const char* name, int64_t rows, int64_t columns) {
  if (rows > 0 && columns > 0) return true;
  run_fail(run, TF_INVALID_ARGUMENT, "%s has %lld rows and %lld columns, which must be positive",
           name, (long long)rows, (long long)columns);
  return false;
}

static void crop_and_resize(void* state, TF_OpKernelContext* context) {
  const cropping* attributes = state;
  run run;
  array images, boxes, owners, size, output;
  int64_t count;
  run_begin(&run, context, "CropAndResize");
  run_may_stop(&run);
  if (run_input(&run, 0, &images) && run_input(&run, 1, &boxes) && run_input(&run, 2, &owners) &&
      run_input(&run, 3, &size) && check_rank(&run, "image", &images, 4) &&
      check_sizes(&run, "image", images.dims[1], images.dims[2]) &&
      check_dims(&run, "crop_size", &size, 1, (const int64_t[]){2}) &&
      check_sizes(&run, "crop_size", index_at(&size, 0), index_at(&size, 1)) &&
      check_boxes(&run, &boxes, &owners, images.dims[0])) {
    const int64_t dims[] = {boxes.dims[0], index_at(&size, 0), index_at(&size, 1), images.dims[3]};
    const tn_cpu_crop crop = {images.dims[1],
                              images.dims[2],
                              images.dims[3],
                              dims[0],
                              dims[1],
                              dims[2],
                              boxes.data,
                              owners.data,
                              attributes->nearest,
                              attributes->outside};
    if (!count_elements(4, dims, &count))
      run_fail(&run, TF_INVALID_ARGUMENT, "the crops would have too many elements");
    if (run_output(&run, 0, 4, dims, &output) && output.count > 0)
      tn_cpu_crop_and_resize(images.dtype, &crop, images.data, output.data, run.parallel);
  }
  run_end(&run);
}

void register_crop(void) {
  const kernel kernels[] = {{.op = "CropAndResize",
                             .create = create,
                             .compute = crop_and_resize,
                             .destroy = free,
                             .constraints = {{"T", TN_CPU_REALS}},
                             .host_args = {"crop_size"}}};
  register_kernels(kernels, 1);
}
