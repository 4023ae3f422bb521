/**
 * Index of the last item whose start is at or before `at`, by binary search; -1 when `at` lies before all of them.
 * `starts` must rise.
 */
export function lastAtOrBefore<T>(items: readonly T[], at: number, startOf: (item: T) => number): number {
  let low = 0;
  let high = items.length - 1;
  let found = -1;
  while (low <= high) {
    const middle = (low + high) >> 1;
    if (startOf(items[middle] as T) <= at) {
      found = middle;
      low = middle + 1;
    } else high = middle - 1;
  }
  return found;
}
