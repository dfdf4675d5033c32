// Boxes of images, each resized.
#ifndef TENON_CPU_CROP_H_
#define TENON_CPU_CROP_H_

#include <stdbool.h>

#include "cpu/cpu.h"

// Box i, at boxes[4 * i] = {top, left, bottom, right} in units of the image's size less one, of
// image owners[i], becomes crop i of [crop_rows, crop_columns, channels]. What lies outside of the
// image is `outside`; boxes may be turned round.
typedef struct tn_cpu_crop {
  int64_t rows, columns, channels;  // of an image
  int64_t boxes, crop_rows, crop_columns;
  const float* corners;
  const int32_t* owners;
  bool nearest;
  float outside;
} tn_cpu_crop;

// From TN_CPU_REALS to float.
void tn_cpu_crop_and_resize(tn_dtype dtype, const tn_cpu_crop* crop, const void* images, float* out,
                            const tn_cpu_parallel* parallel);

#endif  // TENON_CPU_CROP_H_
