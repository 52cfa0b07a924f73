import type { Values } from '../../options/row.ts'
import { ENDPOINT } from '../../options/rows/dataset-rows.ts'
import { JSON_SUMMARY } from '../../options/rows/output-rows.ts'
import { INIT_OUT } from '../../options/rows/studio-rows.ts'

/** The options of `init`. */
export const INIT_ROWS = [INIT_OUT, JSON_SUMMARY, ENDPOINT] as const

export type InitValues = Values<typeof INIT_ROWS>
