/** Results that are kept: the texts that come from the data are few, mostly, but need not be. */
const KEPT = 10_000
/** Characters of a text that is worth it; longer ones would hold memory for nothing. */
const LONGEST = 200

/** A pure function of a text that remembers what it gave. */
export function memoize<Result>(compute: (text: string) => Result): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    if (text.length > LONGEST) return compute(text)
    let result = known.get(text)
    if (result === undefined) {
      result = compute(text)
      if (known.size >= KEPT) known.clear()
      known.set(text, result)
    }
    return result
  }
}
