import type { Check } from '../check-data.ts'
import type { Kind, Problem } from '../problem-kinds.ts'
import { DATA_WORDS } from './of-data.ts'
import { SENDING_WORDS } from './of-sending.ts'
import { SERVICE_WORDS } from './of-service.ts'
import { STORAGE_WORDS, type StorageAbout } from './of-storage.ts'
import { type About, listed, type Words } from './wording.ts'

const WORDS: Readonly<Record<Kind, (about: About & StorageAbout) => Words>> = {
  ...SENDING_WORDS,
  ...DATA_WORDS,
  ...SERVICE_WORDS,
  ...STORAGE_WORDS,
}

/** Says a problem to a person. */
export function wordsOf({ kind, count, names = [] }: Problem, check: Check): Words {
  const { isSampled } = check.plan.inspection.storage
  return WORDS[kind]({ check, fit: check.groups.fit, some: listed(names), names, count, isSampled })
}
