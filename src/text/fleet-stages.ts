/** The stages of a fleet's transform, in their order. Each begins when the one before has ended. */
export const STAGES = ['map', 'generate', 'seal'] as const
export type Stage = (typeof STAGES)[number]

/** How many tasks a stage may have. */
export const MOST_TASKS = 10_000
