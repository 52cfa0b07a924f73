import { countOne, type Notes } from '../record/notes.ts'
import { KIND, type Kind, type Tape } from '../record/tape.ts'

const WORDS: Readonly<Record<Kind, string>> = {
  [KIND.string]: 'text',
  [KIND.number]: 'a number',
  [KIND.object]: 'an object',
  [KIND.array]: 'an array',
  [KIND.true]: 'a boolean',
  [KIND.false]: 'a boolean',
  [KIND.null]: 'null',
}

/**
 * Counts a value of a kind that its rule can't use. `label` names the rule and the member. Null, '' and [] say nothing,
 * and are not counted: some libraries write an empty object as [].
 */
export function noteUnusable(
  { unusable }: Pick<Notes, 'unusable'>,
  label: string,
  tape: Tape,
  at: number,
): void {
  const kind = tape.kind(at)
  const isBare = (kind === KIND.string || kind === KIND.array) && tape.end(at) - tape.start(at) === 2
  if (kind !== KIND.null && !isBare) countOne(unusable, `${label} is ${WORDS[kind]}`)
}
