#include "base/suggest.h"

#include <ctype.h>

enum {
  longest = 96,   // longer names are not compared
  edit_cost = 8,  // a wrong, missing, surplus or swapped letter
  case_cost = 1,
};

static int letter_cost(char a, char b) {
  if (a == b) return 0;
  return tolower((unsigned char)a) == tolower((unsigned char)b) ? case_cost : edit_cost;
}

static int smaller(int a, int b) { return a < b ? a : b; }

// Edit distance with swaps of neighbours (optimal string alignment), three rows at a time.
static int distance(tn_view a, tn_view b) {
  int rows[3][longest + 1];
  int *before = rows[0], *last = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b.size; ++j) last[j] = (int)j * edit_cost;
  for (size_t i = 1; i <= a.size; ++i) {
    row[0] = (int)i * edit_cost;
    for (size_t j = 1; j <= b.size; ++j) {
      int cost = smaller(last[j], row[j - 1]) + edit_cost;
      cost = smaller(cost, last[j - 1] + letter_cost(a.data[i - 1], b.data[j - 1]));
      if (i > 1 && j > 1 && letter_cost(a.data[i - 1], b.data[j - 2]) < edit_cost &&
          letter_cost(a.data[i - 2], b.data[j - 1]) < edit_cost)
        cost = smaller(cost, before[j - 2] + edit_cost);
      row[j] = cost;
    }
    int* freed = before;
    before = last;
    last = row;
    row = freed;
  }
  return last[b.size];
}

void tn_suggest_offer(tn_suggestion* suggestion, tn_view candidate) {
  tn_view wanted = suggestion->wanted;
  if (!wanted.size || !candidate.size || wanted.size > longest || candidate.size > longest) return;
  size_t larger = wanted.size > candidate.size ? wanted.size : candidate.size;
  int edits = (int)larger / 3;
  // Other case throughout is near even for the shortest names.
  int limit = edits * edit_cost + (int)larger * case_cost;
  if (limit >= (edits + 1) * edit_cost) limit = (edits + 1) * edit_cost - 1;
  int found = distance(wanted, candidate);
  if (found > limit || (suggestion->best.size && found >= suggestion->distance)) return;
  suggestion->best = candidate;
  suggestion->distance = found;
}

const char* tn_suggest(const char* wanted, const char* const* names, size_t count) {
  tn_suggestion suggestion = {.wanted = tn_view_of(wanted)};
  for (size_t i = 0; i < count; ++i) tn_suggest_offer(&suggestion, tn_view_of(names[i]));
  return suggestion.best.size ? suggestion.best.data : NULL;
}
