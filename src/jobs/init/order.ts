import { ENDPOINT, INIT_OUT, JSON_SUMMARY, type Values } from '../../options/index.ts'
import { SQL_SAMPLE_ROWS } from '../../sources/index.ts'

/** The options of `init`. */
export const INIT_ROWS = [INIT_OUT, ...SQL_SAMPLE_ROWS, JSON_SUMMARY, ENDPOINT] as const

export type InitValues = Values<typeof INIT_ROWS>
