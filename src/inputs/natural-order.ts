const RUNS = /\d+|\D+/g

/** Orders names as people do: `part-9` before `part-10`. The same on every machine; total, so sorts are stable. */
export function naturalOrder(a: string, b: string): number {
  const left = a.match(RUNS) ?? []
  const right = b.match(RUNS) ?? []
  for (let i = 0; i < left.length && i < right.length; i++) {
    const order = compareRuns(left[i]!, right[i]!)
    if (order !== 0) return order
  }
  return left.length - right.length || compareText(a, b)
}

function compareRuns(a: string, b: string): number {
  if (!isDigits(a) || !isDigits(b)) return compareText(a, b)
  // By length without leading zeros, then by digits: they may be more than a JavaScript number holds.
  const [x, y] = [a.replace(/^0+(?=\d)/, ''), b.replace(/^0+(?=\d)/, '')]
  return x.length - y.length || compareText(x, y)
}

function isDigits(run: string): boolean {
  return run >= '0' && run < ':'
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
