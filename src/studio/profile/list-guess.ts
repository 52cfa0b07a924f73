/** Signs between the elements of lists. A comma is in prose and names too, so there elements have to come again. */
const SIGNS = [';', '|', ','] as const
const MOST_LETTERS = 40
/** Least share of the cells that are of several elements, or of their elements that occur elsewhere too. */
const HALF = 0.5

/** What is asked about text that could be lists; undefined for text that is none. */
export function listQuestion(texts: readonly string[]): string | undefined {
  for (const sign of SIGNS) {
    const several = texts.filter((text) => text.includes(sign))
    if (several.length === 0) continue
    const separator = separatorOf(several, sign)
    if (!areLists(texts, several, sign, separator)) continue
    const [example = ''] = several
    const count = example.split(separator).length
    return `${JSON.stringify(example)} can be text, or a list of ${count}: is it a list? { type: list, separator: '${separator}' } makes lists of them`
  }
  return undefined
}

/** The sign with the blanks that are around it in all cells. */
function separatorOf(several: readonly string[], sign: string): string {
  const parts = several.map((text) => text.split(sign))
  const isBlankAfter = parts.every(([, ...rest]) => rest.every((part) => part.startsWith(' ')))
  const isBlankBefore = parts.every((all) => all.slice(0, -1).every((part) => part.endsWith(' ')))
  return `${isBlankBefore ? ' ' : ''}${sign}${isBlankAfter ? ' ' : ''}`
}

function areLists(
  texts: readonly string[],
  several: readonly string[],
  sign: string,
  separator: string,
): boolean {
  const lists = several.map((text) => text.split(separator))
  if (lists.flat().some((element) => element.trim() === '' || element.length > MOST_LETTERS)) return false
  if (sign !== ',' && several.length >= texts.length * HALF) return true
  const counts = new Map<string, number>()
  for (const element of texts.flatMap((text) => text.split(separator)))
    counts.set(element, (counts.get(element) ?? 0) + 1)
  const all = lists.flat()
  return all.filter((element) => counts.get(element)! > 1).length >= all.length * HALF
}
