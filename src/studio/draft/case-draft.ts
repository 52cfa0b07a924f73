import type { Recognised } from '../../presets/recognise.ts'
import { otherCaseWords } from '../../transform/index.ts'
import type { DraftQuestion } from './draft-facts.ts'
import { comment } from './yaml-text.ts'

/** What is asked about records that a preset would know if it ignored case. */
export function caseDraft(
  otherCase: Recognised | undefined,
): { readonly lines: readonly string[]; readonly questions: readonly DraftQuestion[] } | undefined {
  if (!otherCase) return undefined
  const { why, remedy } = otherCaseWords(otherCase)
  const text = `${why} Are they? ${remedy} As they are, they become rows of your own`
  return { lines: [...comment(text, '', '# ? '), ''], questions: [{ about: '', text }] }
}
