import type { Values } from '../../options/row.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { PRESET_FIXTURES } from '../../options/rows/transform-rows.ts'

/** The options of `preset test`. */
export const PRESET_TEST_ROWS = [PRESET_FIXTURES, JSON_SUMMARY] as const

export type PresetTestValues = Values<typeof PRESET_TEST_ROWS>
