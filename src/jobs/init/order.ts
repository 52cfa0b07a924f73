import { ENDPOINT, INIT_OUT, JSON_SUMMARY, type Values } from '../../options/index.ts'

/** The options of `init`. */
export const INIT_ROWS = [INIT_OUT, JSON_SUMMARY, ENDPOINT] as const

export type InitValues = Values<typeof INIT_ROWS>
