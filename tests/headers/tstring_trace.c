// Does the same seeded random operations with whichever ctstring.h it was compiled against, and
// prints what every string looks like after each. Two builds must print the same.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include "tensorflow/core/platform/ctstring.h"

enum { SLOTS = 6, TEXT = 200 };

// An OFFSET string finds its text behind itself.
static struct {
  TF_TString str;
  char text[TEXT];
} slots[SLOTS];
static char source[TEXT];
static int references;
static uint64_t state;

static void owner_ref(TStringOwnerCApi* self) {
  (void)self;
  ++references;
}

static bool owner_unref(TStringOwnerCApi* self) {
  (void)self;
  return --references == 0;
}

static TStringOwnerCApi owner = {owner_ref, owner_unref, NULL};

static size_t below(size_t limit) {
  state = state * 6364136223846793005u + 1442695040888963407u;
  return (size_t)(state >> 33) % limit;
}

static void make_offset(TF_TString* str, const char* text, size_t size) {
  TF_TString_Dealloc(str);
  TF_TString_Init(str);
  str->u.offset.size = (uint32_t)(size << 2) | TF_TSTR_OFFSET;
  str->u.offset.offset = (uint32_t)(text - (const char*)str);
  str->u.offset.count = 1;
}

static void show(int operation, int i) {
  const TF_TString* str = &slots[i].str;
  const char* text = TF_TString_GetDataPointer(str);
  const size_t size = TF_TString_GetSize(str);
  printf("%d %d: type %d size %zu capacity %zu references %d ", operation, i,
         (int)TF_TString_GetType(str), size, TF_TString_GetCapacity(str), references);
  if (TF_TString_GetType(str) == TF_TSTR_VIEW) printf("owner %d ", str->u.view.owner_ref != NULL);
  fwrite(text, 1, size, stdout);
  putchar('\n');
}

int main(int argc, char** argv) {
  state = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
  for (int i = 0; i < TEXT; ++i) source[i] = (char)('a' + i % 26);
  for (int i = 0; i < SLOTS; ++i) {
    memcpy(slots[i].text, source, TEXT);
    TF_TString_Init(&slots[i].str);
  }
  for (int step = 0; step < 20000; ++step) {
    const int operation = (int)below(13), i = (int)below(SLOTS), j = (int)below(SLOTS);
    // Sizes around the 22 characters of a SMALL string are the interesting ones.
    const size_t size = below(2) ? below(26) : below(TEXT / 2), at = below(TEXT / 2);
    TF_TString *str = &slots[i].str, *other = &slots[j].str;
    switch (operation) {
      case 0: TF_TString_Copy(str, source + at, size); break;
      case 1: TF_TString_AssignView(str, source + at, size); break;
      case 2: TF_TString_AssignViewWithOwner(str, source + at, size, &owner); break;
      case 3: make_offset(str, slots[i].text + at, size); break;
      case 4: TF_TString_Assign(str, other); break;
      case 5: TF_TString_Move(str, other); break;
      case 6: TF_TString_Resize(str, size, '.'); break;
      case 7: TF_TString_Reserve(str, size); break;
      case 8: TF_TString_ReserveAmortized(str, size); break;
      case 9: TF_TString_AppendN(str, source + at, size % 30); break;
      case 10:
        if (i != j && TF_TString_GetSize(str) < 2000) TF_TString_Append(str, other);
        break;
      case 11: {
        char* text = TF_TString_GetMutableDataPointer(str);
        if (TF_TString_GetSize(str)) text[0] = '#';
        break;
      }
      default: TF_TString_Dealloc(str); break;
    }
    show(operation, i);
    if (operation == 5) show(operation, j);
  }
  for (int i = 0; i < SLOTS; ++i) TF_TString_Dealloc(&slots[i].str);
  printf("references left %d\n", references);
  return 0;
}
