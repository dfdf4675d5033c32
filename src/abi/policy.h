// Judges differences: which class each is, whether the number moved as that demands, whether the
// changelog tells of it.
#ifndef TENON_ABI_POLICY_H_
#define TENON_ABI_POLICY_H_

#include "abi/compare.h"
#include "base/view.h"
#include "tenon/status.h"

typedef enum tn_abi_class {
  TN_ABI_NONE,
  TN_ABI_MINOR,
  TN_ABI_MAJOR,
  TN_ABI_ILLEGAL,  // no number makes it right
} tn_abi_class;
const char* tn_abi_class_name(tn_abi_class class);

// The rules of an interface: a class for every kind of difference, and which constants are its
// number.
typedef struct tn_abi_policy {
  char name[64];
  tn_abi_class classes[TN_ABI_DIFFERENCE_KINDS];
  char prefix[64];  // of its _MAJOR, _MINOR and _PATCH; "" finds whatever the header has
} tn_abi_policy;

// "pjrt" (seed 001: what is deleted, retyped or rearranged is major, the rest minor), "tf" (seed
// 000: members are never removed, moved, renamed or retyped), or a file of lines such as
// "field-renamed = major" and "version-prefix = MY_API", with "base = pjrt" first; # begins a
// comment.
bool tn_abi_policy_get(const char* name_or_file, tn_abi_policy* out, tn_status* status);

// What to do about a difference of this kind, in a sentence.
const char* tn_abi_advice(const tn_abi_policy* policy, tn_abi_difference_kind kind);

// The outcome. `note`s say in words what is wrong with number and changelog, "" when nothing is; a
// number that is right without having moved is told too.
typedef struct tn_abi_verdict {
  tn_abi_class class;  // the worst of all differences, illegal ones counted as major
  bool legal, bump_ok, changelog_ok;
  size_t illegal_count;  // differences that no number makes right
  char bump_note[256], changelog_note[256];
} tn_abi_verdict;

// Judges. `changelog` is the file's text, or has a NULL `data` when none was given.
void tn_abi_judge(const tn_abi_policy* policy, const tn_abi_model* before,
                  const tn_abi_model* after, const tn_abi_differences* differences,
                  tn_view changelog, tn_abi_verdict* out);

#endif  // TENON_ABI_POLICY_H_
