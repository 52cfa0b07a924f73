import { isPresetFile } from '../mapping/preset.ts'
import { seldom } from '../options/row.ts'
import * as rows from '../options/transform-rows.ts'
import { PRESET_NAMES } from '../presets/index.ts'

// Options of whatever makes events of records.

export const PRESET_ROW = { ...rows.PRESET, choices: PRESET_NAMES, orFile: isPresetFile } as const

// Without a default: if the option is not given, the mapping file decides.
const { default: _, ...BIG_INTEGERS_MAPPED } = rows.BIG_INTEGERS
const BIG_INTEGERS_ROW = {
  ...BIG_INTEGERS_MAPPED,
  otherwise: 'as the mapping file says, else keep',
} as const

/** What event a record becomes. */
export const EVENT_ROWS = [
  rows.SOURCE_TIMEZONE,
  seldom(rows.GROUP_TYPE),
  seldom(rows.PERSON_PROPERTIES),
  BIG_INTEGERS_ROW,
  seldom(rows.WITH),
  rows.JOIN,
] as const
