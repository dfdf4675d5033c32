// Items that carry a key and, below it, the place it came from: no two are equal, and their order
// is that of the keys, then of the places. Included once per size of key, with
//   NAME(x)    x_32 or x_64
//   ITEM, KEY  their types; KEY_BITS; PLACE_BITS, of which the key lies above
//   ANY_BELOW  the loop for that key

static void NAME(insertion_sort)(ITEM* items, int64_t count) {
  for (int64_t i = 1; i < count; ++i) {
    const ITEM item = items[i];
    int64_t j = i;
    for (; j > 0 && items[j - 1] > item; --j) items[j] = items[j - 1];
    items[j] = item;
  }
}

// Parts [low, high) at the median of three: returns how many are below the pivot, which comes next.
static int64_t NAME(part)(ITEM* items, int64_t count) {
  ITEM a = items[count / 4], b = items[count / 2], c = items[count - 1 - count / 4];
  const ITEM pivot = a < b ? (b < c ? b : a < c ? c : a) : (a < c ? a : b < c ? c : b);
  int64_t low = 0, high = count - 1;
  for (;;) {
    while (items[low] < pivot) ++low;
    while (pivot < items[high]) --high;
    if (low >= high) return low;
    const ITEM swapped = items[low];
    items[low] = items[high];
    items[high] = swapped;
  }
}

// Heapsort: for the parts that were cut badly too often.
static void NAME(heap_sort)(ITEM* items, int64_t count) {
  for (int64_t start = count / 2, end = count; end > 1;) {
    if (start > 0) {
      --start;
    } else {
      const ITEM last = items[--end];
      items[end] = items[0];
      items[0] = last;
    }
    const ITEM item = items[start];
    int64_t hole = start;
    for (int64_t child; (child = 2 * hole + 1) < end; hole = child) {
      if (child + 1 < end && items[child] < items[child + 1]) ++child;
      if (items[child] <= item) break;
      items[hole] = items[child];
    }
    items[hole] = item;
  }
}

// Depth of recursion is bounded: the smaller part is sorted first, the larger one in the loop.
static void NAME(quick_sort)(ITEM* items, int64_t count, int cuts) {
  while (count > 24) {
    if (cuts-- == 0) {
      NAME(heap_sort)(items, count);
      return;
    }
    const int64_t below = NAME(part)(items, count), above = count - below - 1;
    if (below < above) {
      NAME(quick_sort)(items, below, cuts);
      items += below + 1;
      count = above;
    } else {
      NAME(quick_sort)(items + below + 1, above, cuts);
      count = below;
    }
  }
  NAME(insertion_sort)(items, count);
}

// Brings the n least, and the n-th after them, to the front.
static void NAME(select)(ITEM* items, int64_t count, int64_t n) {
  for (int cuts = CUTS; count > 24; --cuts) {
    if (cuts == 0) {
      NAME(heap_sort)(items, count);
      return;
    }
    const int64_t below = NAME(part)(items, count);
    if (n == below) return;
    if (n < below) {
      count = below;
    } else {
      items += below + 1;
      n -= below + 1;
      count -= below + 1;
    }
  }
  NAME(insertion_sort)(items, count);
}

// Items in the order of their places become ordered by keys: a digit at a time, from the lowest.
// Returns where they are then, `items` or `other`.
static ITEM* NAME(radix_sort)(ITEM* items, ITEM* other, int64_t count) {
  for (int shift = PLACE_BITS; shift < PLACE_BITS + KEY_BITS; shift += DIGIT) {
    uint32_t starts[1 << DIGIT] = {0};
    for (int64_t i = 0; i < count; ++i) ++starts[(size_t)(items[i] >> shift) & DIGIT_MASK];
    if (starts[(size_t)(items[0] >> shift) & DIGIT_MASK] == count) continue;  // all the same
    uint32_t start = 0;
    for (int i = 0; i < 1 << DIGIT; ++i) {
      const uint32_t size = starts[i];
      starts[i] = start;
      start += size;
    }
    for (int64_t i = 0; i < count; ++i)
      other[starts[(size_t)(items[i] >> shift) & DIGIT_MASK]++] = items[i];
    ITEM* swapped = items;
    items = other;
    other = swapped;
  }
  return items;
}

static ITEM* NAME(all_sorted)(const sort_job* job, const char* row, ITEM* items) {
  KEY keys[TILE];
  for (int64_t at = 0; at < job->columns; at += TILE) {
    const int64_t count = min_of(TILE, job->columns - at);
    keys_of(job, row, at, count, keys);
    for (int64_t i = 0; i < count; ++i)
      items[at + i] = (ITEM)keys[i] << PLACE_BITS | (ITEM)(uint64_t)(at + i);
  }
  if (job->nth) {
    NAME(select)(items, job->columns, job->k - 1);
    return items;
  }
  if (job->columns >= RADIX) return NAME(radix_sort)(items, items + job->columns, job->columns);
  NAME(quick_sort)(items, job->columns, CUTS);
  return items;
}

// Collects what is better than the k-th best so far, and thins out when the memory is full.
static ITEM* NAME(best_sorted)(const sort_job* job, const char* row, ITEM* items) {
  KEY keys[TILE], limit = (KEY)-1;
  bool limited = false;
  int64_t held = 0;
  for (int64_t at = 0; at < job->columns; at += TILE) {
    const int64_t count = min_of(TILE, job->columns - at);
    keys_of(job, row, at, count, keys);
    if (limited && !job->loops->ANY_BELOW(keys, count, limit)) continue;
    for (int64_t i = 0; i < count; ++i) {
      if (limited && keys[i] >= limit) continue;
      items[held++] = (ITEM)keys[i] << PLACE_BITS | (ITEM)(uint64_t)(at + i);
      if (held < job->capacity) continue;
      NAME(select)(items, held, job->k - 1);
      held = job->k;
      limit = (KEY)(items[job->k - 1] >> PLACE_BITS);
      limited = true;
    }
  }
  if (held > job->k) NAME(select)(items, held, job->k - 1);
  NAME(quick_sort)(items, job->k, CUTS);
  return items;
}

// A few: they are kept in order all the time.
static ITEM* NAME(few_sorted)(const sort_job* job, const char* row, ITEM* items) {
  KEY keys[TILE], limit = (KEY)-1;
  int64_t held = 0;
  for (int64_t at = 0; at < job->columns; at += TILE) {
    const int64_t count = min_of(TILE, job->columns - at);
    keys_of(job, row, at, count, keys);
    for (int64_t i = 0; i < count; ++i) {
      if (i % BLOCK == 0 && held == job->k &&
          !job->loops->ANY_BELOW(keys + i, min_of(BLOCK, count - i), limit)) {
        i += BLOCK - 1;
        continue;
      }
      if (held == job->k && keys[i] >= limit) continue;
      const ITEM item = (ITEM)keys[i] << PLACE_BITS | (ITEM)(uint64_t)(at + i);
      int64_t j = held < job->k ? held++ : job->k - 1;
      for (; j > 0 && items[j - 1] > item; --j) items[j] = items[j - 1];
      items[j] = item;
      limit = (KEY)(items[held - 1] >> PLACE_BITS);
    }
  }
  return items;
}

static void NAME(sort_rows)(const sort_job* job, int64_t begin, int64_t end, void* memory) {
  ITEM* (*const sort)(const sort_job*, const char*, ITEM*) = job->whole      ? NAME(all_sorted)
                                                             : job->k <= FEW ? NAME(few_sorted)
                                                                             : NAME(best_sorted);
  for (int64_t i = begin; i < end; ++i) {
    const char* row = job->in + i * job->columns * job->size;
    ITEM* items = sort(job, row, memory);
    for (int64_t j = job->nth ? job->k - 1 : 0; j < job->k; ++j)
      put(job, row, job->nth ? i : i * job->k + j, (int64_t)(uint32_t)items[j]);
  }
}
