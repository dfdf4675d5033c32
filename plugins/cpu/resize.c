// ResizeBilinear, ResizeNearestNeighbor and their gradients, ResizeBicubic.

#include <stdlib.h>
#include <string.h>

#include "cpu/resize.h"
#include "sliding.h"

typedef struct resizing {
  bool align_corners, half_pixel_centers;
} resizing;

static void* create(TF_OpKernelConstruction* construction, const char* op, bool choose) {
  attrs attrs;
  attrs_begin(&attrs, construction, op);
  const resizing state = {attr_bool(&attrs, "align_corners"),
                          attr_bool(&attrs, "half_pixel_centers")};
  if (choose && state.align_corners && state.half_pixel_centers)
    attrs_fail(&attrs, TF_INVALID_ARGUMENT,
               "half_pixel_centers and align_corners must not both be true");
  return attrs_end(&attrs, &state, sizeof state);
}

static void* create_bilinear(TF_OpKernelConstruction* construction) {
  return create(construction, "ResizeBilinear", true);
}
static void* create_bicubic(TF_OpKernelConstruction* construction) {
  return create(construction, "ResizeBicubic", true);
}
static void* create_bilinear_grad(TF_OpKernelConstruction* construction) {
  return create(construction, "ResizeBilinearGrad", true);
}
static void* create_nearest(TF_OpKernelConstruction* construction) {
  return create(construction, "ResizeNearestNeighbor", true);
}
static void* create_nearest_grad(TF_OpKernelConstruction* construction) {
  return create(construction, "ResizeNearestNeighborGrad", false);
}

// The input `size`: two positive numbers.
static bool read_size(run* run, int index, int64_t* out) {
  array size;
  if (!run_input(run, index, &size) || !check_dims(run, "size", &size, 1, (const int64_t[]){2}))
    return false;
  for (int i = 0; i < 2; ++i) {
    out[i] = index_at(&size, i);
    if (out[i] > 0) continue;
    run_fail(run, TF_INVALID_ARGUMENT, "size[%d] is %lld, and must be positive", i,
             (long long)out[i]);
    return false;
  }
  return true;
}

static bool check_sizes(run* run, const char* name, const array* images) {
  for (int i = 1; i < 3; ++i) {
    if (images->dims[i] > 0 && images->dims[i] <= INT32_MAX) continue;
    run_fail(run, TF_INVALID_ARGUMENT, "dimension %d of %s is %lld, and must be in [1, 2^31)", i,
             name, (long long)images->dims[i]);
    return false;
  }
  return true;
}

static bool make_output(run* run, const int64_t* dims, array* output) {
  int64_t count;
  if (!count_elements(4, dims, &count)) {
    run_fail(run, TF_INVALID_ARGUMENT, "the output would have too many elements");
    return false;
  }
  return run_output(run, 0, 4, dims, output);
}

static tn_cpu_resizing describe(const resizing* state, const int64_t* in, const int64_t* out) {
  return (tn_cpu_resizing){
      in[0], in[1], in[2], in[3], out[1], out[2], state->align_corners, state->half_pixel_centers};
}

// Images in, images of another size out.
static bool prepare(run* run, array* images, array* output) {
  int64_t size[2];
  if (!run_input(run, 0, images) || !check_rank(run, "images", images, 4) ||
      !read_size(run, 1, size) || !check_sizes(run, "images", images))
    return false;
  if (images->dims[3] == 0) {
    run_fail(run, TF_INVALID_ARGUMENT, "images have no channels");
    return false;
  }
  const int64_t dims[] = {images->dims[0], size[0], size[1], images->dims[3]};
  return make_output(run, dims, output);
}

static void bilinear(void* state, TF_OpKernelContext* context) {
  run run;
  array images, output;
  run_begin(&run, context, "ResizeBilinear");
  run_may_stop(&run);
  if (prepare(&run, &images, &output)) {
    const tn_cpu_resizing r = describe(state, images.dims, output.dims);
    tn_cpu_resize_bilinear(images.dtype, &r, images.data, output.data, run.parallel);
  }
  run_end(&run);
}

static void bicubic(void* state, TF_OpKernelContext* context) {
  run run;
  array images, output;
  run_begin(&run, context, "ResizeBicubic");
  run_may_stop(&run);
  if (prepare(&run, &images, &output)) {
    const tn_cpu_resizing r = describe(state, images.dims, output.dims);
    tn_cpu_resize_bicubic(images.dtype, &r, images.data, output.data, run.parallel);
  }
  run_end(&run);
}

static void nearest(void* state, TF_OpKernelContext* context) {
  run run;
  array images, output;
  run_begin(&run, context, "ResizeNearestNeighbor");
  run_may_stop(&run);
  if (prepare(&run, &images, &output)) {
    const tn_cpu_resizing r = describe(state, images.dims, output.dims);
    tn_cpu_resize_nearest(tn_cpu_size(images.dtype), &r, images.data, output.data, run.parallel);
  }
  run_end(&run);
}

// The op's shape function takes the image's, a loop over the gradient its own.
static bool check_same_images(run* run, const array* grad, const array* image) {
  if (grad->dims[0] == image->dims[0] && grad->dims[3] == image->dims[3]) return true;
  run_fail(
      run, TF_INVALID_ARGUMENT,
      "grads has %lld images of %lld channels, original_image %lld of %lld; they must be alike",
      (long long)grad->dims[0], (long long)grad->dims[3], (long long)image->dims[0],
      (long long)image->dims[3]);
  return false;
}

static void bilinear_grad(void* state, TF_OpKernelContext* context) {
  run run;
  array grad, image, output;
  run_begin(&run, context, "ResizeBilinearGrad");
  run_may_stop(&run);
  if (run_input(&run, 0, &grad) && run_input(&run, 1, &image) &&
      check_rank(&run, "grads", &grad, 4) && check_rank(&run, "original_image", &image, 4) &&
      check_sizes(&run, "grads", &grad) && check_sizes(&run, "original_image", &image) &&
      check_same_images(&run, &grad, &image)) {
    const int64_t dims[] = {grad.dims[0], image.dims[1], image.dims[2], grad.dims[3]};
    const tn_cpu_resizing r = describe(state, dims, grad.dims);
    if (make_output(&run, dims, &output) && output.count > 0) {
      void* workspace = run_scratch(&run, tn_cpu_resize_bilinear_grad_workspace(output.dtype, &r));
      if (workspace)
        tn_cpu_resize_bilinear_grad(output.dtype, &r, grad.data, output.data, workspace,
                                    run.parallel);
    }
  }
  run_end(&run);
}

static void nearest_grad(void* state, TF_OpKernelContext* context) {
  run run;
  array grad, output;
  int64_t size[2];
  run_begin(&run, context, "ResizeNearestNeighborGrad");
  run_may_stop(&run);
  if (run_input(&run, 0, &grad) && check_rank(&run, "grads", &grad, 4) &&
      read_size(&run, 1, size)) {
    const int64_t dims[] = {grad.dims[0], size[0], size[1], grad.dims[3]};
    if (make_output(&run, dims, &output) && output.count > 0) {
      const tn_cpu_resizing r = describe(state, dims, grad.dims);
      tn_cpu_resize_nearest_grad(grad.dtype, &r, grad.data, output.data, run.parallel);
    }
  }
  run_end(&run);
}

void register_resize(void) {
  const kernel kernels[] = {
      {.op = "ResizeBilinear",
       .create = create_bilinear,
       .compute = bilinear,
       .destroy = free,
       .constraints = {{"T", TN_CPU_REALS}},
       .host_args = {"size"}},
      {.op = "ResizeBicubic",
       .create = create_bicubic,
       .compute = bicubic,
       .destroy = free,
       .constraints = {{"T", TN_CPU_REALS}},
       .host_args = {"size"}},
      {.op = "ResizeBilinearGrad",
       .create = create_bilinear_grad,
       .compute = bilinear_grad,
       .destroy = free,
       .constraints = {{"T", TN_CPU_FLOATS}}},
      {.op = "ResizeNearestNeighbor",
       .create = create_nearest,
       .compute = nearest,
       .destroy = free,
       .constraints = {{"T", TN_CPU_REALS}},
       .host_args = {"size"}},
      {.op = "ResizeNearestNeighborGrad",
       .create = create_nearest_grad,
       .compute = nearest_grad,
       .destroy = free,
       .constraints = {{"T", TN_CPU_REALS}},
       .host_args = {"size"}},
  };
  register_kernels(kernels, sizeof kernels / sizeof kernels[0]);
}
