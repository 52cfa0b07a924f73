/** Results that are kept: the data mostly has few texts, but may have any number. */
const KEPT = 10_000
/** Longest text that is remembered by default, in characters: longer ones rarely come again. */
const LONGEST = 200

/** Makes a pure function of a text remember its results; of texts longer than `longest` it does not. */
export function memoize<Result>(
  compute: (text: string) => Result,
  longest = LONGEST,
): (text: string) => Result {
  const known = new Map<string, Result>()
  return (text) => {
    if (text.length > longest) return compute(text)
    let result = known.get(text)
    if (result === undefined) {
      result = compute(text)
      if (known.size >= KEPT) known.clear()
      known.set(text, result)
    }
    return result
  }
}
