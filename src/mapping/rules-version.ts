import { POSTHAUL_NAMESPACE, uuidV5 } from '../record/uuid.ts'
import type { Preset } from './preset.ts'

/**
 * Version of the rules that all presets share. Raise it when they give some record another event name, uuid, distinct_id
 * or time than before, or none: `test/mapping/rules-version.test.ts` tells. A preset has a version of its own.
 */
const ENGINE = 3

/** The rules that make a vendor's events, such as `mixpanel 1.1`. Two versions make two sets of events of one source. */
export function rulesOf({ vendor, rules }: Preset): string {
  return `${vendor} ${ENGINE}.${rules}`
}

/** The id that all imports of a preset share, unless the user names another: the same in every run and part. */
export function importIdOf({ vendor }: Preset): string {
  return uuidV5(POSTHAUL_NAMESPACE, vendor)
}
