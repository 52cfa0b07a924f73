import { JSON_SUMMARY, PRESET_FIXTURES, type Values } from '../../options/index.ts'

/** The options of `preset test`. */
export const PRESET_TEST_ROWS = [PRESET_FIXTURES, JSON_SUMMARY] as const

export type PresetTestValues = Values<typeof PRESET_TEST_ROWS>
