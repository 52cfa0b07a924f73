import type { EventFate, Outcome, PropertyFate } from '../../../studio/studio-data.ts'

type Fate = EventFate | PropertyFate | Outcome

const LOOKS: Readonly<Record<Fate, readonly [colour: 'good' | 'warn' | 'bad' | 'plain', words: string]>> = {
  mapped: ['good', 'mapped'],
  unmapped: ['warn', 'not mapped'],
  dropped: ['plain', 'dropped'],
  rejected: ['bad', 'rejected'],
  event: ['good', 'event'],
  filtered: ['plain', 'left out'],
  kept: ['good', 'kept'],
  renamed: ['good', 'renamed'],
  person: ['good', 'person'],
  used: ['good', 'used'],
  changed: ['warn', 'changed'],
  'left out': ['plain', 'left out'],
  'not sent': ['bad', 'not sent'],
}

/** What becomes of something, in a word and a colour. */
export function FateChip({ fate }: { fate: Fate }) {
  const [colour, words] = LOOKS[fate]
  return <span class={`chip ${colour}`}>{words}</span>
}

export function fateWords(fate: Fate): string {
  return LOOKS[fate][1]
}
