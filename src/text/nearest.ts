/** The candidate that a user most likely meant; undefined if each differs in more than a third of its letters. */
export function nearest(word: string, candidates: Iterable<string>): string | undefined {
  const typed = word.toLowerCase()
  let best: string | undefined
  let least = Number.POSITIVE_INFINITY
  for (const candidate of candidates) {
    const edits = distance(typed, candidate.toLowerCase())
    if (edits < least && edits <= Math.max(1, Math.floor(candidate.length / 3))) {
      least = edits
      best = candidate
    }
  }
  return best
}

function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, i) => i)
  for (let i = 1; i <= a.length; i++) {
    const row = [i]
    for (let j = 1; j <= b.length; j++) {
      const swap = previous[j - 1]! + (a[i - 1] === b[j - 1] ? 0 : 1)
      row.push(Math.min(swap, previous[j]! + 1, row[j - 1]! + 1))
    }
    previous = row
  }
  return previous[b.length]!
}
