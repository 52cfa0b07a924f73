/**
 * The stages of a fleet's transform, in their order. Each begins when the one before has ended. The first four gather what
 * only all records together tell: `rows` and `tables` make the tables of records, `links` and `people` find all ids of
 * people to forget. A plan has them where it needs them.
 */
export const STAGES = ['rows', 'tables', 'links', 'people', 'map', 'generate', 'seal'] as const
export type Stage = (typeof STAGES)[number]

/** Stages whose tasks read the input. */
export const READING: readonly Stage[] = ['rows', 'links', 'map']

/** How many tasks a stage may have. */
export const MOST_TASKS = 10_000
