// Stretches of a clip, in seconds: sorted [from, to] pairs that do not touch.

// Two stretches this close belong together: players report positions with gaps of a frame.
const JOIN = 0.05;

export function withStretch(ranges, from, to) {
  const joined = [];
  let [low, high] = [from, to];
  for (const [start, end] of ranges) {
    if (end < low - JOIN || start > high + JOIN) joined.push([start, end]);
    else [low, high] = [Math.min(low, start), Math.max(high, end)];
  }
  return [...joined, [low, high]].sort((a, b) => a[0] - b[0]);
}

export function share(ranges, length) {
  if (!(length > 0)) return 0;
  const played = ranges.reduce((sum, [from, to]) => sum + Math.min(to, length) - Math.min(from, length), 0);
  return Math.min(played / length, 1);
}

export function gaps(ranges, length) {
  const missing = [];
  let from = 0;
  for (const [start, end] of ranges) {
    if (start - from > JOIN) missing.push([from, start]);
    from = end;
  }
  if (length - from > JOIN) missing.push([from, length]);
  return missing;
}
