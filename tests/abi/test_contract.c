// What hosts read: the seed's five versions, with and without validation.

#include "abi/contract.h"

#include "base/file.h"
#include "harness.h"

static const char* use(const char* host, const char* member) {
  tn_abi_contract contract = {.host = ""};
  tn_status* status = tn_status_create();
  CHECK(tn_abi_contract_get(host, &contract, status));
  const char* name = tn_member_use_name(tn_abi_contract_use(&contract, "SE_Device", member));
  tn_abi_contract_deinit(&contract);
  tn_status_destroy(status);
  return name;
}

TEST(a_host_of_the_seed_trusts_what_its_version_has_and_a_validating_one_does_without) {
  static const char* const members[] = {"name", "device_handle", "data", "data2"};
  static const int since[] = {1, 2, 3, 5};
  for (int version = 1; version <= 5; ++version)
    for (int i = 0; i < 4; ++i) {
      char plain[32], validating[32];
      snprintf(plain, sizeof plain, "seed==v%d", version);
      snprintf(validating, sizeof validating, "seed==v%d+validate", version);
      const bool read = version >= since[i] && (i != 2 || version == 3);
      CHECK_TEXT(use(plain, members[i]), read ? "trusted" : "ignored");
      CHECK_TEXT(use(validating, members[i]), read ? "optional" : "ignored");
    }
}

TEST(a_host_may_still_use_what_its_version_deprecates) {
  CHECK_TEXT(use("seed==v4+deprecated", "data"), "trusted");
  CHECK_TEXT(use("seed==v5+deprecated+validate", "data"), "optional");
  CHECK_TEXT(use("seed==v4+validate+deprecated", "data"), "optional");
  CHECK_TEXT(use("seed==v2+deprecated", "data"), "ignored");
}

// The contract of a file with these bytes; NULL status for a good one.
static tn_status* read_file(tn_view bytes, tn_abi_contract* out) {
  char path[512];
  snprintf(path, sizeof path, "%s/contract", test_folder());
  tn_status* status = tn_status_create();
  CHECK(tn_file_write(path, bytes, status));
  *out = (tn_abi_contract){.host = ""};
  tn_abi_contract_get(path, out, status);
  return status;
}

TEST(a_file_may_have_comments_and_blanks_anywhere) {
  tn_abi_contract contract;
  tn_status* status = read_file(
      tn_view_of("# all\n\n  A\tb   checked#x\r\n\t\nC d trusted # e\nA f optional"), &contract);
  CHECK_OK(status);
  CHECK_INT(tn_abi_contract_use(&contract, "A", "b"), TN_USE_CHECKED);
  CHECK_INT(tn_abi_contract_use(&contract, "C", "d"), TN_USE_TRUSTED);
  CHECK_INT(tn_abi_contract_use(&contract, "A", "f"), TN_USE_OPTIONAL);
  CHECK_INT(tn_abi_contract_use(&contract, "A", "d"), TN_USE_IGNORED);
  tn_abi_contract_deinit(&contract);
  tn_status_destroy(status);
}

TEST(a_bad_line_of_a_file_is_named) {
  static const char long_word[] = "A b checkedcheckedcheckedchecked";
  const tn_view files[] = {tn_view_of("\nA b\n"),          tn_view_of("#\nA b sometimes"),
                           tn_view_of("\nA b checked c"),  tn_view_of("\nA b# checked"),
                           {"\nA\0b checked checked", 20}, {"\n\0", 2}};
  tn_abi_contract contract;
  for (size_t i = 0; i < sizeof files / sizeof files[0]; ++i) {
    tn_status* status = read_file(files[i], &contract);
    CHECK_CONTAINS(tn_status_message(status), "contract:2: not of the form");
    CHECK_CODE(status, TN_INVALID_ARGUMENT);
    tn_abi_contract_deinit(&contract);
    tn_status_destroy(status);
  }
  tn_status* status = read_file(tn_view_of(long_word), &contract);
  CHECK_CODE(status, TN_INVALID_ARGUMENT);
  tn_abi_contract_deinit(&contract);
  tn_status_destroy(status);
}

TEST(hosts_nobody_knows_are_not_found) {
  static const char* const names[] = {
      "seed==v0",       "seed==v6",         "seed==v",
      "seed==v44",      "seed==v4+",        "seed==v4+validated",
      "seed==v4+trust", "seed==v4validate", "seed==v4+validate+validate"};
  for (size_t i = 0; i < sizeof names / sizeof names[0]; ++i) {
    tn_abi_contract contract = {.host = ""};
    tn_status* status = tn_status_create();
    CHECK(!tn_abi_contract_get(names[i], &contract, status));
    CHECK(strstr(tn_status_message(status), "seed==v1 to v5"));
    CHECK_CODE(status, TN_NOT_FOUND);
    tn_abi_contract_deinit(&contract);
    tn_status_destroy(status);
  }
}
