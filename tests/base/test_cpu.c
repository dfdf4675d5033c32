#include <sched.h>
#include <sys/stat.h>

#include "base/cpu_count.h"
#include "base/cpu_features.h"
#include "base/file.h"
#include "base/log.h"
#include "base/text.h"
#include "harness.h"

// Puts a file into the folder that stands for "/".
static void put(const char* path, const char* text) {
  char whole[512];
  snprintf(whole, sizeof whole, "%s/%s", test_folder(), path);
  for (char* slash = whole + strlen(test_folder()) + 1; (slash = strchr(slash, '/')); ++slash) {
    *slash = 0;
    mkdir(whole, 0700);
    *slash = '/';
  }
  CHECK(tn_file_write(whole, tn_view_of(text), NULL));
}

static int percent(void) { return (int)(tn_cpu_quota(test_folder()) * 100 + 0.5); }

TEST(test_without_cgroups_there_is_no_quota) { CHECK_INT(percent(), 0); }

TEST(test_a_quota_of_cgroups_2_is_found) {
  put("proc/self/cgroup", "0::/app/worker\n");
  put("sys/fs/cgroup/app/worker/cpu.max", "max 100000\n");
  CHECK_INT(percent(), 0);
  put("sys/fs/cgroup/app/worker/cpu.max", "150000 100000\n");
  CHECK_INT(percent(), 150);
  put("sys/fs/cgroup/app/cpu.max", "50000 100000\n");
  CHECK_INT(percent(), 50);
  put("sys/fs/cgroup/app/cpu.max", "900000 100000\n");
  CHECK_INT(percent(), 150);
}

TEST(test_a_quota_at_the_top_counts_when_the_path_is_from_outside_the_container) {
  put("proc/self/cgroup", "0::/../../kubepods/pod7/abc\n");
  put("sys/fs/cgroup/cpu.max", "300000 100000\n");
  CHECK_INT(percent(), 300);
}

TEST(test_a_quota_of_cgroups_1_is_found) {
  put("proc/self/cgroup", "9:memory:/m\n4:cpuacct,cpu:/box\n0::/\n");
  put("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "-1\n");
  put("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_period_us", "100000\n");
  CHECK_INT(percent(), 0);
  put("sys/fs/cgroup/cpu,cpuacct/box/cpu.cfs_quota_us", "25000\n");
  CHECK_INT(percent(), 25);
  put("proc/self/cgroup", "4:cpuacct:/box\n");
  CHECK_INT(percent(), 0);
}

TEST(test_damaged_cgroup_files_mean_no_quota) {
  put("proc/self/cgroup", "0::/a\n\nnonsense\n3:cpu\n5:cpu:relative\n");
  put("sys/fs/cgroup/a/cpu.max", "");
  CHECK_INT(percent(), 0);
  put("sys/fs/cgroup/a/cpu.max", "12 0\n");
  CHECK_INT(percent(), 0);
  put("sys/fs/cgroup/a/cpu.max", "-5 x\n");
  CHECK_INT(percent(), 0);
}

TEST(test_a_process_bound_to_one_cpu_counts_one) {
  CHECK(tn_cpu_count() >= 1);
  cpu_set_t all, one;
  CHECK_INT(sched_getaffinity(0, sizeof all, &all), 0);
  CHECK(tn_cpu_count() <= CPU_COUNT(&all));
  CPU_ZERO(&one);
  for (int i = 0; i < CPU_SETSIZE && !CPU_COUNT(&one); ++i)
    if (CPU_ISSET(i, &all)) CPU_SET(i, &one);
  CHECK_INT(sched_setaffinity(0, sizeof one, &one), 0);
  CHECK_INT(tn_cpu_count(), 1);
}

TEST(test_features_agree_with_what_the_system_lists) {
  FILE* file = fopen("/proc/cpuinfo", "r");
  static char line[1 << 16];
  while (file && fgets(line, sizeof line, file))
    if (strncmp(line, "flags", 5) == 0 || strncmp(line, "Features", 8) == 0) break;
  if (!file || feof(file)) test_skip("no list of features in /proc/cpuinfo");
  fclose(file);
  line[strcspn(line, "\n")] = ' ';
  const tn_cpu_features* features = tn_cpu_features_get();
#if defined(__x86_64__)
#define AGREES(field, flag) CHECK_INT(features->field, strstr(line, " " flag " ") != NULL)
  AGREES(sse42, "sse4_2");
  AGREES(avx, "avx");
  AGREES(avx2, "avx2");
  AGREES(fma, "fma");
  AGREES(f16c, "f16c");
  AGREES(bmi2, "bmi2");
  AGREES(avx512f, "avx512f");
  AGREES(avx512dq, "avx512dq");
  AGREES(avx512bw, "avx512bw");
  AGREES(avx512vl, "avx512vl");
  AGREES(avx512_vnni, "avx512_vnni");
  AGREES(avx512_bf16, "avx512_bf16");
  AGREES(avx512_fp16, "avx512_fp16");
  AGREES(avx_vnni, "avx_vnni");
  AGREES(amx_tile, "amx_tile");
  AGREES(amx_int8, "amx_int8");
  AGREES(amx_bf16, "amx_bf16");
#elif defined(__aarch64__)
  CHECK(features->neon);
#else
  test_skip("no features are known for this machine");
#endif
}

TEST(test_a_feature_goes_with_the_one_it_needs) {
  tn_cpu_features all;
  memset(&all, 1, sizeof all);
  tn_cpu_features fewer = tn_cpu_features_without(all, "avx2, bf16");
  CHECK(fewer.sse42 && fewer.avx && fewer.fma && fewer.sve2);
  CHECK(!fewer.avx2 && !fewer.avx512f && !fewer.avx512_fp16 && !fewer.amx_bf16 && !fewer.bf16);
}

TEST(test_an_unknown_feature_changes_nothing) {
  tn_log_set_level(TN_LOG_OFF);
  tn_cpu_features all;
  memset(&all, 1, sizeof all);
  tn_cpu_features same = tn_cpu_features_without(all, ",quantum,,");
  CHECK(memcmp(&same, &all, sizeof all) == 0);
}

TEST(test_the_environment_takes_features_away) {
  setenv("TENON_CPU_OFF", "sse42,neon", 1);
  tn_text text = {0};
  tn_cpu_features_describe(tn_cpu_features_get(), &text);
  CHECK_INT(text.size, 0);
  tn_text_deinit(&text);
}

TEST(test_features_are_described_by_name) {
  tn_cpu_features some = {.avx = true, .avx512_vnni = true};
  tn_text text = {0};
  tn_cpu_features_describe(&some, &text);
  CHECK_TEXT(text.data, "avx avx512_vnni");
  tn_text_deinit(&text);
}
