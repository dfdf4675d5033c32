// Types as text, in one spelling whoever told them: a compiler's library, debug information of
// either compiler, or a table.
#ifndef TENON_ABI_TYPE_TEXT_H_
#define TENON_ABI_TYPE_TEXT_H_

#include <stdbool.h>

#include "base/text.h"

// Appends `type` in the one spelling: "long unsigned int" as "unsigned long", "struct Ctx*" as
// "Ctx *", "_Bool" as "bool", "int (void)" as "int ()", and without the place of a type that has no
// name.
void tn_abi_type_spell(tn_text* out, const char* type);

// True when both are one spelling of one type. Typedefs are not looked into.
bool tn_abi_type_same(const char* a, const char* b);

#endif  // TENON_ABI_TYPE_TEXT_H_
