import type { Kind, Problem } from '../audit/problem-kinds.ts'
import type { Check } from './check-data.ts'
import { DATA_WORDS } from './problems/of-data.ts'
import { SENDING_WORDS } from './problems/of-sending.ts'
import { SERVICE_WORDS } from './problems/of-service.ts'
import { STORAGE_WORDS } from './problems/of-storage.ts'
import type { Words, WordTable } from './problems/wording.ts'
import { visible } from './visible.ts'

/** So many names are shown; JSON has them all. */
const SHOWN = 6

const WORDS: WordTable<Kind> = { ...SENDING_WORDS, ...DATA_WORDS, ...SERVICE_WORDS, ...STORAGE_WORDS }

/** Says a problem to a person. */
export function wordsOf({ kind, count, names = [] }: Problem, check: Check): Words {
  return WORDS[kind]({ check, fit: check.groups.fit, some: listed(names), names, count })
}

/** The first of the names. */
export function listed(names: readonly string[]): string {
  return names.slice(0, SHOWN).map(visible).join(', ') + (names.length > SHOWN ? ', …' : '')
}
